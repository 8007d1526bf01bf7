"""What a command prints, kept while it streams: its beginning and its end, never the whole."""

from __future__ import annotations

import re
from collections import deque

HEAD_SHARE = 0.4
"""How much of the room belongs to the beginning; errors stand at the end, so the end gets more."""

MAX_BYTES_PER_CHARACTER = 4

# Texts for the terminal itself, such as its title, are left out only when they have an end: without one, all that
# follows would go with them.
_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])"
    r"|[\x9b][0-?]*[ -/]*[@-~]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class Capture:
    """Takes bytes as they come, and holds on to as many as will be shown.

    Args:
        limit: How many characters are shown at most.
    """

    __slots__ = ("_head", "_head_room", "_tail", "_tail_held", "_tail_room", "limit", "size")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self._head = bytearray()
        self._head_room = int(limit * HEAD_SHARE) * MAX_BYTES_PER_CHARACTER
        self._tail: deque[bytes] = deque()
        self._tail_held = 0
        self._tail_room = (limit - int(limit * HEAD_SHARE)) * MAX_BYTES_PER_CHARACTER

    def add(self, data: bytes | bytearray, start: int = 0, end: int | None = None) -> None:
        """Take some more: a part of something that may be used again, so only what is kept is copied."""
        end = len(data) if end is None else end
        self.size += end - start
        if (room := self._head_room - len(self._head)) > 0:
            self._head += data[start : min(end, start + room)]
            start += room
        if start >= end:
            return
        kept = bytes(data[max(start, end - self._tail_room) : end])
        self._tail.append(kept)
        self._tail_held += len(kept)
        while self._tail_held - len(self._tail[0]) >= self._tail_room:
            self._tail_held -= len(self._tail.popleft())

    def text(self) -> str:
        """What was printed, readable; with a notice in the middle when that is not all."""
        if not self.size:
            return ""
        tail = b"".join(self._tail)
        lost = self.size - len(self._head) - len(tail)
        if not lost:
            return truncate(readable(bytes(self._head) + tail), self.limit)
        head_room = int(self.limit * HEAD_SHARE)
        head, end = readable(bytes(self._head))[:head_room], readable(tail)[-(self.limit - head_room) :]
        lost = max(lost, self.size - len(head.encode(errors="replace")) - len(end.encode(errors="replace")))
        return f"{head}\n\n{notice(lost, self.size, 'bytes')}\n\n{end}"

    def raw(self) -> str:
        """What was printed as it is; no text when that is not all."""
        data = bytes(self._head) + b"".join(self._tail)
        return data.decode("utf-8", "surrogateescape") if len(data) == self.size else ""

    def last(self, size: int) -> bytes:
        """The last bytes, for who wants to look at how it ends."""
        tail = b"".join(self._tail)
        return (tail if len(tail) >= size else bytes(self._head) + tail)[-size:]


def truncate(text: str, limit: int) -> str:
    """A text's beginning and end when it is longer than the limit."""
    if len(text) <= limit:
        return text
    head = int(limit * HEAD_SHARE)
    lost = len(text) - limit
    return f"{text[:head]}\n\n{notice(lost, len(text), 'characters')}\n\n{text[len(text) - (limit - head) :]}"


def notice(lost: int, size: int, unit: str) -> str:
    """What stands where something was left out."""
    return f"[... OUTPUT TRUNCATED: {lost:,} of {size:,} {unit} left out ...]"


def readable(data: bytes) -> str:
    """Bytes as text that a model can read: no colours, no cursor movements, broken UTF-8 marked and kept."""
    text = data.decode("utf-8", "replace")
    if "\x1b" in text or "\x9b" in text:
        text = _ANSI.sub("", text)
    text = text.replace("\r\n", "\n")
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text) if _CONTROLS.search(text) else text
