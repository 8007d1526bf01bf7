"""Lines as they are told: short, readable, and without secrets."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from hermes_tools_terminal.searching.records import Record
from hermes_tools_terminal.words import part_of

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


def gather(
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
