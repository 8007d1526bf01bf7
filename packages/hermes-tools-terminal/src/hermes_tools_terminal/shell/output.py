"""Capture the output of a command while it streams: its beginning and its end."""

from __future__ import annotations

import re
from collections import deque

HEAD_SHARE = 0.4
"""The share of the beginning; errors are at the end, so the end gets more."""

MAX_BYTES_PER_CHARACTER = 4

# Texts for the terminal itself, such as its title, are removed only if they are terminated: otherwise everything after
# them would be removed, too.
_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])"
    r"|[\x9b][0-?]*[ -/]*[@-~]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class Capture:
    """Stores the beginning and the end of a byte stream."""

    __slots__ = ("_head", "_head_size", "_tail", "_tail_length", "_tail_size", "limit", "size")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self._head = bytearray()
        self._head_size = int(limit * HEAD_SHARE) * MAX_BYTES_PER_CHARACTER
        self._tail: deque[bytes] = deque()
        self._tail_length = 0
        self._tail_size = (limit - int(limit * HEAD_SHARE)) * MAX_BYTES_PER_CHARACTER

    def add(self, data: bytes | bytearray, start: int = 0, end: int | None = None) -> None:
        """Add a part of a buffer; only what is stored is copied."""
        end = len(data) if end is None else end
        self.size += end - start
        if (free := self._head_size - len(self._head)) > 0:
            self._head += data[start : min(end, start + free)]
            start += free
        if start >= end:
            return
        kept = bytes(data[max(start, end - self._tail_size) : end])
        self._tail.append(kept)
        self._tail_length += len(kept)
        while self._tail_length - len(self._tail[0]) >= self._tail_size:
            self._tail_length -= len(self._tail.popleft())

    def text(self) -> str:
        """Return the output as text; with a notice in the middle when it was truncated."""
        if not self.size:
            return ""
        tail = b"".join(self._tail)
        lost = self.size - len(self._head) - len(tail)
        if not lost:
            return truncate(readable(bytes(self._head) + tail), self.limit)
        head_size = int(self.limit * HEAD_SHARE)
        head, end = readable(bytes(self._head))[:head_size], readable(tail)[-(self.limit - head_size) :]
        lost = max(lost, self.size - len(head.encode(errors="replace")) - len(end.encode(errors="replace")))
        return f"{head}\n\n{notice(lost, self.size, 'bytes')}\n\n{end}"

    def raw(self) -> str:
        """Return the exact output; empty when it was truncated."""
        data = bytes(self._head) + b"".join(self._tail)
        return data.decode("utf-8", "surrogateescape") if len(data) == self.size else ""

    def last(self, size: int) -> bytes:
        """Return the last bytes."""
        tail = b"".join(self._tail)
        return (tail if len(tail) >= size else bytes(self._head) + tail)[-size:]


def truncate(text: str, limit: int) -> str:
    """Return the beginning and the end of a text that exceeds the limit."""
    if len(text) <= limit:
        return text
    head = int(limit * HEAD_SHARE)
    lost = len(text) - limit
    return f"{text[:head]}\n\n{notice(lost, len(text), 'characters')}\n\n{text[len(text) - (limit - head) :]}"


def notice(lost: int, size: int, unit: str) -> str:
    """Return the notice that replaces truncated output."""
    return f"[... OUTPUT TRUNCATED: {lost:,} of {size:,} {unit} left out ...]"


def readable(data: bytes) -> str:
    """Decode bytes for a model: without colors and cursor movements, with invalid UTF-8 marked."""
    text = data.decode("utf-8", "replace")
    if "\x1b" in text or "\x9b" in text:
        text = _ANSI.sub("", text)
    text = text.replace("\r\n", "\n")
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text) if _CONTROLS.search(text) else text
