"""What the guard knows of the shell of a task: the state that the commands so far have left."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_guard import ShellState

_INHERITED = frozenset({"LOGNAME", "PATH", "SHELL", "TMPDIR", "USER"})
"""Variables that a shell inherits and whose values the guard is told; others may hold secrets."""


class ShellHistory:
    """The state of one task's shell, from its first command to the session's end.

    Args:
        environment: Variables that its shells inherit.
        home: The home of the user there; none when it is not known.

    Attributes:
        version: Grows with every command and every change of a file.
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
        """What earlier commands have left. The guard is loaded when it is first asked for."""
        with self._lock:
            if self._state is None:
                from hermes_guard import ShellState

                self._state = ShellState(self._environment)
            return self._state

    def ran(self, command: str, *, cwd: str, after: ShellState | None = None, version: int = -1) -> None:
        """Record that a command ran in the shell.

        Args:
            command: The command.
            cwd: Where it ran.
            after: The state that it leaves, if it was judged before; it counts when nothing has come between.
            version: The version at that time.
        """
        with self._lock:
            left = after if after is not None and version == self.version else self._after(command, cwd)
            if left is not self._state:
                self._state = left.kept()  # whether an `exec` has replaced the shell, the shell itself tells
            self._new = False
            self.version += 1

    def record_parallel_command(self, command: str, *, cwd: str) -> None:
        """Record that a command ran in another shell, which shares only the files."""
        with self._lock:
            self._state = self.state.beside(self._after(command, cwd))
            self.version += 1

    def wrote(self, path: str, text: str | None) -> None:
        """Record a file that a tool wrote; without its text when that is not known."""
        with self._lock:
            self._state = self.state.written(path, text)
            self.version += 1

    def restarted(self) -> None:
        """Record that a new shell takes the place of one that has told nothing about itself."""
        with self._lock:
            if self._state is not None and not self._new:
                self._state = self._state.restarted(self._environment)
            self._new = True

    def _after(self, command: str, cwd: str) -> ShellState:
        return self.state.after(command, cwd=cwd or None, home=self.home or None)
