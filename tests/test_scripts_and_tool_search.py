"""Scripts that call tools, and tools that are hidden: neither is a way around the scope of the other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hermes_search.plugin
import hermes_tools_terminal.plugin
from hermes_approval import Approval
from hermes_core import Hermes, Tool

RAW = "import hermes_tools\nprint(hermes_tools._tool({name!r})(lambda: None)(**{args!r}))\n"
"""How a script calls a tool that it was not offered."""


@pytest.fixture
def opened() -> list[str]:
    return []


@pytest.fixture
def hermes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: list[str]) -> Iterator[Hermes]:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))

    def open_vault(args: dict[str, Any]) -> str:
        opened.append("vault")
        return json.dumps({"opened": "vault"})

    vault = Tool.from_schema({"name": "open_vault", "description": "Open the vault."}, open_vault, toolset="secret")
    config = {"terminal": {"cwd": str(tmp_path)}, "tools": {"tool_search": {"enabled": "on"}}}
    plugins = [hermes_tools_terminal.plugin, hermes_search.plugin, Approval(mode="off")]
    with Hermes(plugins=plugins, tools=[vault], config=config) as made:
        yield made


def printed(answer: str) -> str:
    found = json.loads(answer)
    assert found.get("status") == "success", found
    return str(found["output"])


@pytest.mark.parametrize("session_has_the_vault", [True, False])
@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("tool_call", {"name": "open_vault", "arguments": {}}),
        ("tool_call", {"name": "open_vault", "arguments": "{}"}),
        ("tool_describe", {"name": "open_vault"}),
        ("open_vault", {}),
    ],
)
def test_a_script_cannot_escape_through_the_bridge(
    name: str, args: dict[str, Any], session_has_the_vault: bool, hermes: Hermes, opened: list[str]
) -> None:
    enabled = None if session_has_the_vault else ["code_execution", "file"]
    with hermes.session(enabled=enabled) as session:
        said = printed(session.call("execute_code", {"code": RAW.format(name=name, args=args)}))
    assert "unknown_tool" in said
    assert "Open the vault" not in said
    assert opened == []


def test_who_has_the_vault_opens_it_without_a_script(hermes: Hermes, opened: list[str]) -> None:
    assert json.loads(hermes.call("tool_call", {"name": "open_vault"})) == {"opened": "vault"}
    assert opened == ["vault"]


def test_the_proof_of_hooks_takes_the_path_of_tool_search(tmp_path: Path) -> None:
    env = {**os.environ, "HERMES_HOME": str(tmp_path), "PYTHONPATH": ""}
    proved = subprocess.run(
        [sys.executable, "-m", "hermes_core", "hooks", "prove", "--json"],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    paths = {path["path"]: path for path in json.loads(proved.stdout)["paths"]}
    assert len(paths) == 17
    assert paths["tool_call"]["ok"] is True
