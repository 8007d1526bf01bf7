"""Distinguishes a hanging thread from one that is slow because the machine is busy, so that deadlines are fair."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable

_WORKING_SHARE = 0.1  # of an interval that a working thread runs or waits for a processor
_LOOKS = 20  # how often an import is checked during its limit for being idle
IMPORT_SECONDS = 10.0
"""How long an import may be idle.

It may compute for three times and last six times as long, not counting time to wait for a processor.
"""

_RUN_LIMIT, _TOTAL_LIMIT = 3, 6

_HELD_UP_SHARE = 0.01  # a thread that waited less for a processor was not delayed by others
_MAX_GRACE_SECONDS = 300.0  # the longest extension of a deadline


def read_times(native_id: int | None, process: int | str = "self") -> tuple[float, float | None]:
    """Return how many seconds a thread has run, and waited for a processor; None if waits are not known."""
    try:
        with open(f"/proc/{process}/task/{native_id}/schedstat", "rb", buffering=0) as file:
            ran, queued = file.read(100).split()[:2]
            return int(ran) / 1e9, int(queued) / 1e9
    except (OSError, ValueError):
        return time.process_time(), None


def _is_runnable(native_id: int | None, process: int | str = "self") -> bool:
    """Return True if a thread runs or waits for a processor now; the kernel counts that wait only when it ends."""
    try:
        with open(f"/proc/{process}/task/{native_id}/stat", "rb", buffering=0) as file:
            return file.read(200).rpartition(b") ")[2].startswith(b"R")
    except OSError:
        return False


def _queued(seconds: float, before: float | None, after: float | None) -> float:
    """Return how many of these seconds a thread waited for a processor; estimated from the load if not counted."""
    if before is not None and after is not None:
        return min(seconds, max(0.0, after - before))
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        return 0.0
    return seconds * max(0.0, 1 - (os.cpu_count() or 1) / load) if load > 0 else 0.0


def is_excused(seconds: float, limit: float) -> bool:
    """Return True for code of this thread that took too long because the machine was busy, generously estimated."""
    _, queued = read_times(threading.get_native_id())
    return seconds - _queued(seconds, 0.0, queued) <= limit


class Effort:
    """The progress of a thread, or a process with one thread, in seconds without waiting for a processor.

    `idle` is the time since it last worked or imported something, `ran` its processor time, `total` the time since the
    beginning.
    """

    def __init__(self, native_id: int | None, process: int | str = "self") -> None:
        self._thread = native_id, process
        self._began = self._at = self._ran_at = time.monotonic()
        self._ran, self._queued = read_times(*self._thread)
        self._queued_before = self._queued
        self._modules = len(sys.modules)
        self.idle = self.ran = self.total = 0.0

    def look(self) -> Effort:
        """Update the attributes."""
        now, modules, is_runnable = time.monotonic(), len(sys.modules), _is_runnable(*self._thread)
        ran_before, queued_before = self._ran, self._queued
        self._ran, self._queued = read_times(*self._thread)
        passed, taken = now - self._at, now - self._began
        ran, queued = max(0.0, self._ran - ran_before), _queued(passed, queued_before, self._queued)
        works = is_runnable or ran + queued >= passed * _WORKING_SHARE or modules != self._modules
        self._at, self._modules = now, modules
        self._ran_at = now if ran else self._ran_at
        # The kernel counts a wait only when it ends.
        queues_now = now - self._ran_at if is_runnable and self._queued is not None else 0.0
        self.total = max(0.0, taken - _queued(taken, self._queued_before, self._queued) - queues_now)
        self.ran += ran
        self.idle = 0.0 if works else self.idle + passed - queued
        return self


class ImportLimit:
    """Limits how long a thread may import: generously while it makes progress."""

    def __init__(self, native_id: int | None, seconds: float) -> None:
        self._effort = Effort(native_id)
        self._seconds = seconds
        self.interval = seconds / _LOOKS

    def exceeded(self) -> str:
        """Describe the limit that the thread has exceeded; empty if there is none."""
        effort, seconds = self._effort.look(), self._seconds
        if effort.idle >= seconds:
            return f"{seconds:g} s without progress"
        if effort.ran >= seconds * _RUN_LIMIT:
            return f"{seconds * _RUN_LIMIT:g} s of processor time"
        if effort.total >= seconds * _TOTAL_LIMIT:
            return f"{seconds * _TOTAL_LIMIT:g} s"
        return ""


def is_importing(native_id: int | None) -> bool:
    """Return True if a thread is inside of an import statement."""
    ident = next((thread.ident for thread in threading.enumerate() if thread.native_id == native_id), None)
    frame = sys._current_frames().get(ident or 0)
    while frame is not None:
        if frame.f_code.co_name == "_find_and_load" and frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


class Grace:
    """Extends a deadline: code gets the time back that it waited for a processor, and all of it again after an import.

    Args:
        seconds: The deadline.
        thread: Returns the native id of the thread that runs the code; None before it starts.
        modules: The number of modules when the code began.
        ran: The processor time of the thread when the code began; None if it runs other code, too.
        counts_load: Whether waiting for a processor counts against the deadline.
    """

    def __init__(
        self,
        seconds: float,
        thread: Callable[[], int | None],
        modules: int,
        ran: float | None = 0.0,
        *,
        counts_load: bool = False,
    ) -> None:
        self._seconds = self._passed = seconds
        self._thread = thread
        self._modules = modules
        self._ran = ran
        self._counts_load = counts_load
        self._interval = min(1.0, seconds / 4)
        self._end = time.monotonic() + _MAX_GRACE_SECONDS
        self._until = 0.0
        self._queued: float | None = 0.0  # initially, all waits of the thread count
        self._imports: ImportLimit | None = None

    def more(self) -> float:
        """Return how many seconds to wait before asking again; 0 if the time is over."""
        now = time.monotonic()
        if now >= self._until:
            native_id = self._thread()
            overshot = now - self._until if self._until else 0.0
            self._passed = self._interval if native_id is None else self._extend(native_id, overshot)
            self._until = now + self._passed
        return max(0.0, min(self._until, self._end) - now)

    def _extend(self, native_id: int, overshot: float) -> float:
        modules, before = len(sys.modules), self._modules
        ran, queued = read_times(native_id)
        # A caller that looks too late has already given the code more time.
        held_up = min(self._passed, max(0.0, _queued(self._passed + overshot, self._queued, queued) - overshot))
        self._modules, self._queued = modules, queued
        if is_importing(native_id):
            self._imports = self._imports or ImportLimit(native_id, IMPORT_SECONDS)
            if not self._imports.exceeded():
                return self._interval
        elif modules != before or self._imports is not None:
            self._imports, self._ran = None, None if self._ran is None else ran
            return self._seconds
        if self._counts_load:
            return 0.0
        if self._ran is not None and ran - self._ran < self._seconds and _is_runnable(native_id):
            return max(held_up, self._interval)  # the kernel counts a wait only when it ends
        return held_up if held_up >= self._seconds * _HELD_UP_SHARE else 0.0
