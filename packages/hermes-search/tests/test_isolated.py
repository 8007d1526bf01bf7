"""Tool search as a user has it, with nothing installed but what this package requires."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_core import Hermes, Tool
from hermes_search import ToolIndex, assemble, plugin

Command = Callable[..., subprocess.CompletedProcess[str]]

TOOLS = '''
from hermes_core import hookimpl, tool


@tool(toolset="tracker", effects=["write"])
def create_issue(title: str) -> dict:
    """Create an issue in a repository."""
    return {"created": title}


@tool(toolset="weather", effects=["read"])
def get_forecast(place: str) -> dict:
    """Get the weather forecast for a place."""
    return {"forecast": f"rain in {place}"}


@hookimpl
def hermes_tools():
    return [create_issue, get_forecast]
'''


@pytest.fixture(scope="session")
def tested_distribution() -> str:
    """The commands of this package are found as users find them: by its entry point."""
    return "hermes-search"


@pytest.fixture
def command(home: Path) -> Command:
    """Run `hermes` in a process of its own, with a single-file plugin that brings two tools."""
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "sample.py").write_text(TOOLS, encoding="utf-8")
    (home / "config.yaml").write_text("tools: {tool_search: {enabled: on}}\n", encoding="utf-8")

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "hermes_core", *args]
        return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)

    return run


def answer(outcome: subprocess.CompletedProcess[str]) -> Any:
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return json.loads(outcome.stdout)


def test_the_command_finds_tools_by_what_they_do(command: Command) -> None:
    found = answer(command("search", "open a ticket", "--toolset", "tracker", "--json"))
    assert [each["name"] for each in found["matches"]] == ["create_issue"]
    assert answer(command("tools", "cost", "--toolset", "weather", "--json"))["total_tokens"] > 0


def test_a_hidden_tool_is_found_described_and_called(command: Command) -> None:
    found = answer(command("call", "tool_search", "query=will it rain tomorrow"))
    assert found["matches"][0]["name"] == "get_forecast"
    assert "place" in answer(command("call", "tool_describe", "name=get_forecast"))["parameters"]["properties"]
    arguments = 'arguments={"place": "Leeds"}'
    assert answer(command("call", "tool_call", "name=get_forecast", arguments)) == {"forecast": "rain in Leeds"}


def test_a_model_is_shown_the_bridge_and_calls_a_tool_within_its_scope_only() -> None:
    tools = [
        Tool.from_schema({"name": name, "description": text}, lambda args: {"ran": True}, toolset=toolset)
        for name, text, toolset in (("inside", "Feed the cat.", "pets"), ("outside", "Sell the cat.", "shop"))
    ]
    config = {"tools": {"tool_search": {"enabled": "on"}}}
    with Hermes(tools=tools, plugins=[plugin], config=config) as host:
        shown = assemble(host, ["pets"])
        assert (shown.activated, shown.deferred) == (True, ("inside",))
        session = host.session(enabled=["pets"])
        assert session.call("tool_call", {"name": "inside", "arguments": {}}) == '{"ran": true}'
        outside = json.loads(session.call("tool_call", {"name": "outside", "arguments": {}}))
        assert outside["code"] == "unknown_tool"


def test_the_ranking_needs_no_extra() -> None:
    tools = [{"name": "create_issue", "description": "Create an issue."}, {"name": "roll", "description": "Roll dice."}]
    assert ToolIndex(tools, embeddings=False).search("open a ticket")[0].name == "create_issue"
    assert ToolIndex(tools).search("open a ticket")[0].name == "create_issue"
