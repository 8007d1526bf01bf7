"""Runs availability checks: foreign code, each in a thread of its own and under a deadline."""

from __future__ import annotations

import inspect
import sys
import threading
import time
from collections.abc import Callable, Sequence

from hermes_core.errors import ToolUnavailableError, describe_error
from hermes_core.thread_effort import Grace
from hermes_core.tools.gates import YES, Verdict, unavailable


class RunningCheck:
    """A check that is being asked.

    Attributes:
        verdict: Its answer; None before it is there.
        waited: The longest time that somebody was ready to wait for it.
    """

    def __init__(self, ask: Callable[[], Verdict]) -> None:
        self.verdict: Verdict | None = None
        self.waited = 0.0
        self._ask = ask
        self._modules = len(sys.modules)
        self._thread = threading.Thread(target=self._run, name="hermes-check", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.verdict = self._ask()

    def join(self, seconds: float) -> None:
        """Wait for the answer."""
        self._thread.join(seconds)

    def grace(self, seconds: float) -> Grace:
        """Return what decides how much longer than these seconds it may take on a busy machine."""
        return Grace(seconds, lambda: self._thread.native_id, self._modules)


def wait_for(runs: Sequence[RunningCheck], seconds: float) -> None:
    """Wait for checks together. What was waited for in vain before is waited for no longer than then."""
    waiting = [run for run in runs if run.waited < seconds]
    end = time.monotonic() + seconds
    for run in waiting:
        run.join(max(0.0, end - time.monotonic()))
        run.waited = round(seconds, 2)
    late = [(run, run.grace(seconds)) for run in waiting if run.verdict is None]
    while late := [(run, grace) for run, grace in late if run.verdict is None and grace.more()]:
        late[0][0].join(min(1.0, seconds / 4))


def run_check(check: Callable[[], object]) -> Verdict:
    try:
        return _judge(check, check())
    except ToolUnavailableError as error:
        return unavailable(error.message, error.hint or "")
    except BaseException as error:  # foreign code: even sys.exit() only means "not available"
        return unavailable(f"its check failed: {describe_error(error)}")


def _judge(check: Callable[[], object], answer: object) -> Verdict:
    if inspect.iscoroutine(answer):
        answer.close()
        return unavailable("its check is async, but checks are plain functions", "Write the check without `async`.")
    if isinstance(answer, Verdict):
        return answer
    if answer:
        return YES
    about = (inspect.getdoc(check) or "").strip().splitlines()
    name = getattr(check, "__name__", type(check).__name__)
    said = f" ({about[0]})" if about and not name.startswith("<") else ""
    return unavailable(f"its check {name} says no{said}")
