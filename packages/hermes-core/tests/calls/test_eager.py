"""An async tool as a plain function: what it answers at once needs no event loop, the rest is awaited on one."""

from __future__ import annotations

import threading
from collections.abc import Awaitable

import anyio
import pytest

from hermes_core import Hermes, tool

places: list[str] = []


async def _later(word: str) -> str:
    places.append(threading.current_thread().name)
    await anyio.sleep(0)
    return f"{word} later"


@tool(is_async=True)
def perhaps(word: str) -> str | Awaitable[str]:
    """Answer at once, unless it takes longer."""
    places.append(threading.current_thread().name)
    if word == "raise":
        raise ValueError("at once")
    return _later(word) if word == "wait" else f"{word} at once"


@pytest.fixture(autouse=True)
def no_places() -> None:
    places.clear()


def test_what_is_answered_at_once_is_answered_where_the_caller_is() -> None:
    with Hermes(tools=[perhaps]) as hermes:
        assert hermes.call("perhaps", {"word": "here"}) == '"here at once"'
    assert places == [threading.current_thread().name]


def test_what_has_to_wait_waits_on_the_loop() -> None:
    with Hermes(tools=[perhaps]) as hermes:
        assert hermes.call("perhaps", {"word": "wait"}) == '"wait later"'
    assert places[0] == threading.current_thread().name
    assert places[1] != places[0]


@pytest.mark.anyio
@pytest.mark.parametrize(("word", "answer"), [("here", '"here at once"'), ("wait", '"wait later"')])
async def test_async_callers_get_the_same(word: str, answer: str) -> None:
    async with Hermes(tools=[perhaps]) as hermes:
        assert await hermes.acall("perhaps", {"word": word}) == answer


def test_what_is_raised_at_once_is_a_result() -> None:
    with Hermes(tools=[perhaps]) as hermes:
        assert "ValueError: at once" in hermes.call("perhaps", {"word": "raise"})


def test_the_deadline_holds_for_what_has_to_wait() -> None:
    async def forever() -> str:
        await anyio.sleep(3600)
        return "never"

    @tool(is_async=True, timeout=0.05)
    def slow() -> Awaitable[str]:
        """Take too long."""
        return forever()

    with Hermes(tools=[slow]) as hermes:
        assert "did not finish within" in hermes.call("slow")
