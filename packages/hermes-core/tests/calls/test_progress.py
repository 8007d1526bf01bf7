"""`hermes_tool_progress`: whoever waits for a tool can see that it goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_core import Hermes, Progress, ToolCall, ToolContext, hookimpl, tool


class Watcher:
    def __init__(self) -> None:
        self.seen: list[tuple[str, Progress]] = []

    @hookimpl
    def hermes_tool_progress(self, call: ToolCall, progress: Progress) -> None:
        self.seen.append((call.name, progress))
        if progress.message == "raise":
            raise ValueError("watchers may fail")


@tool
def slow(ctx: ToolContext) -> str:
    """Take some time."""
    ctx.progress("half-way", done=1, total=2, seconds=0.5)
    ctx.progress("raise")
    return "done"


@tool
async def aslow(ctx: ToolContext) -> str:
    """Take some time."""
    await ctx.aprogress("half-way", detail="last line")
    return "done"


def test_a_watcher_hears_that_a_sync_tool_goes_on_and_its_failure_changes_nothing() -> None:
    watcher = Watcher()
    with Hermes(tools=[slow], plugins=[watcher]) as hermes:
        assert hermes.call("slow") == '"done"'
    assert watcher.seen == [
        ("slow", Progress(message="half-way", done=1, total=2, seconds=0.5)),
        ("slow", Progress(message="raise")),
    ]


@pytest.mark.anyio
async def test_a_watcher_hears_that_an_async_tool_goes_on() -> None:
    watcher = Watcher()
    async with Hermes(tools=[aslow], plugins=[watcher]) as hermes:
        assert await hermes.acall("aslow") == '"done"'
    assert watcher.seen == [("aslow", Progress(message="half-way", detail="last line"))]


def test_a_sync_caller_of_an_async_tool_is_watched_too() -> None:
    watcher = Watcher()
    with Hermes(tools=[aslow], plugins=[watcher]) as hermes:
        hermes.call("aslow")
    assert [progress.detail for _, progress in watcher.seen] == ["last line"]


def test_a_tool_nobody_watches_goes_on_the_same() -> None:
    with Hermes(tools=[slow]) as hermes:
        assert hermes.call("slow") == '"done"'


def test_the_context_knows_the_folder_for_state(tmp_path: Path) -> None:
    @tool
    def where(ctx: ToolContext) -> str:
        """Say where state is kept."""
        return str(ctx.home)

    with Hermes(tools=[where], home=tmp_path) as hermes:
        assert hermes.call("where") == f'"{tmp_path}"'
