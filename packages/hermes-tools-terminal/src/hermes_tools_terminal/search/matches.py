"""Parse the output of engines (a path, NUL, line number, column, line), and format matches for the model."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hermes_tools_terminal.text import part_of

HUGE = 1 << 20
"""Of longer lines only the part around the match is kept."""

_AROUND = 1 << 14
# ripgrep prints no column when the match is the end of a last line without a line feed.
_HEAD = re.compile(rb"([^\0]+)\0(\d+)(?:(-)|:(?:(\d+):)?)")
_COUNT = re.compile(rb"(?:\./)?([^\0]+)\0(\d+)\n")


@dataclass(frozen=True, slots=True)
class Record:
    """A line of a file.

    Attributes:
        path: The path of the file.
        number: The line number, from 1.
        column: The offset of the match in the text, in bytes; None for a context line.
        text: The line without its end, or a part of it.
        begins: Whether the text includes the start of the line.
        ends: Whether the text includes the end of the line.
    """

    path: bytes
    number: int
    column: int | None
    text: bytes
    begins: bool = True
    ends: bool = True


def with_path(record: Record, path: bytes) -> Record:
    """Return the same line with another path."""
    return Record(path, record.number, record.column, record.text, record.begins, record.ends)


class _Piecemeal:
    """Keeps a part of a line that is too long; `head` is None if the line is invalid."""

    def __init__(self, head: re.Match[bytes] | None, text: bytes) -> None:
        self._head = head
        self._column = _column(head) if head is not None else None
        self._start = max(0, (self._column or 0) - _AROUND)
        self._size = 0
        self._kept = bytearray()
        self.add(text)

    def add(self, text: bytes) -> None:
        """Add more of the line."""
        first = max(0, self._start - self._size)
        available = 2 * _AROUND - len(self._kept)
        self._kept += text[first : first + available] if first < len(text) else b""
        self._size += len(text)

    @property
    def record(self) -> Record | None:
        """Return the record of the kept part."""
        if self._head is None:
            return None
        column = None if self._column is None else self._column - self._start
        begins, ends = self._start == 0, self._size <= self._start + len(self._kept)
        return Record(self._head[1], int(self._head[2]), column, bytes(self._kept), begins, ends)


def read_records(pieces: Iterable[bytes], skip: int = 0) -> Iterator[Record]:
    """Parse the output of an engine, without invalid lines and the first `skip` lines."""
    partial = b""
    long: _Piecemeal | None = None
    for piece in _skip_lines(pieces, skip):
        rest = piece
        if long is not None:
            text, feed, rest = piece.partition(b"\n")
            long.add(text)
            if not feed:
                continue
            if (record := long.record) is not None:
                yield record
            long = None
        *lines, partial = (partial + rest).split(b"\n")
        for line in lines:
            if (record := _read(line)) is not None:
                yield record
        if len(partial) > HUGE:
            head = _HEAD.match(partial)
            long = _Piecemeal(head, partial[head.end() :] if head is not None else b"")
            partial = b""
    last = long.record if long is not None else _read(partial)
    if last is not None:
        yield last


def _skip_lines(pieces: Iterable[bytes], skip: int) -> Iterator[bytes]:
    """Skip lines without parsing them: there may be millions."""
    for piece in pieces:
        rest = piece
        if skip:
            count = piece.count(b"\n")
            rest = piece.split(b"\n", skip)[skip] if count >= skip else b""
            skip -= min(count, skip)
        if rest:
            yield rest


def _column(head: re.Match[bytes]) -> int | None:
    if head[3]:
        return None
    return int(head[4]) - 1 if head[4] else len(head.string) - head.end()


def _read(line: bytes) -> Record | None:
    head = _HEAD.match(line)
    if head is None:
        return None
    return Record(head[1], int(head[2]), _column(head), line[head.end() :])


def read_counts(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Parse paths and numbers: path, NUL, number, line feed. A path may contain a line feed."""
    partial = b""
    for piece in pieces:
        partial += piece
        end = 0
        for found in _COUNT.finditer(partial):
            yield found[1], int(found[2])
            end = found.end()
        partial = partial[end:]


def read_names(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Parse texts that end with a NUL."""
    partial = b""
    for piece in pieces:
        *names, partial = (partial + piece).split(b"\0")
        yield from names


LONGEST = 500
"""How many characters of a line are shown."""

_SEEN = 4 * LONGEST
"""How many bytes around a match are searched for secrets, which may start outside the shown part."""

_BEFORE = LONGEST // 3
_MORE = "…"


Codec = Callable[[bytes], str]
"""Returns the codec that a file declares; empty when there is none."""


@dataclass(slots=True)
class Match:
    """A matching line with its context."""

    number: int
    text: str
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    def as_dict(self, path: str, *, context: bool) -> dict[str, object]:
        """Return the match as plain data."""
        around = {"before": self.before, "after": self.after} if context else {}
        return {"path": path, "line": self.number, "content": self.text, **around}


@dataclass(frozen=True, slots=True)
class Part:
    """Which matching lines of a file to return: how many to skip, and how many to take."""

    path: bytes
    skip: int
    take: int


def gather_matches(
    records: Iterable[Record], parts: Mapping[bytes, Part], context: int, codec: Codec, mask: Callable[[str], str]
) -> dict[bytes, list[Match]]:
    """Return the requested matches of each file, with their context.

    Args:
        records: Lines of these files; those of one file are consecutive.
        parts: The request for each file.
        context: How many lines of context around each match.
        codec: Returns the codec of a file that is not UTF-8.
        mask: Masks secrets in a line.
    """
    found: dict[bytes, list[Match]] = {}
    part: Part | None = None
    seen = 0
    recent: deque[Record] = deque(maxlen=context)
    for record in records:
        if part is None or record.path != part.path:
            part = parts.get(record.path)
            seen = 0
            recent.clear()
            if part is None:
                continue
        kept = found.setdefault(part.path, [])
        for match in reversed(kept):
            if record.number > match.number + context:
                break
            match.after.append(shortened(record, codec, mask))
        if record.column is not None and seen < part.skip + part.take:
            if seen >= part.skip:
                before = [shortened(each, codec, mask) for each in recent if each.number >= record.number - context]
                kept.append(Match(record.number, shortened(record, codec, mask), before))
            seen += 1
        recent.append(record)
    return found


def shortened(record: Record, codec: Codec, mask: Callable[[str], str]) -> str:
    """Return a line, or the part around the match, with secrets masked and undecodable bytes escaped."""
    name, errors = "utf-8", "replace"
    if record.begins and record.ends and not _is_utf_8(record.text):
        name = codec(record.path) or name
        errors = "backslashreplace"
    column = record.column or 0
    start = max(0, column - _SEEN)
    while name == "utf-8" and start > 0 and start < len(record.text) and record.text[start] & 0xC0 == 0x80:
        start += 1  # at a character boundary
    seen = record.text[start : column + _SEEN]
    at = len(record.text[start:column].decode(name, errors))
    text = mask(seen.decode(name, errors).removesuffix("\r"))
    begins = record.begins and start == 0
    ends = record.ends and column + _SEEN >= len(record.text)
    if begins and ends and len(text) <= LONGEST:
        return text
    first = max(0, min(at - _BEFORE, len(text) - (LONGEST - 2)))
    shown = part_of(text, first, first + LONGEST - 2)
    more_before, more_behind = first > 0 or not begins, first + len(shown) < len(text) or not ends
    return f"{_MORE if more_before else ''}{shown}{_MORE if more_behind else ''}"


def _is_utf_8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def readable(path: bytes) -> str:
    """Return a path as text, with undecodable bytes escaped."""
    return path.decode("utf-8", "backslashreplace")
