"""Records which hooks are called, for which call, and which of them fail."""

from __future__ import annotations

import functools
import inspect
import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any

from hermes_core import hookimpl, hookspecs
from hermes_kit.proof.proof import PROVEN_HOOKS, UNPROVEN_HOOKS, HookProblem

if TYPE_CHECKING:
    from hermes_core import CallRecord
    from hermes_core.inspection import Implementation, Plugins

OBSERVER = "hermes hooks prove"
_AGAIN = "it was late before, and was not called again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One call of an implementation: for which call (None at the start or end of a session) of which session."""

    hook: str
    plugin: str
    session_id: str
    call_id: str | None


@dataclass
class Notes:
    """All sightings in order, and the results of the calls.

    Attributes:
        seconds: How long a hook may take.
        sightings: The called implementations.
        failures: The failures since the last path started.
        records: The record of each call.
        ran: The ids of calls whose tool ran.
    """

    seconds: float
    sightings: list[Sighting] = field(default_factory=list)
    failures: dict[HookProblem, None] = field(default_factory=dict)
    records: list[CallRecord] = field(default_factory=list)
    ran: set[str] = field(default_factory=set)
    _running: dict[int, tuple[Implementation, float]] = field(default_factory=dict)
    _late: set[Implementation] = field(default_factory=set)
    _numbers: Iterator[int] = field(default_factory=count)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def saw(self, implementation: Implementation, values: dict[str, Any]) -> None:
        """Record that an implementation is called with these arguments."""
        session_id, call_id = _about(values)
        sighting = Sighting(
            hook=implementation.hook, plugin=implementation.plugin, session_id=session_id, call_id=call_id
        )
        self.sightings.append(sighting)

    def failed(self, hook: str, plugin: str, reason: str) -> None:
        """Record that a hook raised, was late, or returned an invalid answer."""
        self.failures[HookProblem(hook=hook, plugin=plugin, reason=reason)] = None

    def begin(self, implementation: Implementation) -> int | None:
        """Return a number for `end`; None for a hook that was late before, which is not called again."""
        now = time.monotonic()
        with self._lock:
            self._late |= {each for each, begun in self._running.values() if now - begun >= self.seconds}
            if implementation in self._late:
                self.failed(implementation.hook, implementation.plugin, _AGAIN)
                return None
            number = next(self._numbers)
            self._running[number] = implementation, now
            return number

    def end(self, number: int) -> None:
        """Record that a hook has returned, or was abandoned."""
        with self._lock:
            implementation, begun = self._running.pop(number)
            if time.monotonic() - begun >= self.seconds:
                self._late.add(implementation)

    def stuck(self, *, async_only: bool) -> Implementation | None:
        """Return a hook that is past its deadline and still runs; an async one blocks the loop."""
        now = time.monotonic()
        with self._lock:
            for implementation, begun in self._running.values():
                is_async = inspect.iscoroutinefunction(implementation.function)
                if now - begun >= self.seconds and (is_async or not async_only):
                    return implementation
        return None


def _about(values: dict[str, Any]) -> tuple[str, str | None]:
    """Return the session and the call of a hook's arguments."""
    if "request" in values:
        return values["request"].session_id, values["request"].call_id
    record = values.get("record")
    call = record.call if record is not None else values.get("call")
    return (values["session"].id, None) if call is None else (call.session_id, call.id)


class Observer:
    """Records the result of each probe."""

    def __init__(self, notes: Notes) -> None:
        self.__name__ = OBSERVER
        self._notes = notes

    @hookimpl(trylast=True)
    def hermes_post_tool_call(self, record: CallRecord) -> None:
        """Record it."""
        self._notes.records.append(record)


def watch(implementation: Implementation, notes: Notes) -> Implementation | None:
    """Return a watched version of an implementation; None for a hook that sees no probe."""
    if implementation.hook in UNPROVEN_HOOKS:
        return None
    return _watched(implementation, notes) if implementation.hook in PROVEN_HOOKS else implementation


def _watched(implementation: Implementation, notes: Notes) -> Implementation:
    """Return a version that takes all arguments of its hook, to know which call it is for."""
    function, accepted = implementation.function, implementation.argnames
    names = tuple(inspect.signature(getattr(hookspecs, implementation.hook)).parameters)

    def chosen(args: tuple[Any, ...]) -> tuple[Any, ...]:
        values = dict(zip(names, args, strict=True))
        notes.saw(implementation, values)
        return tuple(values[name] for name in accepted)

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        given, number = chosen(args), notes.begin(implementation)
        if number is None:
            return None
        try:
            return function(*given)
        finally:
            notes.end(number)

    @functools.wraps(function)
    async def acall(*args: Any) -> Any:
        given, number = chosen(args), notes.begin(implementation)
        if number is None:
            return None
        try:
            return await function(*given)
        finally:
            notes.end(number)

    is_async = inspect.iscoroutinefunction(function)
    return replace(implementation, function=acall if is_async else call, argnames=names)


class ProblemLog(logging.Filter):
    """Records each hook failure that the pipeline logs, and lets each warning through once."""

    def __init__(self, notes: Notes) -> None:
        super().__init__()
        self._notes = notes
        self._logged: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True for a new message."""
        if record.msg.startswith("Hook %s of plugin %s failed") and isinstance(record.args, tuple):
            self._notes.failed(*map(str, record.args[:3]))
        message = record.getMessage()
        new = message not in self._logged
        self._logged.add(message)
        return new


class WatchedPlugins:
    """The hooks of a host, with watched implementations."""

    def __init__(self, plugins: Plugins, notes: Notes) -> None:
        self._plugins = plugins
        self._notes = notes
        self._watched: dict[Implementation, Implementation | None] = {}
        self.failures = _NoProblems()
        self.installed = plugins.installed

    @property
    def generation(self) -> int:
        """Grow as the table of the host does."""
        return self._plugins.generation

    def implementations(self, hook: str) -> tuple[Implementation, ...]:
        """Return the watched implementations of a hook, in the order of the calls."""
        found = self._plugins.implementations(hook)
        for each in found:
            if each not in self._watched:
                self._watched[each] = watch(each, self._notes)
        return tuple(watched for each in found if (watched := self._watched[each]) is not None)


class _NoProblems(dict[tuple[str, str], str]):
    """Stores no failure, so that each one is logged as if it were the first."""

    def setdefault(self, _key: tuple[str, str], text: str = "") -> str:
        return text
