"""The scripts of one session that run at the moment, so that somebody else can end them."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_tools_terminal.shell.conversation import Watch

if TYPE_CHECKING:
    from hermes_tools_terminal.scripts.here import HereRun
    from hermes_tools_terminal.scripts.there import ThereRun


class Scripts:
    """Who can be interrupted, and what ends with the session."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._running: list[tuple[str, Watch, HereRun | ThereRun]] = []

    @property
    def foreign(self) -> bool:
        """Whether they belong to the process that this one was forked from."""
        return self._process != os.getpid()

    @contextlib.contextmanager
    def running(self, task: str, run: HereRun | ThereRun) -> Iterator[Watch]:
        """Have a script known while it runs; what it is watched by."""
        watch = Watch()
        entry = (task, watch, run)
        with self._lock:
            self._running.append(entry)
        try:
            yield watch
        finally:
            with self._lock:
                self._running = [each for each in self._running if each is not entry]

    def interrupt(self, task: str | None = None) -> bool:
        """End the scripts of a task, or all; whether there were any."""
        found = [watch for name, watch, _ in self._running if task is None or name == task]
        for watch in found:
            watch.stop()
        return bool(found)

    def close(self) -> None:
        """End all scripts now. Never raises."""
        if self.foreign:
            return
        for _, watch, run in self._running:
            watch.stop()
            run.end()
