"""Lines out of a file: long ones are cut while they are read."""

from __future__ import annotations

import os

from hermes_tools_terminal.files.local.scanning import PIECE, pieces

_FIRST = 1 << 16
"""How much is read at first: mostly all that was asked for."""


class LineReader:
    """Collects some lines.

    Args:
        handle: The file.
        place: Where the first line starts.
        end: Where the file ends.
        number: The first line's number.
        longest: How many bytes of each line are kept.

    Attributes:
        place: Where the next line starts.
        number: The next line's number.
        cut: The lines that were cut: number to real size.
    """

    def __init__(self, handle: int, place: int, end: int, number: int, longest: int) -> None:
        self.place = place
        self.number = number
        self.cut: dict[int, int] = {}
        self._handle = handle
        self._end = end
        self._longest = longest
        self._kept: list[bytes] = []

    def collect(self, count: int) -> bytes:
        """The next lines, or as many as there are."""
        size, until = _FIRST, self.number + count
        while self.number < until and self.place < self._end:
            piece = os.pread(self._handle, min(size, self._end - self.place), self.place)
            if not piece:
                break
            lines = piece.split(b"\n", until - self.number)
            rest = lines.pop()
            if lines:
                self._add(piece, lines, len(piece) - len(rest))
            else:
                self._add_long()
            size = PIECE
        return b"".join(self._kept)

    def _add(self, piece: bytes, lines: list[bytes], used: int) -> None:
        """Keep whole lines; what is left of the piece is read again with the next one."""
        if _all_short(piece, used, self._longest):
            self._kept.append(piece[:used])
        else:
            for number, line in enumerate(lines, self.number):
                if len(line) > self._longest:
                    self.cut[number] = len(line)
                self._kept += (line[: self._longest], b"\n")
        self.place += used
        self.number += len(lines)

    def _add_long(self) -> None:
        """Keep the start of a line that goes on behind the piece, or ends with the file."""
        size = kept = 0
        for piece in pieces(self._handle, self.place, self._end):
            stop = piece.find(b"\n")
            part = piece if stop < 0 else piece[:stop]
            if kept < self._longest:
                self._kept.append(part[: self._longest - kept])
                kept += len(self._kept[-1])
            size += len(part)
            if stop >= 0:
                self._kept.append(b"\n")
                self.place += 1
                break
        if size > self._longest:
            self.cut[self.number] = size
        self.place += size
        self.number += 1


def _all_short(piece: bytes, end: int, longest: int) -> bool:
    """Whether no line before a line's end is longer than that: all that end within such a stretch are not."""
    place = 0
    while place < end:
        place = piece.rfind(b"\n", place, place + longest + 1) + 1
        if not place:
            return False
    return True
