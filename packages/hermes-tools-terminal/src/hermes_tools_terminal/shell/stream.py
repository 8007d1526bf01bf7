"""Tells a shell's marks from what its commands print, in a stream that comes in pieces of any size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hermes_tools_terminal.shell.dialect import MARK, PART

_SIGN = MARK.encode()

_MOST_STATE = 4_000_000
"""How much a shell may say about itself when it ends."""

_MOST_MARK = 65_536
"""How long a mark may be: the name of a folder is all that is long in it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a shell said between the lines.

    Attributes:
        kind: `home` when it has told where that is; `begin` and `end` of a command; `exit` of the shell, `closed` when
            a command's own trap wanted that; `gone` when it has said all.
        status: How it ended.
        folder: Where the shell is.
        token: Which command it is about, at an end.
    """

    kind: str
    status: int = 0
    folder: str = ""
    token: str = ""


Output = Callable[[bytes | bytearray, int, int], None]
"""Gets a part of something: from where to where."""


class MarkReader:
    """Splits what comes into output and marks.

    Args:
        mark: How marks begin.
        output: Gets what the commands print.
    """

    __slots__ = ("_held", "_mark", "_output", "_state", "farewell", "home")

    def __init__(self, mark: bytes, output: Output) -> None:
        self._mark = mark
        self._output = output
        self._held = b""
        self._state: bytearray | None = None
        self.farewell = ""
        self.home = ""

    def direct(self, output: Output) -> None:
        """Give what comes from now on to somebody else."""
        self._output = output

    def feed(self, data: bytes | bytearray, size: int | None = None) -> list[Mark]:
        """Take some bytes, the first ones of a buffer; the marks that were in them."""
        size = len(data) if size is None else size
        if self._held:
            data, self._held = self._held + data[:size], b""
            size = len(data)
        found: list[Mark] = []
        start = 0
        if data.find(_SIGN, 0, size) < 0:  # looking for one byte is many times faster than for a word
            self._print(data, 0, size)
            return found
        while (at := data.find(self._mark, start, size)) >= 0:
            self._print(data, start, at)
            end = data.find(_SIGN, at + len(self._mark), size)
            if end < 0:
                if size - at <= _MOST_MARK:
                    self._held = bytes(data[at:size])
                else:  # a command has found out how marks begin
                    self._print(data, at, size)
                return found
            found.append(self._read(bytes(data[at + len(self._mark) : end])))
            start = end + 1
            if start == size:  # a mark is the last that comes, most of the time
                return found
        kept = self._beginning(data, start, size)
        self._held = bytes(data[size - kept : size])
        self._print(data, start, size - kept)
        return found

    def _beginning(self, data: bytes | bytearray, start: int, size: int) -> int:
        """How many bytes at the end may be the beginning of a mark."""
        at = data.rfind(self._mark[:1], max(start, size - len(self._mark) + 1), size)
        return size - at if at >= 0 and self._mark.startswith(data[at:size]) else 0

    def _print(self, data: bytes | bytearray, start: int, end: int) -> None:
        if start >= end:
            return
        if self._state is None:
            self._output(data, start, end)
        elif len(self._state) < _MOST_STATE:
            self._state += data[start:end]

    def _read(self, body: bytes) -> Mark:
        kind, *rest = body.decode("utf-8", "surrogateescape").split(PART)
        if kind == "gone":
            self.farewell = bytes(self._state or b"").decode("utf-8", "surrogateescape")
            self._state = None
            return Mark(kind)
        if kind == "home":
            self.home = rest[0] if rest else ""
        elif kind not in ("begin", "end"):
            self._state = bytearray()
        token = rest.pop(0) if kind == "end" and rest else ""
        status = rest[0] if rest else ""
        return Mark(kind, int(status) if status.isdecimal() else 0, PART.join(rest[1:]), token)
