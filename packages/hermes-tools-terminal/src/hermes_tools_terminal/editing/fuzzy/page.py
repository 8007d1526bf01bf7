"""A text as the ways of searching see it: cut into lines, trimmed, with plain typography."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from hermes_tools_terminal.editing.fuzzy.typography import plain

Span = tuple[int, int]
"""Where something begins and ends in the whole text."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Where a way of searching found something.

    Attributes:
        spans: The places from the first to the last; none overlaps the one before it.
        several: Whether there is more than one place, overlapping ones included.
    """

    spans: tuple[Span, ...]
    several: bool


NOTHING = Hits((), False)


class Page:
    """A window of a text. What is made of it is made once, when a way of searching first asks for it.

    Args:
        text: The whole text.
        start: Where the window begins.
        end: Where it ends.
    """

    def __init__(self, text: str, start: int = 0, end: int | None = None) -> None:
        self.text = text
        self.end = len(text) if end is None else max(0, min(end, len(text)))
        self.start = max(0, min(start, self.end))

    @cached_property
    def base(self) -> int:
        """Where its first whole line begins: half a line is no line to compare."""
        if self.start == 0 or self.text[self.start - 1] == "\n":
            return self.start
        line_end = self.text.find("\n", self.start, self.end)
        return self.end if line_end < 0 else line_end + 1

    @cached_property
    def part(self) -> str:
        """Its whole lines."""
        whole = self.end == len(self.text) or self.text[self.end] == "\n" or self.text[self.end - 1 : self.end] == "\n"
        end = self.end if whole else self.text.rfind("\n", self.base, self.end) + 1
        return self.text[self.base : max(self.base, end)]

    @cached_property
    def lines(self) -> list[str]:
        """Its lines, without their ends."""
        return lines_of(self.part)

    @cached_property
    def trimmed_lines(self) -> list[str]:
        """Its lines, without blanks around them."""
        return [line.strip() for line in self.lines]

    @cached_property
    def trimmed(self) -> str:
        """Its lines without blanks around them, framed."""
        return framed(self.trimmed_lines)

    @cached_property
    def plain_lines(self) -> list[str]:
        """Its lines with plain typography, without blanks around them."""
        text = plain(self.part)
        return self.trimmed_lines if text is self.part else [line.strip() for line in lines_of(text)]

    @cached_property
    def plain(self) -> str:
        """Its lines with plain typography, without blanks around them, framed."""
        return self.trimmed if self.plain_lines is self.trimmed_lines else framed(self.plain_lines)

    @cached_property
    def plain_starts(self) -> list[int]:
        """Where each line begins in `plain`."""
        return list(accumulate((len(line) + 1 for line in self.plain_lines), initial=1))

    @cached_property
    def single(self) -> str:
        """Like `trimmed`, with one blank where several are."""
        return single_blanks(self.trimmed)

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins in the whole text; one more for where the last one's end is."""
        return list(accumulate((len(line) + 1 for line in self.lines), initial=self.base))

    def plain_lines_with(self, piece: str, most: int) -> list[int]:
        """Which lines of `plain` have something in them.

        Args:
            piece: What; without line feeds.
            most: In how many places at most. If there are more it is in too many to tell anything, and so in none.
        """
        found: list[int] = []
        position = self.plain.find(piece)
        while position >= 0:
            if len(found) == most:
                return []
            found.append(position)
            position = self.plain.find(piece, position + len(piece))
        return [bisect_right(self.plain_starts, position) - 1 for position in found]

    def span(self, line: int, count: int, *, with_end: bool) -> Span:
        """Where some lines are.

        Args:
            line: The first one's index.
            count: How many.
            with_end: Whether the last one's line feed belongs to it, if it has one.
        """
        end = self.starts[line + count] - 1
        return self.starts[line], min(end + with_end, self.base + len(self.part))


def lines_of(text: str) -> list[str]:
    """The lines of a text; what ends with a line feed has no empty line after it."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def framed(lines: Sequence[str]) -> str:
    """Lines as one text in which each stands between two line feeds: whole lines are found by a plain search."""
    return "\n" + "\n".join(lines) + "\n"


def single_blanks(text: str) -> str:
    """A text with one blank where several blanks or tabs follow one another."""
    text = text.replace("\t", " ")
    while "  " in text:  # halves every run, so it ends soon
        text = text.replace("  ", " ")
    return text


def occurrences(text: str, wanted: str, start: int = 0, end: int | None = None, *, shared: int = 0) -> Hits:
    """Where something stands in a text, letter by letter.

    Each search begins behind the place before it. Beginning one letter further would prepare the search for `wanted`
    anew at every letter, and so cost the square of its length.

    Args:
        text: The text.
        wanted: What is looked for.
        start: Where to begin.
        end: Where to stop.
        shared: How many letters two places may share.
    """
    stop = len(text) if end is None else end
    spans: list[Span] = []
    position = text.find(wanted, start, stop)
    while position >= 0:
        spans.append((position, position + len(wanted)))
        position = text.find(wanted, position + len(wanted) - shared, stop)
    several = len(spans) > 1 or (bool(spans) and text.find(wanted, spans[0][0] + 1, stop) >= 0)
    return Hits(tuple(spans), several)


def blocks(page: Page, view: str, wanted: Sequence[str], *, with_end: bool) -> Hits:
    """Where lines follow one another as wanted.

    Args:
        page: The page.
        view: Its lines as they are compared, framed.
        wanted: The lines that are looked for.
        with_end: Whether the last line feed belongs to what is found.
    """
    if not any(wanted):  # blank lines are everywhere and say nothing
        return NOTHING
    hits = occurrences(view, framed(wanted), shared=1)
    spans: list[Span] = []
    line = passed = 0
    for start, _ in hits.spans:
        line += view.count("\n", passed, start)
        passed = start
        spans.append(page.span(line, len(wanted), with_end=with_end))
    return Hits(tuple(spans), hits.several)


@dataclass(frozen=True, slots=True)
class Shifts:
    """Which place of a text is which of another one that was made of it by shortening or widening some letters.

    Attributes:
        after: Places in the made text behind which the distance between the two changes, ascending.
        distance: By how much the original is ahead behind each of them.
    """

    after: list[int]
    distance: list[int]

    def original(self, place: int) -> int:
        """The place in the original."""
        index = bisect_right(self.after, place)
        return place + (self.distance[index - 1] if index else 0)
