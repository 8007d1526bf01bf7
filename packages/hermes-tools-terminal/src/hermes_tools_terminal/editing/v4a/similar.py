"""Finds the place of a hunk whose lines are not quite those of the file."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from hermes_tools_terminal.editing.fuzzy.page import Page
from hermes_tools_terminal.editing.fuzzy.replace import ManyMatches, NoMatch, Replaced, replace
from hermes_tools_terminal.editing.preview import Preview, previews
from hermes_tools_terminal.editing.v4a.effort import Effort
from hermes_tools_terminal.editing.v4a.patch import Hunk
from hermes_tools_terminal.editing.v4a.sheet import Block, Sheet

_BEFORE, _AFTER = 20, 200
"""How many lines around a hint are searched first."""

_ALIKE = 0.5
"""How much a line that is removed must be like the one that was named."""

_COMPARED = 400
"""How many characters of each are compared."""

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
    except ValueError:  # its escapes are not those of the file
        raise _nothing(text, hunk) from None
    place = _whole_lines(text, found)
    if place is None:
        raise _nothing(text, hunk)
    first, last, new = place
    block = numbers[first : last + 1]
    lines = _fitting(hunk, [sheet[number] for number in block], new if hunk.new else [], effort)
    if lines is None:
        raise _nothing(text, hunk)
    return Similar(found.strategy, block, lines)


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


def _fitting(hunk: Hunk, found: list[str], new: list[str], effort: Effort) -> tuple[str, ...] | None:
    """The hunk as it must be to fit these lines; None when it would remove something that nobody named.

    Its context stays as the file has it where it is clear which line is which.
    """
    for lines in (hunk.lines, _without_blank_ends(hunk.lines)):
        old = [line for line in lines if line[0] != "+"]
        if len(old) == len(found) and len(new) == sum(line[0] != "-" for line in lines):
            fresh = iter(new)
            alike = all(
                _alike(line[1:], there, effort) for line, there in zip(old, found, strict=True) if line[0] == "-"
            )
            return tuple(line[0] + (next(fresh) if line[0] != "-" else "") for line in lines) if alike else None
    return (*("-",) * len(found), *(f"+{line}" for line in new))


def _without_blank_ends(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Without the blank lines that some ways of searching leave out at both ends."""
    telling = [at for at, line in enumerate(lines) if line[0] != "+" and line[1:].strip()]
    return tuple(
        line for at, line in enumerate(lines) if line[0] == "+" or line[1:].strip() or telling[0] < at < telling[-1]
    )


def _alike(line: str, there: str, effort: Effort) -> bool:
    line, there = line.strip()[:_COMPARED], there.strip()[:_COMPARED]
    if line == there:
        return True
    effort.look(len(line) * len(there))
    return SequenceMatcher(None, line, there, autojunk=False).ratio() >= _ALIKE
