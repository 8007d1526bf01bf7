"""Every test has a home of its own, and leaves no process behind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hermes_tools_terminal
from hermes_core import Hermes


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch `HERMES_HOME`: no test may read or write the user's."""
    folder = tmp_path / "hermes-home"
    monkeypatch.setenv("HERMES_HOME", str(folder))
    return folder


class Agent:
    """A host with the terminal tools, and short ways to call them.

    Args:
        options: Those of `Hermes`; `terminal` is the section of the settings.
    """

    def __init__(self, *, terminal: dict[str, Any] | None = None, **options: Any) -> None:
        config = {"terminal": terminal or {}}
        plugins = [hermes_tools_terminal, *options.pop("plugins", ())]
        self.hermes = Hermes(plugins=plugins, config=config, **options)

    def call(self, tool: str, args: dict[str, Any], **options: Any) -> dict[str, Any]:
        """The result of a call, read."""
        found = json.loads(self.hermes.call(tool, args, **options))
        assert isinstance(found, dict)
        return found

    def run(self, command: str, *, task: str | None = None, **args: Any) -> dict[str, Any]:
        """Run a command."""
        return self.call("terminal", {"command": command, **args}, task_id=task)

    def start(self, command: str, **args: Any) -> str:
        """Start a command in the background; its id."""
        found = self.run(command, background=True, **args)
        assert found["error"] is None, found
        return str(found["session_id"])

    def process(self, action: str, session_id: str | None = None, **args: Any) -> dict[str, Any]:
        """Look after a background process."""
        given = {"session_id": session_id} if session_id is not None else {}
        return self.call("process", {"action": action, **given, **args})


@pytest.fixture
def agent() -> Iterator[Callable[..., Agent]]:
    """Makes agents, and closes them when the test is over."""
    made: list[Agent] = []

    def make(**options: Any) -> Agent:
        agent = Agent(**options)
        made.append(agent)
        return agent

    yield make
    for each in made:
        each.hermes.close()
