"""Imports a plugin in isolation, whatever it does: raise, exit, hang, or return nonsense."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import TypeVar

from hermes_core.errors import PluginError
from hermes_core.plugins.candidate import Candidate
from hermes_core.plugins.contribution import Contribution, collect
from hermes_core.thread_effort import ImportLimit
from hermes_core.tools.tool import Tool

Result = TypeVar("Result")

LOAD_SECONDS = 10.0
"""How long a plugin that is imported and registered may be idle: a hung one must not take the others along.

It may compute for three times and take six times as long. The time that it queues for a processor does not count.
"""


def load(candidate: Candidate, *, seconds: float | None = None) -> Contribution:
    """Import a plugin and ask what it brings, in a thread of its own and within limits.

    Args:
        candidate: The plugin.
        seconds: How long it may be idle; `LOAD_SECONDS` when not given.

    Raises:
        PluginError: whatever it did instead: raised, exited, hung, or returned nonsense.
    """
    return _run(candidate, lambda: collect(candidate), seconds)


def load_tool(candidate: Candidate, source: str) -> Tool:
    """Import the module that declares one tool of a plugin, as `load` does.

    Args:
        candidate: The plugin.
        source: Where the tool is, as `module:name`.

    Raises:
        PluginError: whatever it did instead, or there is no tool of that name.
    """

    def find() -> Tool:
        module, _, name = source.partition(":")
        found = getattr(import_module(module), name, None)
        if not isinstance(found, Tool):
            raise PluginError(f"there is no tool at {source}.")
        return found

    return _run(candidate, find, None)


def _run(candidate: Candidate, work: Callable[[], Result], seconds: float | None) -> Result:
    """Run code of a plugin in a thread of its own and within limits."""
    seconds = LOAD_SECONDS if seconds is None else seconds
    outcome: list[Result | PluginError] = []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            outcome.append(context.run(work))
        except PluginError as error:
            outcome.append(error if error.plugin else _named(candidate, error))
        except BaseException as error:  # foreign code: a plugin may even call sys.exit() while it is imported
            from hermes_core.plugins.explaining import explain

            outcome.append(explain(candidate, error))

    thread = threading.Thread(target=run, name=f"hermes-load-{candidate.name}", daemon=True)
    thread.start()
    exceeded = _wait(thread, seconds)
    if not outcome:
        from hermes_core.plugins.explaining import place_of_thread

        raise PluginError(
            f"it was still loading after {exceeded}{place_of_thread(thread.ident)}.",
            plugin=candidate.name,
            distribution=candidate.distribution,
            remedy="Move slow work out of its import, or disable it with plugins.disabled in config.yaml.",
        )
    if isinstance(outcome[0], PluginError):
        raise outcome[0]
    return outcome[0]


def _wait(thread: threading.Thread, seconds: float) -> str:
    """Wait until a thread has ended or has passed a limit, and name that limit."""
    limit = ImportLimit(thread.native_id, seconds)
    while True:
        thread.join(limit.interval)
        if not thread.is_alive():
            return ""
        if exceeded := limit.exceeded():
            return exceeded


def _named(candidate: Candidate, error: PluginError) -> PluginError:
    """An error that does not know whose it is, with the plugin's name."""
    return PluginError(
        error.reason, plugin=candidate.name, distribution=candidate.distribution, remedy=error.remedy
    ).with_traceback(error.__traceback__)


def timed_load(candidate: Candidate, *, seconds: float | None = None) -> tuple[Contribution | PluginError, float]:
    """Load a plugin, and say how long that took."""
    started = time.perf_counter()
    result: Contribution | PluginError
    try:
        result = load(candidate, seconds=seconds)
    except PluginError as error:
        result = error
    return result, time.perf_counter() - started
