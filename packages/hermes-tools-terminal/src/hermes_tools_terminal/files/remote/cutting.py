"""Lines that are too long for anybody to read are cut while they arrive, so that none is ever held as a whole."""

from __future__ import annotations


class Cutter:
    """Takes a file's bytes from the beginning of a line on, piece by piece.

    Args:
        first: The number of the first line.
        count: How many lines are wanted.
        longest: How many bytes of each.

    Attributes:
        cut: How many bytes each cut line has, by its number.
    """

    def __init__(self, first: int, count: int, longest: int) -> None:
        self.cut: dict[int, int] = {}
        self._number = first
        self._end = first + count
        self._longest = longest
        self._kept = bytearray()
        self._size = 0
        """How many bytes of the line that has begun were seen."""

    @property
    def data(self) -> bytes:
        """What is left of all lines, line ends included."""
        return bytes(self._kept)

    @property
    def wanted(self) -> int:
        """How many lines are still to come, the one that has begun included."""
        return self._end - self._number

    @property
    def in_excess(self) -> bool:
        """Whether the line that has begun is too long already: all that matters of the rest of it is its size."""
        return self._size > self._longest

    def feed(self, piece: bytes) -> None:
        """Take some more bytes."""
        at = 0
        while at < len(piece) and self.wanted:
            end = piece.find(b"\n", at)
            stop = end if end >= 0 else len(piece)
            room = max(0, self._longest - self._size)
            self._kept += piece[at : min(stop, at + room)]
            self._size += stop - at
            at = stop + 1
            if end >= 0:
                self._close(b"\n")

    def skip(self, size: int, *, ended: bool) -> None:
        """Take note of bytes of a line in excess that nobody sent.

        Args:
            size: How many, line end excluded.
            ended: Whether its line end was among them.
        """
        self._size += size
        if ended:
            self._close(b"\n")

    def finish(self) -> None:
        """The file is over: a line that has begun is its last one."""
        if self._size:
            self._close(b"")

    def _close(self, end: bytes) -> None:
        if self.in_excess:
            self.cut[self._number] = self._size
        self._kept += end
        self._number += 1
        self._size = 0
