"""A feature that is not installed opens nothing: calls that need it are denied, and messages name the package."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from hermes_core import Finding, Hermes, Tool
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.errors import UnknownToolsetError
from hermes_core.families import install_command, read_families

Run = Callable[..., CompletedProcess[str]]
Host = Callable[..., Hermes]

APPROVAL, SEARCH, COMPAT = map(install_command, ("hermes-approval", "hermes-search", "hermes-compat"))
FEATURES = ("hermes-approval", "hermes-compat", "hermes-kit", "hermes-search")
COMMANDS = [(name, command) for name in FEATURES for command in read_families()[name]["commands"]]


def answer(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    return found


def make_tool(name: str, ran: list[str], **options: Any) -> Tool:
    def run(args: dict[str, Any]) -> dict[str, Any]:
        ran.append(name)
        return {"ran": name}

    schema = {"name": name, "description": f"Handle the {name}. " * 20, "parameters": {"type": "object"}}
    return Tool.from_schema(schema, run, toolset="dice", **options)


def ask(args: dict[str, Any], ctx: object) -> list[Finding]:
    return [Finding(rule="dice.burn", severity="ask", reason="it burns all dice")]


@pytest.mark.parametrize("mode", ["off", "manual", None])
def test_without_approval_a_call_that_needs_it_is_denied_and_nothing_else_changes(host: Host, mode: str | None) -> None:
    ran: list[str] = []
    tools = [make_tool("roll", ran), make_tool("burn", ran, assess=ask, effects=["delete"])]
    config = {} if mode is None else {"approvals": {"mode": mode}}
    hermes = host(tools=tools, config=config)
    denied = answer(hermes.call("burn"))
    assert denied["decision"] == "no-approver"
    assert "it burns all dice" in denied["error"]
    assert APPROVAL in denied["error"]
    assert [each["function"]["name"] for each in hermes.definitions()] == ["burn", "roll"]
    assert answer(hermes.call("roll")) == {"ran": "roll"}
    assert ran == ["roll"]


@pytest.mark.parametrize("policy", [{"rules": []}, {"rules": [{"match": {"tool": "burn"}, "action": "deny"}]}, {}])
def test_a_policy_without_a_reader_stops_every_call(home: Path, bare: Run, policy: dict[str, Any]) -> None:
    plugins = home / "plugins"
    plugins.mkdir(parents=True)
    (plugins / "dice.py").write_text(
        "from hermes_core import hookimpl, tool\n\n"
        "@tool(toolset='dice')\ndef roll() -> str:\n    'Roll dice.'\n    return 'rolled'\n\n"
        "@hookimpl\ndef hermes_tools():\n    return [roll]\n"
    )
    assert bare("call", "roll").stdout == '"rolled"\n'
    (home / "config.yaml").write_text(json.dumps({"policy": policy}))
    outcome = bare("call", "roll")
    assert outcome.returncode == ExitCode.DENIED
    assert answer(outcome.stdout)["decision"] == "denied-by-policy"
    assert APPROVAL in answer(outcome.stdout)["error"]
    assert "roll" in bare("tools").stdout, "looking is still possible"
    for command in (("config", "check"), ("doctor",)):
        assert f"every call is denied. Run: {APPROVAL}" in bare(*command).stdout


def test_without_search_nothing_is_hidden_and_no_scope_is_wider(host: Host) -> None:
    ran: list[str] = []
    tools = [make_tool(f"tool_{number:03}", ran) for number in range(200)]
    outside = Tool.from_schema({"name": "outside"}, lambda args: "ran", toolset="other")
    hermes = host(tools=[*tools, outside], config={"tools": {"tool_search": {"enabled": "on"}}})
    shown = [each["function"]["name"] for each in hermes.definitions(["dice"], context_length=1000)]
    assert shown == [each.name for each in tools]
    assert len(hermes.definitions(context_length=1000)) == 201
    session = hermes.session(enabled=["dice"])
    assert answer(session.call("tool_150", {})) == {"ran": "tool_150"}
    assert answer(session.call("outside", {}))["code"] == "unknown_tool"
    assert answer(session.call("tool_call", {"name": "outside", "arguments": {}}))["code"] == "unknown_tool"
    assert answer(session.call("tool_search", {"query": "outside"}))["code"] == "unknown_tool"
    assert ran == ["tool_150"]


@pytest.mark.parametrize("name", ["tool_search", "tool_describe", "tool_call"])
def test_a_call_of_a_bridge_tool_names_the_package(bare: Run, name: str) -> None:
    outcome = bare("call", name, "query=dice")
    assert outcome.returncode == ExitCode.UNKNOWN_TOOL
    assert SEARCH in outcome.stderr


@pytest.mark.parametrize("name", read_families()["hermes-compat"]["toolsets"])
def test_without_compat_the_toolsets_of_hermes_agent_are_unknown(host: Host, bare: Run, name: str) -> None:
    with pytest.raises(UnknownToolsetError, match=f"{name}.*part of hermes-compat"):
        host(tools=[make_tool("roll", [])]).definitions([name])
    outcome = bare("tools", "--toolset", name)
    assert outcome.returncode != ExitCode.OK
    assert COMPAT in outcome.stderr


@pytest.mark.parametrize(("distribution", "command"), COMMANDS)
def test_a_command_of_a_missing_feature_names_its_package(bare: Run, distribution: str, command: str) -> None:
    outcome = bare(*command.split())
    assert outcome.returncode == ExitCode.USAGE
    assert install_command(distribution) in outcome.stderr
