"""The output of a background process: its end, and notices about lines that match patterns."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_tools_terminal.shell.output import readable

MAX_CHARACTERS = 200_000
_KEPT_BYTES = MAX_CHARACTERS * 4


class OutputBuffer:
    """Takes bytes from one thread, keeps the last of them for others, and counts the discarded lines."""

    __slots__ = ("_data", "_lines_gone", "_lock", "size")

    def __init__(self) -> None:
        self._data = bytearray()
        self._lines_gone = 0
        self._lock = threading.Lock()
        self.size = 0

    def add(self, data: bytes) -> None:
        """Add output; discard in large steps, so that every byte is moved only a few times."""
        with self._lock:
            self.size += len(data)
            self._data += data
            if len(self._data) > 2 * _KEPT_BYTES:
                gone = len(self._data) - _KEPT_BYTES
                self._lines_gone += self._data.count(b"\n", 0, gone)
                del self._data[:gone]

    def text(self) -> str:
        """Return the stored output as text."""
        return readable(self._last(None))[-MAX_CHARACTERS:]

    def tail(self, characters: int) -> str:
        """Return the last characters."""
        return readable(self._last(4 * characters))[-characters:]

    def lines(self) -> tuple[int, list[str]]:
        """Return the number of discarded lines, and the stored lines; the first of these may be incomplete."""
        with self._lock:
            gone, data = self._lines_gone, bytes(self._data)
        text = readable(data)
        cut = max(0, len(text) - MAX_CHARACTERS)
        kept = text[cut:].split("\n")
        if not kept[-1]:
            kept.pop()
        return gone + text.count("\n", 0, cut), kept

    def _last(self, size: int | None) -> bytes:
        """Return the last bytes, starting at a character boundary."""
        with self._lock:
            data = bytes(self._data if size is None else self._data[-size:])
        if len(data) < self.size:
            start = next((index for index, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0)
            return data[start:]
        return data


MIN_INTERVAL = 15.0
"""Seconds between two notices about one process."""

STRIKES = 3
"""After this many early matches the patterns are disabled, and the end of the process is reported instead."""

BURST, BURST_SECONDS, MUTE_SECONDS = 15, 10.0, 30.0
"""After this many notices of all processes in this time, all are muted for a while."""

_MAX_LINES, _MAX_CHARACTERS = 20, 2000
_MAX_REST = 65_536
"""How much of an unfinished line is searched."""


class NoticeLimiter:
    """Limits the rate of notices of all processes together."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._hits: deque[float] = deque()
        self._muted_until = 0.0
        self._swallowed = 0

    def admit(self) -> tuple[bool, dict[str, Any] | None]:
        """Return whether a notice may be sent, and a notice about the start or end of muting."""
        now = self._clock()
        notice: dict[str, Any] | None = None
        if self._muted_until:
            if now < self._muted_until:
                self._swallowed += 1
                return False, None
            notice = {"type": "watch_overflow_released", "suppressed": self._swallowed}
            self._muted_until, self._swallowed = 0.0, 0
            self._hits.clear()
        while self._hits and now - self._hits[0] > BURST_SECONDS:
            self._hits.popleft()
        self._hits.append(now)
        if len(self._hits) > BURST:
            self._muted_until = now + MUTE_SECONDS
            self._swallowed = 1
            return False, {"type": "watch_overflow_tripped", "muted_seconds": MUTE_SECONDS}
        return True, notice


@dataclass(slots=True)
class PatternWatcher:
    """Looks for the patterns of one process in its output."""

    patterns: Sequence[str]
    limiter: NoticeLimiter
    clock: Callable[[], float] = time.monotonic
    disabled: bool = False
    _rest: bytes = b""
    _last: float = float("-inf")
    _strikes: int = 0
    _held: list[str] = field(default_factory=list)

    def look(self, data: bytes, *, silent: bool = False) -> list[dict[str, Any]]:
        """Return the notices about new output; when the process is silent, a partial line such as a prompt
        counts, too.
        """
        if self.disabled or not self.patterns:
            return []
        whole, _, rest = (self._rest + data).rpartition(b"\n")
        if silent and rest and self._matching_lines(rest):
            whole, rest = whole + b"\n" + rest, b""
        self._rest = rest[-_MAX_REST:]
        lines = self._matching_lines(whole)
        return self._notices(lines) if lines else []

    def _matching_lines(self, data: bytes) -> list[str]:
        lines = readable(data).split("\n") if data else []
        return [line for line in lines if any(pattern in line for pattern in self.patterns)]

    def _notices(self, lines: list[str]) -> list[dict[str, Any]]:
        now = self.clock()
        if now - self._last < MIN_INTERVAL:
            self._strikes += 1
            self._held = [*self._held, *lines][-_MAX_LINES:]
            if self._strikes < STRIKES:
                return []
            self.disabled = True
            return [{"type": "watch_disabled", "reason": "too many matches; the end of the process will be reported"}]
        self._strikes = 0
        self._last = now
        admitted, notice = self.limiter.admit()
        found = [notice] if notice else []
        if not admitted:
            self._held = [*self._held, *lines][-_MAX_LINES:]
        else:
            matched = [pattern for pattern in self.patterns if any(pattern in line for line in lines)]
            text = "\n".join([*self._held, *lines][-_MAX_LINES:])[-_MAX_CHARACTERS:]
            found.append({"type": "watch_match", "patterns": matched, "output": text})
            self._held = []
        return found
