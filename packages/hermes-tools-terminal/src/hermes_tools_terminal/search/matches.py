"""Reads the lines that engines print: a path, NUL, the line's number, the match's column, the line."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hermes_tools_terminal.text import part_of

HUGE = 1 << 20
"""From how many bytes on only some of a line is kept: those around the match."""

_AROUND = 1 << 14
# Ripgrep gives no column when the match is the end of a last line that has no line feed.
_HEAD = re.compile(rb"([^\0]+)\0(\d+)(?:(-)|:(?:(\d+):)?)")
_COUNT = re.compile(rb"(?:\./)?([^\0]+)\0(\d+)\n")


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a file.

    Attributes:
        path: The file's path.
        number: The line's number, from 1 on.
        column: Where in the text the match begins, in bytes from 0 on; None for a line around one.
        text: The line without its end, or some of it.
        begins: Whether the text is the line's beginning.
        ends: Whether the text goes to the line's end.
    """

    path: bytes
    number: int
    column: int | None
    text: bytes
    begins: bool = True
    ends: bool = True


def renamed(record: Record, path: bytes) -> Record:
    """The same line, of a file with another path."""
    return Record(path, record.number, record.column, record.text, record.begins, record.ends)


class _Piecemeal:
    """A line that is too long to be kept.

    Args:
        head: What stands before its text; None when that cannot be read.
        text: How it begins.
    """

    def __init__(self, head: re.Match[bytes] | None, text: bytes) -> None:
        self._head = head
        self._column = _column(head) if head is not None else None
        self._start = max(0, (self._column or 0) - _AROUND)
        self._size = 0
        self._kept = bytearray()
        self.add(text)

    def add(self, text: bytes) -> None:
        """Take in more of it."""
        first = max(0, self._start - self._size)
        room = 2 * _AROUND - len(self._kept)
        self._kept += text[first : first + room] if first < len(text) else b""
        self._size += len(text)

    @property
    def record(self) -> Record | None:
        """What is known of it."""
        if self._head is None:
            return None
        column = None if self._column is None else self._column - self._start
        begins, ends = self._start == 0, self._size <= self._start + len(self._kept)
        return Record(self._head[1], int(self._head[2]), column, bytes(self._kept), begins, ends)


def read_records(pieces: Iterable[bytes], skip: int = 0) -> Iterator[Record]:
    """What an engine has printed, line by line; what is no record is left out.

    Args:
        pieces: Its output.
        skip: How many lines are passed over.
    """
    begun = b""
    long: _Piecemeal | None = None
    for piece in _behind(pieces, skip):
        rest = piece
        if long is not None:
            text, feed, rest = piece.partition(b"\n")
            long.add(text)
            if not feed:
                continue
            if (record := long.record) is not None:
                yield record
            long = None
        *lines, begun = (begun + rest).split(b"\n")
        for line in lines:
            if (record := _read(line)) is not None:
                yield record
        if len(begun) > HUGE:
            head = _HEAD.match(begun)
            long = _Piecemeal(head, begun[head.end() :] if head is not None else b"")
            begun = b""
    last = long.record if long is not None else _read(begun)
    if last is not None:
        yield last


def _behind(pieces: Iterable[bytes], skip: int) -> Iterator[bytes]:
    """What follows some lines, which are not looked at: there may be millions."""
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
    """Paths and numbers: path, NUL, number, line feed. A path may hold a line feed itself.

    Args:
        pieces: What an engine has printed.
    """
    begun = b""
    for piece in pieces:
        begun += piece
        end = 0
        for found in _COUNT.finditer(begun):
            yield found[1], int(found[2])
            end = found.end()
        begun = begun[end:]


def read_names(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Texts, each with a NUL at its end.

    Args:
        pieces: What an engine has printed.
    """
    begun = b""
    for piece in pieces:
        *names, begun = (begun + piece).split(b"\0")
        yield from names


LONGEST = 500
"""How many characters of a line are shown."""

_SEEN = 4 * LONGEST
"""How many bytes before and behind a match are looked at for secrets, which may begin outside of what is shown."""

_BEFORE = LONGEST // 3
_MORE = "…"


Codec = Callable[[bytes], str]
"""Tells the codec that the file of a path declares; empty when there is none."""


@dataclass(slots=True)
class Match:
    """A line that matches, and those around it."""

    number: int
    text: str
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    def told(self, path: str, *, context: bool) -> dict[str, object]:
        """The match as plain data."""
        around = {"before": self.before, "after": self.after} if context else {}
        return {"path": path, "line": self.number, "content": self.text, **around}


@dataclass(frozen=True, slots=True)
class Part:
    """Which of a file's lines are wanted.

    Attributes:
        path: The file.
        skip: How many lines that match are passed over.
        take: How many are taken then.
    """

    path: bytes
    skip: int
    take: int


def gather_matches(
    records: Iterable[Record], parts: Mapping[bytes, Part], context: int, codec: Codec, mask: Callable[[str], str]
) -> dict[bytes, list[Match]]:
    """The wanted matches of each file, with the lines around them.

    Args:
        records: Lines of these files; those of one file follow one another.
        parts: What is wanted of each file.
        context: How many lines around each match.
        codec: Tells the codec of a file that is not UTF-8.
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
    """Return a line, or what is around the match in a long one, with secrets masked and undecodable bytes escaped."""
    name, errors = "utf-8", "replace"
    if record.begins and record.ends and not _is_utf_8(record.text):
        name = codec(record.path) or name
        errors = "backslashreplace"
    column = record.column or 0
    start = max(0, column - _SEEN)
    while name == "utf-8" and start > 0 and start < len(record.text) and record.text[start] & 0xC0 == 0x80:
        start += 1  # not in the middle of a character
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
    """A path as text; bytes that are none are spelled out."""
    return path.decode("utf-8", "backslashreplace")
