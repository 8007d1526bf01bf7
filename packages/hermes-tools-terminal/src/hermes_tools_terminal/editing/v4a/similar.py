"""Finds the place of a hunk whose lines are not quite those of the file."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_tools_terminal.editing.align import same_lines
from hermes_tools_terminal.editing.fuzzy.page import Page
from hermes_tools_terminal.editing.fuzzy.replace import ManyMatches, NoMatch, Replaced, replace
from hermes_tools_terminal.editing.preview import Preview, previews
from hermes_tools_terminal.editing.v4a.effort import Effort
from hermes_tools_terminal.editing.v4a.patch import Hunk
from hermes_tools_terminal.editing.v4a.sheet import Block, Sheet

_BEFORE, _AFTER = 20, 200
"""How many lines around a hint are searched first."""

_TAIL = 50
"""How many lines more than the hunk has are searched at the end of a file."""


@dataclass(frozen=True, slots=True)
class Similar:
    """A place that a hunk resembles.

    Attributes:
        strategy: The way of searching that found it.
        block: Its lines.
        lines: The hunk as it must be to fit there.
    """

    strategy: str
    block: Block
    lines: tuple[str, ...]


class NothingSimilarError(Exception):
    """Raised when a hunk resembles nothing.

    Attributes:
        previews: Places that may be meant all the same.
    """

    def __init__(self, previews: tuple[Preview, ...] = ()) -> None:
        self.previews = previews
        super().__init__("nothing similar")


class AmbiguousError(Exception):
    """Raised when a hunk resembles several places.

    Attributes:
        count: How many.
        lines: Where the first of them are.
    """

    def __init__(self, count: int, lines: list[int]) -> None:
        self.count = count
        self.lines = lines
        super().__init__(f"{count} places")


def similar(sheet: Sheet, hunk: Hunk, hints: list[int], effort: Effort) -> Similar:
    """The one place that a hunk resembles.

    Args:
        sheet: The lines of the file.
        hunk: The hunk; it has context or removes something.
        hints: Lines that its hints name; it is looked for near the only one first.
        effort: How much may be searched.

    Raises:
        NothingSimilarError: there is none.
        AmbiguousError: there are several.
        AlreadyApplied: what it would write is there.
        TooMuchError: too much was searched before.
    """
    order = sheet.order()
    if not any(line.strip() for line in hunk.old) or hunk.old == hunk.new:
        raise _nothing("\n".join(sheet[number] for number in order), hunk)
    if hunk.at_end:
        return _at_end(sheet, hunk, order, effort)
    if len(hints) == 1:
        at = order.index(hints[0])
        near = order[max(0, at - _BEFORE) : at + len(hunk.old) + _AFTER]
        try:
            return _within(sheet, hunk, near, effort)
        except (NothingSimilarError, AmbiguousError):
            pass  # it may be elsewhere; if not, that search tells why
    return _within(sheet, hunk, order, effort)


def _at_end(sheet: Sheet, hunk: Hunk, order: Block, effort: Effort) -> Similar:
    try:
        found = _within(sheet, hunk, order[-len(hunk.old) - _TAIL :], effort)
    except AmbiguousError as error:
        raise AmbiguousError(error.count, []) from None  # its lines are counted from somewhere in the file
    except NothingSimilarError:
        raise _nothing("\n".join(sheet[number] for number in order), hunk) from None
    behind = sheet.following(found.block[-1])
    while behind != sheet.end:
        if sheet[behind].strip():
            raise _nothing("\n".join(sheet[number] for number in order), hunk)
        behind = sheet.following(behind)
    return found


def _within(sheet: Sheet, hunk: Hunk, numbers: Block, effort: Effort) -> Similar:
    text = "\n".join(sheet[number] for number in numbers)
    effort.search(len(text))
    try:
        found = replace(text, "\n".join(hunk.old), "\n".join(hunk.new))
    except NoMatch as error:
        raise NothingSimilarError(error.previews) from None
    except ManyMatches as error:
        raise AmbiguousError(error.count, list(error.lines)) from None
    place = _whole_lines(text, found)
    if place is None:
        raise _nothing(text, hunk)
    first, last, new = place
    block = numbers[first : last + 1]
    return Similar(found.strategy, block, _fitting([sheet[number] for number in block], new if hunk.new else []))


def _nothing(text: str, hunk: Hunk) -> NothingSimilarError:
    return NothingSimilarError(previews(Page(text), "\n".join(hunk.old)))


def _whole_lines(text: str, found: Replaced) -> tuple[int, int, list[str]] | None:
    """The first and the last line of a match, and what is there instead; None when it is only a part of a line."""
    (start, end), piece = found.spans[0], found.pieces[0]
    if end > start and text[end - 1] == "\n":
        end, piece = end - 1, piece.removesuffix("\n")
    begins = text.rfind("\n", 0, start) + 1
    ends = text.find("\n", end)
    ends = len(text) if ends < 0 else ends
    before, after = text[begins:start], text[end:ends]
    if before.strip() or after.strip():
        return None
    return text.count("\n", 0, start), text.count("\n", 0, end), (before + piece + after).split("\n")


def _fitting(found: list[str], new: list[str]) -> tuple[str, ...]:
    """Return the hunk that makes these lines of the new ones."""
    lines: list[str] = []
    line = other = 0
    for start, start_new, size in [*same_lines(found, new), (len(found), len(new), 0)]:
        lines += ["-"] * (start - line)
        lines += [f"+{each}" for each in new[other:start_new]]
        lines += [" "] * size
        line, other = start + size, start_new + size
    return tuple(lines)
