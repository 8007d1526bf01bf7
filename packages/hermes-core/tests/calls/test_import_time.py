"""The time that imports take does not count against the deadline of the hook or assessor that needs them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
import pytest

from hermes_core import Finding, Hermes, ToolContext, hookimpl, tool
from hermes_core.thread_effort import is_importing

DEADLINE = 0.3
SLEEP = 1.0
"""How long the module sleeps: longer than the deadline, and than what a busy machine is excused for."""

AFTER = 0.15
"""How long the code takes after the import: less than the deadline."""


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterable[str]:
    """The name of a module that sleeps while it is imported."""
    name = f"sleeps_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(f"import time\ntime.sleep({SLEEP})\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield name
    sys.modules.pop(name, None)


def host(plugin: object, tmp_path: Path) -> Hermes:
    hermes = Hermes(home=tmp_path / "home", config={"calls": {"hook_timeout": DEADLINE}})
    hermes.add_plugin(plugin, name="slow")
    return hermes


class Assessor:
    """Imports the module when it is first asked, and takes most of its deadline then."""

    def __init__(self, module: str, *, after: float = AFTER) -> None:
        self.module = module
        self.after = after

    @hookimpl
    def hermes_assess_call(self) -> list[Finding]:
        import_module(self.module)
        threading.Event().wait(self.after)
        return [Finding(rule="slow.seen", severity="note", reason="It was assessed.")]


class Pre(Assessor):
    """The same as a policy hook."""

    @hookimpl
    def hermes_pre_tool_call(self) -> None:
        import_module(self.module)
        threading.Event().wait(self.after)


class AsyncAssessor(Assessor):
    """The same on the event loop."""

    @hookimpl
    async def hermes_assess_call(self) -> list[Finding]:  # type: ignore[override]
        import_module(self.module)
        await anyio.sleep(self.after)
        return [Finding(rule="slow.seen", severity="note", reason="It was assessed.")]


@tool(toolset="slow")
def greet() -> str:
    """Say hello."""
    return "hello"


@pytest.mark.parametrize("kind", [Assessor, Pre, AsyncAssessor])
def test_a_hook_that_imports_gets_its_whole_deadline_afterwards(
    kind: type[Assessor], slow: str, tmp_path: Path
) -> None:
    with host(kind(slow), tmp_path) as hermes:
        hermes.registry.register(greet)
        assert hermes.call("greet") == '"hello"'
        assert slow in sys.modules


@pytest.mark.parametrize("kind", [Assessor, Pre, AsyncAssessor])
@pytest.mark.anyio
async def test_the_same_on_an_event_loop(kind: type[Assessor], slow: str, tmp_path: Path) -> None:
    async with host(kind(slow), tmp_path) as hermes:
        hermes.registry.register(greet)
        assert await hermes.acall("greet") == '"hello"'


@pytest.mark.parametrize("kind", [Assessor, Pre, AsyncAssessor])
def test_a_hook_that_hangs_after_an_import_is_late(kind: type[Assessor], slow: str, tmp_path: Path) -> None:
    with host(kind(slow, after=30), tmp_path) as hermes:
        hermes.registry.register(greet)
        assert "error" in hermes.call("greet")


def test_the_assessor_of_a_tool_gets_its_whole_deadline_after_an_import(slow: str, tmp_path: Path) -> None:
    def assess(_args: Mapping[str, Any], _ctx: ToolContext) -> list[Finding]:
        import_module(slow)
        threading.Event().wait(AFTER)
        return []

    @tool(toolset="slow", assess=assess)
    def assessed() -> str:
        return "done"

    with Hermes(home=tmp_path / "home", config={"calls": {"hook_timeout": DEADLINE}}) as hermes:
        hermes.registry.register(assessed)
        assert hermes.call("assessed") == '"done"'


def test_a_thread_is_importing_while_a_module_runs(slow: str) -> None:
    thread = threading.Thread(target=import_module, args=(slow,))
    thread.start()
    while slow not in sys.modules:
        assert thread.is_alive()
    assert is_importing(thread.native_id)
    thread.join()
    assert not is_importing(threading.get_native_id())
