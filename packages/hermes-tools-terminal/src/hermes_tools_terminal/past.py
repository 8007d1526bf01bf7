"""What earlier commands may have left in a task's shell: a command means what they have made of its words.

The guard reads one text. A function, an alias or a script from an earlier command is not in it; so what may have left
such things behind is read in front of the command, and what comes of both together is asked about.
"""

from __future__ import annotations

import re
from collections import deque

MOST_KEPT = 6_000
"""Characters of earlier commands that are read again: more than most sessions define, and read in milliseconds."""

# What changes a shell, or writes what can be run later. Where a shell is, it says itself.
_LEAVING = re.compile(
    r"\(\s*\)|>(?!&|\s*/dev/null)|(?:^|[\s;&|(])(?:\w+(?:\[[^\]]*\])?\+?=|\.\s)"
    r"|\b(?:function|alias|hash|set|shopt|declare|typeset|readonly|export|read|mapfile|readarray|printf\s+-v|eval|source"
    r"|coproc|enable|trap|history|cp|mv|ln|install|tee|dd|curl|wget|pushd|unset|let)\b"
)


class Past:
    """The commands of one task that may matter for the next.

    Attributes:
        version: Grows with every command that was run.
    """

    def __init__(self) -> None:
        self.version = 0
        self._texts: deque[str] = deque()
        self._size = 0

    @property
    def text(self) -> str:
        """What is read in front of the next command."""
        return "\n".join(self._texts)

    def add(self, command: str) -> None:
        """Take note of a command that was run; the oldest are forgotten."""
        self.version += 1
        if not _LEAVING.search(command) or (self._texts and self._texts[-1] == command):
            return
        self._texts.append(command)
        self._size += len(command)
        while self._size > MOST_KEPT and len(self._texts) > 1:
            self._size -= len(self._texts.popleft())
        if self._size > MOST_KEPT:  # one that is longer than all may be: nobody can read it again
            self._texts.clear()
            self._size = 0
