"""Find where a hunk belongs: by its `@@` hints, or inexactly by the rules for quoted text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Final, Protocol

from hermes_editing.diff import matching_blocks
from hermes_editing.fuzzy.normalized_match import Scope
from hermes_editing.fuzzy.replace import find_lines
from hermes_editing.fuzzy.results import AlreadyAppliedError, ManyMatchesError, NoMatchError
from hermes_editing.fuzzy.text_index import TextIndex, lines_of
from hermes_editing.v4a.editable_lines import HEAD, Block, EditableLines, WorkBudget
from hermes_editing.v4a.patch import Hunk


class HintSearch:
    """Finds the lines that `@@` hints name."""

    def __init__(self, editable: EditableLines, budget: WorkBudget) -> None:
        self._editable = editable
        self._budget = budget
        self._sorted: list[tuple[str, int]] | None = None
        self._known = 0
        self._text = ""
        self._starts: list[int] = []

    def places(self, hints: tuple[str, ...]) -> list[int]:
        """Return the lines that the last hint can mean, given that the others precede it.

        Hints that are not found are ignored, but if the last one is not found, the result is empty.
        """
        found: list[int] = []
        for hint in hints:
            candidates = self._lines_with(hint)
            within = self._first_after(found, candidates) if found else []
            found = within or candidates or found
            if not candidates and hint == hints[-1]:
                return []
        return found

    def _first_after(self, outer: list[int], inner: list[int]) -> list[int]:
        rank = self._editable.rank
        found: dict[int, None] = {}
        for number in outer:
            at = bisect_left(inner, rank(number), key=rank)
            at += 1 if at < len(inner) and inner[at] == number else 0
            if at < len(inner):
                found[inner[at]] = None
        self._budget.look(len(outer))
        return list(found)

    def _lines_with(self, hint: str) -> list[int]:
        """Return the lines that equal the hint, or else begin with it, or else contain it."""
        same = self._editable.stripped.places(hint)
        if same:
            self._budget.look(len(same) // 16)
            return list(same)
        return self._beginning(hint) or self._containing(hint)

    def _beginning(self, hint: str) -> list[int]:
        lines = self._in_order_of_letters()
        found = []
        for at in range(bisect_left(lines, (hint, HEAD)), len(lines)):
            text, number = lines[at]
            if not text.startswith(hint):
                break
            self._budget.look(1)
            if not self._editable.is_gone(number):
                found.append(number)
        return sorted(found, key=self._editable.rank)

    def _in_order_of_letters(self) -> list[tuple[str, int]]:
        if self._sorted is None:
            self._sorted = sorted((self._editable[number].strip(), number) for number in range(self._editable.end))
        for number in self._editable.new[self._known :]:
            insort(self._sorted, (self._editable[number].strip(), number))
        self._known = len(self._editable.new)
        return self._sorted

    def _containing(self, hint: str) -> list[int]:
        self._read_along()
        found: dict[int, None] = {}
        at = self._text.find(hint)
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            found[number] = None
            self._budget.look(1)
            at = self._text.find(hint, self._starts[number + 1])
        read, lines = len(self._starts) - 1, self._editable.lines
        found.update((number, None) for number in range(read, len(lines)) if hint in lines[number])
        self._budget.look(len(lines) // 32)
        return sorted((number for number in found if not self._editable.is_gone(number)), key=self._editable.rank)

    def _read_along(self) -> None:
        """Join the lines into one text for fast searching; a few new lines do not justify joining again."""
        lines = self._editable.lines
        read = len(self._starts) - 1
        if read < 0 or len(lines) - read > max(64, read // 8):
            self._text = "\n".join(lines)
            self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))


Find = Callable[[int | None], Iterator[Block]]
"""Yields the places of a hunk that do not end before a line."""

_PREPARED: Final = 8
"""By which factor it is cheaper to search a text again."""

_LEAST: Final = 100_000
"""The minimum cost of a search in characters: comparing similar places takes time too."""

_PLACE: Final = 64
"""The cost of a match in lines."""


class Chooser(Protocol):
    """Chooses among several places of a hunk."""

    def named(self, hunk: Hunk) -> list[int]:
        """Return the lines that the hints of a hunk can mean."""

    def preferred(self, find: Find, hunk: Hunk) -> Block | None:
        """Return the intended place; None if it is unclear."""


class AmbiguousHunkError(Exception):
    """Raised when a hunk can mean several places."""

    def __init__(self, count: int, lines: list[int]) -> None:
        self.count = count
        self.lines = lines
        super().__init__(f"{count} places")


@dataclass(frozen=True, slots=True, kw_only=True)
class InexactMatch:
    """The inexact match of a hunk: how it was found, its lines, and the hunk adapted to them, with signs."""

    strategy: str
    block: Block
    lines: tuple[str, ...]


class InexactSearch:
    """Finds hunks that are quoted inexactly."""

    def __init__(self, editable: EditableLines, budget: WorkBudget) -> None:
        self._editable = editable
        self._budget = budget
        self._first: TextIndex | None = None

    def find(self, hunk: Hunk, chooser: Chooser) -> InexactMatch:
        """Find the one place that a hunk means; the hunk has context or removes lines.

        Raises:
            NoMatchError: Nothing matches.
            SeveralPlacesError: Several places match.
            AlreadyAppliedError: Its new lines are already present.
            BudgetExceededError: The budget is used up.
        """
        if self._editable.changed:
            found = None if hunk.at_end else self._find_unchanged(hunk, chooser)
            return found or self._find_in(self._source(self._editable.order()), hunk, chooser)
        return self._find_in(self._first_page(), hunk, chooser)

    def _find_unchanged(self, hunk: Hunk, chooser: Chooser) -> InexactMatch | None:
        """Find a unique, unchanged place in the original file, for which no text has to be prepared."""
        try:
            found = self._find_in(self._first_page(), hunk, chooser)
        except (NoMatchError, AmbiguousHunkError, AlreadyAppliedError):
            return None
        return found if self._editable.is_unchanged(found.block) else None

    def _first_page(self) -> TextIndex:
        """Return the original file."""
        if self._first is not None:
            self._budget.search(max(_LEAST, len(self._first.text) // _PREPARED))
            return self._first
        self._first = self._source(range(self._editable.end))
        return self._first

    def _source(self, order: Sequence[int]) -> TextIndex:
        source = TextIndex("".join(f"{self._editable[number]}\n" for number in order))
        self._budget.search(max(_LEAST, len(source.text)))
        return source

    def _find_in(self, source: TextIndex, hunk: Hunk, chooser: Chooser) -> InexactMatch:
        order = range(self._editable.end) if source is self._first else self._editable.order()
        scope = _HunkScope(self._editable, self._budget, hunk, order, chooser)
        try:
            found = find_lines(source, hunk.old, hunk.new, hunk.context_pairs, scope)
        except ManyMatchesError as error:
            lines = [number + 1 for line in error.lines if (number := order[line - 1]) < self._editable.end]
            raise AmbiguousHunkError(error.count, lines) from None
        (start, end), piece = found.spans[0], found.pieces[0]
        first = source.line_at(start)
        block = list(order[first : first + source.text.count("\n", start, end)])
        actual = [self._editable[number] for number in block]
        return InexactMatch(strategy=found.strategy, block=block, lines=_difference(actual, lines_of(piece)))


class _HunkScope(Scope):
    """Restricts a hunk to whole lines, by its hints, `*** End of File` and the previous hunk."""

    whole_lines = True

    def __init__(
        self, editable: EditableLines, budget: WorkBudget, hunk: Hunk, order: Sequence[int], chooser: Chooser
    ) -> None:
        self._editable = editable
        self._budget = budget
        self._hunk = hunk
        self._order = order
        self._chooser = chooser

    def choose(self, places: list[range], *, similar: bool = False) -> list[range]:
        """Choose the place at the end, or the one that the hints or the previous hunk suggest.

        A similar place must follow what the hints name, and the previous hunk says nothing about it.
        """
        self._budget.look(_PLACE * len(places))
        blocks = [list(self._order[place.start : place.stop]) for place in places]
        if self._hunk.at_end:
            blocks = [block for block in blocks if self._editable.is_last(block)]
        elif similar and (named := self._chooser.named(self._hunk)):
            blocks = list(self._behind(blocks, named[0]))
        if len(blocks) > 1 and (self._hunk.hints or not similar):
            block = self._chooser.preferred(partial(self._behind, blocks), self._hunk)
            blocks = blocks if block is None else [block]
        firsts = {block[0] for block in blocks}
        return [place for place in places if self._order[place.start] in firsts]

    def is_original(self, lines: range) -> bool:
        """Return whether no earlier hunk added any of the lines."""
        return all(number < self._editable.end for number in self._order[lines.start : lines.stop])

    def _behind(self, blocks: list[Block], start: int | None) -> Iterator[Block]:
        """Yield the blocks that do not end before a line."""
        rank = self._editable.rank
        at = 0 if start is None else bisect_left(blocks, rank(start), key=lambda block: rank(block[-1]))
        return (blocks[index] for index in range(at, len(blocks)))


def _difference(actual: list[str], new: list[str]) -> tuple[str, ...]:
    """Return the hunk that turns some lines into others."""
    lines: list[str] = []
    line = other = 0
    for start, start_new, size in [*matching_blocks(actual, new), (len(actual), len(new), 0)]:
        lines += ["-"] * (start - line)
        lines += [f"+{each}" for each in new[other:start_new]]
        lines += [" "] * size
        line, other = start + size, start_new + size
    return tuple(lines)
