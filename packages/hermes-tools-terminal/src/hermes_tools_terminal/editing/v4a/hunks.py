"""Applies the hunks of one file, each where it belongs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NoReturn

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

_MOST_COUNTED = 1000
"""How many places of a hunk are counted for a message."""


def updated(text: str, update: Update, effort: Effort) -> tuple[str, tuple[str, ...]]:
    """A text after the hunks of an operation, and the ways in which those were found that do not fit exactly.

    Args:
        text: The text.
        update: The operation.
        effort: How much may be looked at.

    Raises:
        PatchError: a hunk does not fit, or fits several places.
    """
    done = quickly(text, update.hunks)
    if done is not None:
        return done, ()
    editing = _Editing(text, effort)
    for number, hunk in enumerate(update.hunks, 1):
        try:
            editing.apply(hunk)
        except _MisfitError as error:
            raise _error(update, number, hunk, str(error), error.previews) from None
        except TooMuchError:
            raise _error(update, number, hunk, _TOO_MUCH) from None
    return editing.sheet.text(), tuple(dict.fromkeys(editing.ways))


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
            TooMuchError: looking for it would take too long.
        """
        count = sum(line[0] != "+" for line in hunk.lines)
        if not count:
            self._add(hunk)
            return
        if count > _TOO_LONG * (self.sheet.size + 1):
            raise _MisfitError(f"it has {count} lines of the file, which has {self.sheet.size}. Read the file again.")
        block = self._place(hunk)
        lines = hunk.lines
        if block is None:
            block, lines = self._loose_place(hunk)
        self._cursor = self.sheet.rewrite(block, lines)

    def _add(self, hunk: Hunk) -> None:
        """Put new lines behind what the hint names, or at the end."""
        at = self.sheet.preceding(self.sheet.end)
        if hunk.hints and not hunk.at_end:
            at = self._named(hunk.hints)
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

    def _loose_place(self, hunk: Hunk) -> tuple[Block, tuple[str, ...]]:
        """Where it fits but for blanks, or else resembles something; and its lines as they must be there."""
        old = hunk.old
        if any(line.strip() for line in old):
            if hunk.at_end:
                block = self.sheet.last_block(old, str.strip)
            else:
                block = self._chosen(lambda start: self.sheet.blocks(self.sheet.stripped, old, start), hunk)
            if block is not None:
                self.ways.append("line_trimmed")
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
        """The hunk's lines with the indent that the file has there."""
        region = "\n".join(self.sheet[number] for number in block)
        new = iter(reindented("\n".join(hunk.old), region, "\n".join(hunk.new)).split("\n"))
        return tuple(line[0] + (next(new) if line[0] != "-" else "") for line in hunk.lines)

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


def _ambiguous(count: int, lines: list[int]) -> str:
    many = f"{count} or more" if count >= _MOST_COUNTED else str(count)
    told = ", ".join(map(str, lines[:10])) + (", ..." if len(lines) > 10 else "")
    return (
        f"its lines are at {many} places of the file" + (f", at lines {told}" if told else "") + ". Give more lines of "
        "context, or name what stands before the right ones: `@@ def name @@`."
    )
