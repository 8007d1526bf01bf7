"""The last of what a process printed."""

from __future__ import annotations

import threading

from hermes_tools_terminal.shell.output import readable

KEPT_CHARACTERS = 200_000
_KEPT_BYTES = KEPT_CHARACTERS * 4


class Ring:
    """Takes bytes from one thread, keeps the last of them for others, and remembers how many lines were let go."""

    __slots__ = ("_data", "_lines_gone", "_lock", "size")

    def __init__(self) -> None:
        self._data = bytearray()
        self._lines_gone = 0
        self._lock = threading.Lock()
        self.size = 0

    def add(self, data: bytes) -> None:
        """Take some more; room is made in big steps, so that every byte is moved only a few times."""
        with self._lock:
            self.size += len(data)
            self._data += data
            if len(self._data) > 2 * _KEPT_BYTES:
                gone = len(self._data) - _KEPT_BYTES
                self._lines_gone += self._data.count(b"\n", 0, gone)
                del self._data[:gone]

    def text(self) -> str:
        """What is kept, readable."""
        return readable(self._last(None))[-KEPT_CHARACTERS:]

    def tail(self, characters: int) -> str:
        """The last characters."""
        return readable(self._last(4 * characters))[-characters:]

    def lines(self) -> tuple[int, list[str]]:
        """How many lines are not kept any more, and those that are; of the first, the end may be all that is left."""
        with self._lock:
            gone, data = self._lines_gone, bytes(self._data)
        text = readable(data)
        cut = max(0, len(text) - KEPT_CHARACTERS)
        kept = text[cut:].split("\n")
        if not kept[-1]:
            kept.pop()
        return gone + text.count("\n", 0, cut), kept

    def _last(self, size: int | None) -> bytes:
        """The last bytes, from the beginning of a character on."""
        with self._lock:
            data = bytes(self._data if size is None else self._data[-size:])
        if len(data) < self.size:
            start = next((index for index, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0)
            return data[start:]
        return data
