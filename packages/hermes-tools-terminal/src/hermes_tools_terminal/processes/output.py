"""The last of what a process printed."""

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
        return readable(self._last(None))[-MAX_CHARACTERS:]

    def tail(self, characters: int) -> str:
        """The last characters."""
        return readable(self._last(4 * characters))[-characters:]

    def lines(self) -> tuple[int, list[str]]:
        """How many lines are not kept any more, and those that are; of the first, the end may be all that is left."""
        with self._lock:
            gone, data = self._lines_gone, bytes(self._data)
        text = readable(data)
        cut = max(0, len(text) - MAX_CHARACTERS)
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


MIN_INTERVAL = 15.0
"""Seconds between two notices about one process."""

STRIKES = 3
"""So many times too soon, and its patterns are switched off: its end is told instead."""

BURST, BURST_SECONDS, MUTE_SECONDS = 15, 10.0, 30.0
"""So many notices of all processes in so many seconds, and all are silent for a while."""

_MOST_LINES, _MOST_CHARACTERS = 20, 2000
_MOST_REST = 65_536
"""How much of a line without an end is looked at."""


class NoticeLimiter:
    """Keeps all processes together from saying too much."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._hits: deque[float] = deque()
        self._muted_until = 0.0
        self._swallowed = 0

    def admit(self) -> tuple[bool, dict[str, Any] | None]:
        """Whether a notice may go out, and a notice about the silence itself when it begins or ends."""
        now = self._clock()
        told: dict[str, Any] | None = None
        if self._muted_until:
            if now < self._muted_until:
                self._swallowed += 1
                return False, None
            told = {"type": "watch_overflow_released", "suppressed": self._swallowed}
            self._muted_until, self._swallowed = 0.0, 0
            self._hits.clear()
        while self._hits and now - self._hits[0] > BURST_SECONDS:
            self._hits.popleft()
        self._hits.append(now)
        if len(self._hits) > BURST:
            self._muted_until = now + MUTE_SECONDS
            self._swallowed = 1
            return False, {"type": "watch_overflow_tripped", "muted_seconds": MUTE_SECONDS}
        return True, told


@dataclass(slots=True)
class PatternWatcher:
    """The patterns of one process.

    Attributes:
        patterns: Texts that are looked for in every line.
        breaker: Shared by all processes.
        disabled: Whether it was switched off for saying too much.
    """

    patterns: Sequence[str]
    breaker: NoticeLimiter
    clock: Callable[[], float] = time.monotonic
    disabled: bool = False
    _rest: bytes = b""
    _last: float = float("-inf")
    _strikes: int = 0
    _held: list[str] = field(default_factory=list)

    def look(self, data: bytes, *, silent: bool = False) -> list[dict[str, Any]]:
        """The notices that new output gives rise to.

        Args:
            data: What was printed.
            silent: Whether nothing more came for a while: then half a line counts, too, such as a prompt.
        """
        if self.disabled or not self.patterns:
            return []
        whole, _, rest = (self._rest + data).rpartition(b"\n")
        if silent and rest and self._found(rest):
            whole, rest = whole + b"\n" + rest, b""
        self._rest = rest[-_MOST_REST:]
        lines = self._found(whole)
        return self._notices(lines) if lines else []

    def _found(self, data: bytes) -> list[str]:
        lines = readable(data).split("\n") if data else []
        return [line for line in lines if any(pattern in line for pattern in self.patterns)]

    def _notices(self, lines: list[str]) -> list[dict[str, Any]]:
        now = self.clock()
        if now - self._last < MIN_INTERVAL:
            self._strikes += 1
            self._held = [*self._held, *lines][-_MOST_LINES:]
            if self._strikes < STRIKES:
                return []
            self.disabled = True
            return [{"type": "watch_disabled", "reason": "too many matches; you are told when it ends"}]
        self._strikes = 0
        self._last = now
        admitted, told = self.breaker.admit()
        found = [told] if told else []
        if not admitted:
            self._held = [*self._held, *lines][-_MOST_LINES:]
        else:
            matched = [pattern for pattern in self.patterns if any(pattern in line for line in lines)]
            text = "\n".join([*self._held, *lines][-_MOST_LINES:])[-_MOST_CHARACTERS:]
            found.append({"type": "watch_match", "patterns": matched, "output": text})
            self._held = []
        return found
