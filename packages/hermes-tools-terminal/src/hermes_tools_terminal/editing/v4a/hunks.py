"""Applies the hunks of one file, each where it belongs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NoReturn

from hermes_tools_terminal.editing.fuzzy.replace import AlreadyApplied
from hermes_tools_terminal.editing.fuzzy.style import Style
from hermes_tools_terminal.editing.indent import UnclearIndentError
from hermes_tools_terminal.editing.preview import Preview
from hermes_tools_terminal.editing.v4a.effort import Effort, TooMuchError
from hermes_tools_terminal.editing.v4a.errors import PatchError, shown
from hermes_tools_terminal.editing.v4a.hints import Hints
from hermes_tools_terminal.editing.v4a.patch import Hunk, Update
from hermes_tools_terminal.editing.v4a.quick import quickly
from hermes_tools_terminal.editing.v4a.sheet import Block, Sheet
from hermes_tools_terminal.editing.v4a.similar import AmbiguousError, NothingSimilarError, similar

Find = Callable[[int | None], Iterator[Block]]
"""Finds the places of a hunk that do not end before a line."""

_TOO_MUCH = (
    "too many hunks before or at this one fit no place exactly. Read the file again and write the patch with its lines "
    "as they are, or send it in parts."
)

_TOO_LONG = 4
"""A hunk with that many times the lines of the file is not even looked for."""

_TRIES = 1000
"""At how many places of its new lines the old ones of a hunk are looked for."""

_MOST_COUNTED = 1000
"""How many places of a hunk are counted for a message."""


@dataclass(frozen=True, slots=True)
class Updated:
    """A text after the hunks of an operation.

    Attributes:
        text: The text.
        strategies: The ways in which hunks were found that do not fit exactly.
        in_place: The numbers of the hunks that were applied before, counted from 1.
    """

    text: str
    strategies: tuple[str, ...] = ()
    in_place: tuple[int, ...] = ()


def updated(text: str, update: Update, effort: Effort) -> Updated:
    """Apply the hunks of an operation; those that are in place already change nothing.

    Args:
        text: The text.
        update: The operation.
        effort: How much may be looked at.

    Raises:
        PatchError: a hunk does not fit, or fits several places.
    """
    done = quickly(text, update.hunks)
    if done is not None:
        return Updated(done)
    editing = _Editing(text, effort)
    in_place = []
    for number, hunk in enumerate(update.hunks, 1):
        try:
            editing.apply(hunk)
        except AlreadyApplied:
            in_place.append(number)
        except _MisfitError as error:
            raise _error(update, number, hunk, str(error), error.previews) from None
        except TooMuchError:
            raise _error(update, number, hunk, _TOO_MUCH) from None
    return Updated(editing.sheet.text(), tuple(dict.fromkeys(editing.ways)), tuple(in_place))


def _error(update: Update, number: int, hunk: Hunk, reason: str, previews: tuple[Preview, ...] = ()) -> PatchError:
    return PatchError(reason, line=hunk.line, operation="Update File", path=update.path, hunk=number, previews=previews)


class _MisfitError(Exception):
    """Raised when a hunk has no place, or more than one."""

    def __init__(self, reason: str, previews: tuple[Preview, ...] = ()) -> None:
        self.previews = previews
        super().__init__(reason)


class _Editing:
    """One text on its way through the hunks."""

    def __init__(self, text: str, effort: Effort) -> None:
        self.sheet = Sheet(text, effort)
        self.ways: list[str] = []
        self._effort = effort
        self._hints = Hints(self.sheet, effort)
        self._cursor: int | None = None

    def apply(self, hunk: Hunk) -> None:
        """Apply one hunk.

        Raises:
            _MisfitError: it has no place, or more than one.
            AlreadyApplied: what it would write is there.
            TooMuchError: looking for it would take too long.
        """
        count = sum(line[0] != "+" for line in hunk.lines)
        if not count:
            self._add(hunk)
            return
        if count > _TOO_LONG * (self.sheet.size + 1):
            raise _MisfitError(f"it has {count} lines of the file, which has {self.sheet.size}. Read the file again.")
        block = self._place(hunk)
        if block is not None:
            self._require_not_applied(hunk, block)
        lines = hunk.lines
        if block is None:
            block, lines = self._loose_place(hunk)
        self._cursor = self.sheet.rewrite(block, lines)

    def _add(self, hunk: Hunk) -> None:
        """Put new lines behind what the hint names, or at the end."""
        at = self.sheet.preceding(self.sheet.end)
        if hunk.hints and not hunk.at_end:
            at = self._named(hunk.hints)
            there = self._original_lines(self.sheet.following(at), len(hunk.lines))
        else:
            first = at
            for _ in hunk.lines[1:]:
                first = self.sheet.preceding(first)
            there = self._original_lines(first, len(hunk.lines)) if first >= 0 else []
        if there == hunk.new and any(line.strip() for line in there):
            raise AlreadyApplied
        for line in hunk.lines:
            at = self.sheet.insert(at, line[1:])
        self._cursor = at

    def _named(self, hints: tuple[str, ...]) -> int:
        places = self._hints.places(hints)
        if len(places) > 1 and self._cursor is not None:
            after = [place for place in places if self.sheet.rank(place) > self.sheet.rank(self._cursor)]
            places = after if len(after) == 1 else places
        if len(places) == 1:
            return places[0]
        told = f"fits {len(places)} lines" if places else "is nowhere in the file"
        raise _MisfitError(
            f"the hint `{shown(hints[-1])}` {told}. It must name one line, which the new lines are put behind; "
            "or give lines of the file as context."
        )

    def _place(self, hunk: Hunk) -> Block | None:
        """Where the hunk fits exactly."""
        if hunk.at_end:
            return self.sheet.last_block(hunk.old, str)
        old = hunk.old
        block = self._chosen(lambda start: self.sheet.blocks(self.sheet.exact, old, start), hunk)
        if block is None and self._cursor is not None:
            block = self._chosen(lambda start: self.sheet.former_blocks(hunk.lines, start), hunk)
        return block

    def _require_not_applied(self, hunk: Hunk, block: Block) -> None:
        """Refuse a hunk whose old lines are a part of its new ones, which are there already.

        Lines that hunks before it added do not count: a patch may add the same lines twice.
        """
        old, new = hunk.old, hunk.new
        if len(new) <= len(old) or not any(line.strip() for line in old):
            return
        for shift in range(min(len(new) - len(old) + 1, _TRIES)):
            if new[shift : shift + len(old)] != old:
                continue
            first = block[0]
            for _ in range(shift):
                first = self.sheet.preceding(first) if first >= 0 else first
            if first >= 0 and self._original_lines(first, len(new)) == new:
                raise AlreadyApplied

    def _original_lines(self, first: int, count: int) -> list[str]:
        """Return lines that follow one another, up to one that a hunk added."""
        lines: list[str] = []
        while len(lines) < count and first < self.sheet.end:
            lines.append(self.sheet[first])
            first = self.sheet.following(first)
        return lines

    def _loose_place(self, hunk: Hunk) -> tuple[Block, tuple[str, ...]]:
        """Where it fits but for blanks, or else resembles something; and its lines as they must be there."""
        old = hunk.old
        if any(line.strip() for line in old):
            if hunk.at_end:
                block = self.sheet.last_block(old, str.strip)
            else:
                block = self._chosen(lambda start: self.sheet.blocks(self.sheet.stripped, old, start), hunk)
            if block is not None:
                self.ways.append("typography")
                return block, self._indented(hunk, block)
        return self._similar_place(hunk)

    def _similar_place(self, hunk: Hunk) -> tuple[Block, tuple[str, ...]]:
        try:
            found = similar(self.sheet, hunk, self._hints.places(hunk.hints), self._effort)
        except NothingSimilarError as error:
            raise _MisfitError(self._missing(hunk), error.previews) from None
        except AmbiguousError as error:
            raise _MisfitError(_ambiguous(error.count, error.lines)) from None
        self.ways.append(found.strategy)
        return found.block, found.lines

    def _indented(self, hunk: Hunk, block: Block) -> tuple[str, ...]:
        """Return the hunk's lines as the file would have them there.

        Raises:
            _MisfitError: it is unclear how new lines are indented there.
        """
        there = [self.sheet[number] for number in block]
        pairs = [(one, other) for one, other in zip(hunk.old, there, strict=True) if one.strip()]
        style = Style(pairs, hunk.new)
        removed = [(line[1:], other) for line, other in zip(_old_lines(hunk), there, strict=True) if line[0] == "-"]
        context = iter(there)
        lines: list[str] = []
        try:
            for number, line in enumerate(hunk.lines):
                if line[0] == "+":
                    lines.append("+" + style.write(line[1:], removed, first=number == 0))
                else:
                    lines.append(line[0] + next(context))
        except UnclearIndentError:
            raise _MisfitError("its lines are indented differently in the file, and not all by the same.") from None
        return tuple(lines)

    def _chosen(self, find: Find, hunk: Hunk) -> Block | None:
        """The one place that is meant; None when there is none.

        Raises:
            _MisfitError: several can be meant.
        """
        found = list(islice(find(None), 2))
        if len(found) < 2:
            return found[0] if found else None
        places = self._hints.places(hunk.hints)
        if places:
            return self._nearest(find, places)
        return self._as_it_was(find) or self._behind_the_last(find) or self._refuse(find)

    def _nearest(self, find: Find, places: list[int]) -> Block:
        """The first place behind the hint."""
        self._effort.look(8 * len(places))
        blocks = {block[0]: block for place in places if (block := next(find(place), None)) is not None}
        if len(blocks) > 1 and self._cursor is not None:
            blocks = {first: block for first, block in blocks.items() if self._is_behind(block)} or blocks
        return next(iter(blocks.values())) if len(blocks) == 1 else self._refuse(find)

    def _as_it_was(self, find: Find) -> Block | None:
        """The only place in the lines that were there from the start: those are what somebody read."""
        if not self.sheet.new:
            return None
        end = self.sheet.end
        blocks = list(islice((block for block in find(None) if max(block) < end), 2))
        return blocks[0] if len(blocks) == 1 else None

    def _behind_the_last(self, find: Find) -> Block | None:
        """The only place behind the hunk before."""
        if self._cursor is None:
            return None
        blocks = list(islice((block for block in find(self._cursor) if self._is_behind(block)), 2))
        return blocks[0] if len(blocks) == 1 else None

    def _is_behind(self, block: Block) -> bool:
        return self._cursor is None or self.sheet.rank(block[-1]) > self.sheet.rank(self._cursor)

    def _refuse(self, find: Find) -> NoReturn:
        blocks = list(islice(find(None), _MOST_COUNTED))
        lines = [block[0] + 1 for block in blocks if block[0] < self.sheet.end]
        raise _MisfitError(_ambiguous(len(blocks), lines))

    def _missing(self, hunk: Hunk) -> str:
        """Why it has no place, with the first line that is nowhere."""
        where = " at the end of the file" if hunk.at_end else " in the file"
        for line in hunk.old:
            if not self.sheet.stripped.places(line.strip()):
                return f"its lines are not{where}: there is no line `{shown(line)}`. Read the file again."
        return f"its lines do not follow one another{where}. Read the file again."


def _old_lines(hunk: Hunk) -> list[str]:
    return [line for line in hunk.lines if line[0] != "+"]


def _ambiguous(count: int, lines: list[int]) -> str:
    many = f"{count} or more" if count >= _MOST_COUNTED else str(count)
    told = ", ".join(map(str, lines[:10])) + (", ..." if len(lines) > 10 else "")
    return (
        f"its lines are at {many} places of the file" + (f", at lines {told}" if told else "") + ". Give more lines of "
        "context, or name what stands before the right ones: `@@ def name @@`."
    )
