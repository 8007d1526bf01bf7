"""The last of what a process printed."""

from __future__ import annotations

from hermes_tools_terminal.shell.output import readable

KEPT_CHARACTERS = 200_000
_KEPT_BYTES = KEPT_CHARACTERS * 4


class Ring:
    """Takes bytes, keeps the last of them, and remembers how many lines were let go."""

    __slots__ = ("_data", "lines_gone", "size")

    def __init__(self) -> None:
        self._data = bytearray()
        self.size = 0
        self.lines_gone = 0

    def add(self, data: bytes) -> None:
        """Take some more; room is made in big steps, so that every byte is moved only a few times."""
        self.size += len(data)
        self._data += data
        if len(self._data) > 2 * _KEPT_BYTES:
            gone = len(self._data) - _KEPT_BYTES
            self.lines_gone += self._data.count(b"\n", 0, gone)
            del self._data[:gone]

    def text(self) -> str:
        """What is kept, readable."""
        return readable(bytes(self._data))[-KEPT_CHARACTERS:]

    def tail(self, characters: int) -> str:
        """The last characters."""
        return readable(bytes(self._data[-4 * characters :]))[-characters:]

    def lines(self) -> list[str]:
        """What is kept, line by line."""
        return self.text().splitlines()
