"""Hosts that run scripts, with tools for them to call."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_approval import Approval
from hermes_core import Hermes, Tool, tool
from hermes_tools_terminal.environments.local_processes import find_process
from hermes_tools_terminal.tools.execute_code import execute_code
from hermes_tools_terminal.tools.process import process
from hermes_tools_terminal.tools.terminal import terminal


@tool(toolset="web")
def web_search(query: str, limit: int = 5) -> dict[str, Any]:
    """Search the web.

    Args:
        query: What to look for.
        limit: How many results.
    """
    return {"query": query, "limit": limit}


class Coder:
    """A host that runs scripts.

    Args:
        folder: Where they run.
        terminal: The section `terminal`.
        code: The section `code_execution`.
        calls: The section `calls`.
        tools: What is there beside the terminal.
        options: Those of `Hermes`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        terminal: dict[str, Any] | None = None,
        code: dict[str, Any] | None = None,
        calls: dict[str, Any] | None = None,
        tools: list[Tool] | None = None,
        **options: Any,
    ) -> None:
        place = {"cwd": str(folder), **(terminal or {})}
        config = {"terminal": place, "code_execution": code or {}, "calls": calls or {}}
        if "approvals" in options:
            approval = Approval(mode=options.pop("approvals"), approver=options.pop("approver", None))
            options["plugins"] = [approval, *options.get("plugins", ())]
        self.hermes = Hermes(tools=[*_OURS, *(tools or [web_search])], config=config, **options)

    def run(self, code: str, **options: Any) -> dict[str, Any]:
        """What became of a script."""
        found = json.loads(self.hermes.call("execute_code", {"code": code}, **options))
        assert isinstance(found, dict)
        return found

    def says(self, code: str, **options: Any) -> str:
        """What a script printed that ended well."""
        found = self.run(code, **options)
        assert found.get("status") == "success", found
        return str(found["output"])


_OURS = [terminal, process, execute_code]


@pytest.fixture
def coder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Coder]]:
    """Makes hosts in no environment, whatever the tests run in, and closes them when the test is over."""
    made: list[Coder] = []
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)

    def make(**options: Any) -> Coder:
        folder = tmp_path / "project"
        folder.mkdir(exist_ok=True)
        made.append(Coder(folder, **options))
        return made[-1]

    yield make
    for each in made:
        each.hermes.close()


@pytest.fixture
def until() -> Callable[..., Any]:
    """Waits for something, under a deadline."""

    def wait(check: Callable[[], Any], seconds: float = 60) -> Any:
        deadline = time.monotonic() + seconds
        while not (found := check()):
            assert time.monotonic() < deadline, "it did not happen in time"
            time.sleep(0.005)
        return found

    return wait


@pytest.fixture
def ended(until: Callable[..., Any]) -> Callable[[int], None]:
    """Waits until a process is gone."""
    return lambda pid: until(lambda: find_process(pid) is None)
