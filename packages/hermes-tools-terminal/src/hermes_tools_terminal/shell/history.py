"""The state of a task's shell, as the guard knows it from its commands."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_guard import ShellState

_INHERITED = frozenset({"LOGNAME", "PATH", "SHELL", "TMPDIR", "USER"})
"""Variables whose values the guard gets; others may contain secrets."""


class ShellHistory:
    """The state of one task's shell, from its first command to the session's end.

    Attributes:
        version: Increases with every command and every file change.
    """

    def __init__(self, environment: Mapping[str, str], home: str) -> None:
        self.version = 0
        self.home = home
        self._environment = {name: value for name, value in environment.items() if name in _INHERITED}
        self._state: ShellState | None = None
        self._new = True
        self._lock = threading.RLock()

    @property
    def state(self) -> ShellState:
        """Return the state after earlier commands. The guard is loaded on first use."""
        with self._lock:
            if self._state is None:
                from hermes_guard import ShellState

                self._state = ShellState(self._environment)
            return self._state

    def ran(self, command: str, *, cwd: str, after: ShellState | None = None, version: int = -1) -> None:
        """Record that a command ran in the shell.

        Args:
            command: The command.
            cwd: Its working directory.
            after: The state after it, if it was assessed before; used only if the version is unchanged.
            version: The version at that time.
        """
        with self._lock:
            left = after if after is not None and version == self.version else self._after(command, cwd)
            if left is not self._state:
                self._state = left.after_failed_exec()  # the shell reports whether an `exec` has replaced it
            self._new = False
            self.version += 1

    def record_parallel_command(self, command: str, *, cwd: str) -> None:
        """Record a command in another shell, which shares only the files."""
        with self._lock:
            self._state = self.state.beside(self._after(command, cwd))
            self.version += 1

    def wrote(self, path: str, text: str | None) -> None:
        """Record a file that a tool wrote; without its text when that is unknown."""
        with self._lock:
            self._state = self.state.after_write(path, text)
            self.version += 1

    def restarted(self) -> None:
        """Record that a new shell replaces one that did not report its state."""
        with self._lock:
            if self._state is not None and not self._new:
                self._state = self._state.restarted(self._environment)
            self._new = True

    def _after(self, command: str, cwd: str) -> ShellState:
        return self.state.after(command, cwd=cwd or None, home=self.home or None)
