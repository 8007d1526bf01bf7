"""Observers of finished calls: all are called, in order, also once they are proven to be quick."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from hermes_core import CallRecord, Hermes, Tool, hookimpl

LOOK = Tool.from_schema({"name": "look"}, lambda args: "1", effects=["read"])
Observer = Callable[[CallRecord], Any]


class Watching:
    """Calls its function once it has proven to be quick."""

    def __init__(self, observe: Observer) -> None:
        self.observe = observe
        self.is_due = False

    @hookimpl
    def hermes_post_tool_call(self, record: CallRecord) -> Any:
        return self.observe(record) if self.is_due else None


def watched(*observers: Observer) -> Hermes:
    """Return a host whose observers are proven."""
    plugins = [Watching(each) for each in observers]
    hermes = Hermes(tools=[LOOK])
    for number, plugin in enumerate(plugins):
        hermes.add_plugin(plugin, name=f"watching-{number}")
    for _ in range(10):
        hermes.call("look", {})
    for plugin in plugins:
        plugin.is_due = True
    return hermes


def test_an_observer_that_fails_later_keeps_no_other_from_seeing_the_call(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[str] = []

    def fail(_record: CallRecord) -> None:
        raise ValueError("no space")

    with watched(lambda _: seen.append("first"), fail, lambda _: seen.append("last")) as hermes:
        assert hermes.call("look", {}) == "1"
        assert seen in (["first", "last"], ["last", "first"])
        assert "no space" in caplog.text


def test_an_observer_may_answer_later_with_something_to_await() -> None:
    seen: list[str] = []

    def observe(record: CallRecord) -> Awaitable[None]:
        async def finish() -> None:
            seen.append(record.call.name)

        return finish()

    with watched(lambda _: None, observe, lambda _: seen.append("last")) as hermes:
        hermes.call("look", {})
        assert sorted(seen) == ["last", "look"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_an_observer_raises_by_itself_does_not_end_the_call(error: type[BaseException]) -> None:
    seen: list[str] = []

    def stop(_record: CallRecord) -> None:
        raise error

    with watched(lambda _: seen.append("first"), stop, lambda _: seen.append("last")) as hermes:
        assert hermes.call("look", {}) == "1"
        assert sorted(seen) == ["first", "last"]


def test_what_an_observer_calls_is_nested_and_does_not_stay_so() -> None:
    origins: list[str] = []

    def nest(record: CallRecord) -> None:
        origins.append(record.call.origin)
        if record.call.origin == "direct" and len(origins) < 3:
            hermes.call("look", {})

    with watched(nest) as hermes:
        hermes.call("look", {})
        hermes.call("look", {})
    assert origins[-1] == "direct"
    assert len(origins) >= 3


def test_a_record_cannot_be_changed() -> None:
    with Hermes(tools=[LOOK]) as hermes:
        record = hermes.run("look", {})
    with pytest.raises(AttributeError):
        record.result = "2"  # type: ignore[misc]


def test_calls_of_one_tool_and_session_have_one_key() -> None:
    with Hermes(tools=[LOOK]) as hermes:
        first, second = hermes.run("look", {}).call, hermes.run("look", {}).call
        other = hermes.run("look", {}, task_id="a").call
    assert first.key == second.key == ("look", first.session_id, first.session_kind, first.origin, None)
    assert other.key != first.key
