"""Imports a plugin in isolation, because it may raise, exit, hang, or return invalid values."""

from __future__ import annotations

import contextvars
import functools
import threading
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hermes_core.errors import PluginError
from hermes_core.plugins.contributions import Contribution, collect, collect_commands
from hermes_core.plugins.plugin_records import Candidate
from hermes_core.thread_effort import IMPORT_SECONDS, Effort, ImportLimit
from hermes_core.tools.tool import Tool, described_by

if TYPE_CHECKING:
    from click import Command

Result = TypeVar("Result")
Loaded = tuple[Contribution | PluginError, float]
"""The result of loading a plugin, and how many seconds it took."""

LOAD_SECONDS = IMPORT_SECONDS
_NAP_SECONDS = 0.04  # after which an idle import is waiting for something, and the next one can start
_SLOW = "Move slow work out of its import, or disable it with plugins.disabled in config.yaml."
_SLOW_AT_START = f"{_SLOW} A plugin that needs longer can get it with plugins.import_seconds."


def load(candidate: Candidate, *, seconds: float = LOAD_SECONDS) -> Contribution:
    """Import a plugin in a thread that may be idle for this many seconds, and collect its contribution."""
    return _Import(candidate, functools.partial(collect, candidate), seconds).result()


def run_in_thread(candidate: Candidate, work: Callable[[], Result]) -> tuple[Result | PluginError, float]:
    """Run code of a plugin like `load`, and measure the time."""
    return _Import(candidate, work, LOAD_SECONDS).outcome()


def load_commands(candidate: Candidate, contribution: Contribution) -> Mapping[str, Command]:
    """Collect the commands of an imported plugin, like `load`."""
    return _Import(candidate, lambda: collect_commands(contribution.implementations), LOAD_SECONDS).result()


def load_tool(candidate: Candidate, source: str, entries: Mapping[str, Mapping[str, Any]]) -> Tool:
    """Import the module of one tool, from `module:name`. `entries` are those of the plugin's manifest, by source."""

    def find() -> Tool:
        module, _, name = source.partition(":")
        with described_by(entries):
            found = getattr(import_module(module), name, None)
        if not isinstance(found, Tool):
            raise PluginError(f"there is no tool at {source}.")
        return found

    return _Import(candidate, find, LOAD_SECONDS).result()


def load_all(candidates: Mapping[Candidate, bool], seconds: float) -> dict[Candidate, Loaded]:
    """Load plugins while a host starts: in parallel, and without those that would block or end the process.

    `candidates` contains whether to collect the commands of each plugin; `seconds` limits each import.
    """
    from hermes_core.plugins.import_errors import FIX
    from hermes_core.plugins.import_probe import ENDED, find_hanging

    hanging = find_hanging(tuple(candidates), seconds)
    loaded: dict[Candidate, Loaded] = {}
    for candidate, why in hanging.items():
        loaded[candidate] = _give_up(candidate, why, FIX if why == ENDED else _SLOW_AT_START), seconds
    imports: dict[Candidate, _Import[Contribution]] = {}
    for candidate, commands in candidates.items():
        if candidate not in hanging:
            imports[candidate] = _Import(candidate, functools.partial(collect, candidate, commands=commands), seconds)
            imports[candidate].wait_while_busy()
    return loaded | {candidate: each.outcome() for candidate, each in imports.items()}


class _Import(Generic[Result]):
    def __init__(self, candidate: Candidate, work: Callable[[], Result], seconds: float) -> None:
        self._candidate = candidate
        self._work = work
        self._result: list[Result | PluginError] = []
        self._context = contextvars.copy_context()
        self._started = time.perf_counter()
        self._seconds = 0.0
        self._thread = threading.Thread(target=self._run, name=f"hermes-load-{candidate.name}", daemon=True)
        self._thread.start()
        self._limit = ImportLimit(self._thread.native_id, seconds)

    def _run(self) -> None:
        try:
            result: Result | PluginError = self._context.run(self._work)
        except BaseException as error:  # foreign code: a plugin may even call sys.exit() while it is imported
            from hermes_core.plugins.import_errors import explain

            result = explain(self._candidate, error)
        self._seconds = time.perf_counter() - self._started
        self._result.append(result)

    def wait_while_busy(self) -> None:
        """Wait until it finishes or sleeps, so that the next import can start."""
        effort = Effort(self._thread.native_id)
        while effort.idle < _NAP_SECONDS and not self._limit.exceeded():
            self._thread.join(_NAP_SECONDS / 2)
            if not self._thread.is_alive():
                return
            effort.look()

    def outcome(self) -> tuple[Result | PluginError, float]:
        """Wait until it finishes, and return its result and duration."""
        exceeded = ""
        while self._thread.is_alive() and not exceeded:
            self._thread.join(self._limit.interval)
            exceeded = self._limit.exceeded() if self._thread.is_alive() else ""
        if self._result:
            return self._result[0], self._seconds
        from hermes_core.plugins.import_errors import place_of_thread

        reason = f"it was still loading after {exceeded}{place_of_thread(self._thread.ident)}"
        return _give_up(self._candidate, reason, _SLOW), time.perf_counter() - self._started

    def result(self) -> Result:
        """Wait until it finishes, and return its result or raise its `PluginError`."""
        result, _ = self.outcome()
        if isinstance(result, PluginError):
            raise result
        return result


def _give_up(candidate: Candidate, reason: str, remedy: str) -> PluginError:
    return PluginError(f"{reason}.", plugin=candidate.name, distribution=candidate.distribution, remedy=remedy)
