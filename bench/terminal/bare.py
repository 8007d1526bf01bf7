"""The same things done by hand: a shell behind a pipe, and nothing around it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence


class BareShell:
    """A shell that stays, with the least that tells where an answer ends.

    Args:
        argv: What starts it.
    """

    def __init__(self, argv: Sequence[str]) -> None:
        self._child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def run(self, command: str) -> bytes:
        """Run a command; what it printed."""
        stdin, stdout = self._child.stdin, self._child.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{command}\necho :END:\n".encode())
        said = b""
        while not said.endswith(b":END:\n"):
            said += stdout.read(65_536)
        return said[: -len(b":END:\n")]

    def close(self) -> None:
        """End it."""
        self._child.kill()
        self._child.communicate()
