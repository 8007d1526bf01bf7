"""The lines of a text, which can be found, removed and added without moving the others.

A line keeps its number: those of the text have 0, 1, ..., added ones have higher numbers. Neighbors are recorded only
where something has changed, so a large text costs little.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

_STEPS = 40_000_000
"""The maximum number of lines compared in vain, a few seconds of work; a patch that fits needs almost none."""

_CHARACTERS = 100_000_000
"""The maximum number of characters searched for inexact hunks of a patch: some seconds of work."""


class BudgetExceededError(Exception):
    """Raised when a patch has used up its budget."""


class WorkBudget:
    """Limits the work for one patch: a hostile one must not keep the machine busy."""

    def __init__(self) -> None:
        self._steps = _STEPS
        self._characters = _CHARACTERS

    def look(self, lines: int) -> None:
        """Count lines that were compared in vain. Raise `BudgetExceededError` if there were too many."""
        self._steps -= lines
        if self._steps < 0:
            raise BudgetExceededError

    def search(self, characters: int) -> None:
        """Count text to search inexactly; the first text may be of any length.

        Raises:
            BudgetExceededError: It was too much.
        """
        if self._characters < 0 or (self._characters < _CHARACTERS and characters > self._characters):
            raise BudgetExceededError
        self._characters -= characters


class Index:
    """The positions of lines by their text."""

    def __init__(self, lines: Sequence[str], key: Callable[[str], str], rank: Callable[[int], float]) -> None:
        self.key = key
        self._rank = rank
        self._places: dict[str, list[int]] = {}
        for number, line in enumerate(lines):
            self._places.setdefault(key(line), []).append(number)

    def places(self, key: str) -> list[int]:
        """Return the lines with a key."""
        return self._places.get(key, [])

    def add(self, line: str, number: int) -> None:
        """Add a line."""
        insort(self._places.setdefault(self.key(line), []), number, key=self._rank)

    def remove(self, line: str, number: int) -> None:
        """Remove a line."""
        places = self._places[self.key(line)]
        at = bisect_left(places, self._rank(number), key=self._rank)
        while places[at] != number:  # lines added between the same two have equal ranks
            at += 1
        del places[at]


HEAD = -1
"""The number of the position before the first line."""

Block = list[int]
"""Consecutive lines, by their numbers."""


class EditableLines:
    """The lines of a text."""

    def __init__(self, text: str, budget: WorkBudget) -> None:
        self._ends = not text or text.endswith("\n")
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        self.end = len(lines)
        """The number of the position after the last line."""
        self.size = len(lines)
        """The present number of lines."""
        self._budget = budget
        self._ranks: dict[int, float] = {}
        self.exact = Index(lines, str, self.rank)
        self._stripped: Index | None = None
        self._first = lines
        self._lines = [*lines, ""]
        self._next: dict[int, int] = {}
        self._previous: dict[int, int] = {}
        self._gone: dict[int, None] = {}
        self._gone_places: dict[str, list[int]] = {}

    def __getitem__(self, number: int) -> str:
        return self._lines[number]

    @property
    def stripped(self) -> Index:
        """The index of lines by their stripped text."""
        if self._stripped is None:
            index = self._stripped = Index(self._first, str.strip, self.rank)
            for number in self._gone:
                if number < self.end:
                    index.remove(self._lines[number], number)
            for number in self.new:
                if number not in self._gone:
                    index.add(self._lines[number], number)
        return self._stripped

    @property
    def lines(self) -> Sequence[str]:
        """All lines by their numbers, including removed ones; an empty line stands for the end."""
        return self._lines

    @property
    def new(self) -> range:
        """The numbers of the added lines, including those removed again."""
        return range(self.end + 1, len(self._lines))

    def is_gone(self, number: int) -> bool:
        """Return whether a line was removed."""
        return number in self._gone

    @property
    def changed(self) -> bool:
        """Whether any line was added or removed."""
        return bool(self._next)

    def is_unchanged(self, block: Block) -> bool:
        """Return whether all lines of a block exist and are consecutive."""
        return not any(number in self._gone for number in block) and all(
            self.following(line) == after for line, after in pairwise(block)
        )

    def rank(self, number: int) -> float:
        """Return the position of a line as a sort key; lines added between the same two are equal."""
        return number if number <= self.end else self._ranks[number]

    def following(self, number: int) -> int:
        """Return the next line."""
        return self._next.get(number, number + 1)

    def preceding(self, number: int) -> int:
        """Return the previous line."""
        return self._previous.get(number, number - 1)

    def is_last(self, block: Block) -> bool:
        """Return whether only blank lines follow a block."""
        number = self.following(block[-1])
        while number != self.end and not self._lines[number].strip():
            number = self.following(number)
        return number == self.end

    def order(self) -> Block:
        """Return all present lines in order."""
        if not self.changed:
            return list(range(self.end))
        found, number = [], self.following(HEAD)
        while number != self.end:
            found.append(number)
            number = self.following(number)
        return found

    def text(self) -> str:
        """Return the present text."""
        lines = [self._lines[number] for number in self.order()]
        return "\n".join(lines) + ("\n" if self._ends and lines else "")

    def rewrite(self, block: Block, lines: Sequence[str]) -> int:
        """Apply the lines of a hunk to a block, and return the line at or after which the last change is.

        Args:
            block: The lines that the hunk expects; context lines may be removed already.
            lines: The lines of the hunk with their signs.
        """
        matched, at, last, adding = 0, HEAD, block[-1], False
        for line in lines:
            if line[0] == "+":
                at = last = self.insert(at if adding else self._gap(block, matched), line[1:])
                adding = True
                continue
            if line[0] == "-":
                last = self.remove(block[matched])
            matched += 1
            adding = False
        return last

    def _gap(self, block: Block, at: int) -> int:
        """Return the line after which to insert; other lines may have been inserted already."""
        if at < len(block) and block[at] not in self._gone:
            return self.preceding(block[at])
        return block[at - 1]

    def insert(self, after: int, line: str) -> int:
        """Insert a line after another."""
        after = self._nearest_existing(after)
        number, following = len(self._lines), self.following(after)
        self._lines.append(line)
        self.size += 1
        self._ranks[number] = self.rank(after) // 1 + 0.5
        self._link(after, number)
        self._link(number, following)
        for index in filter(None, (self.exact, self._stripped)):
            index.add(line, number)
        return number

    def remove(self, number: int) -> int:
        """Remove a line; return the one before it."""
        before, line = self.preceding(number), self._lines[number]
        self._link(before, self.following(number))
        for index in filter(None, (self.exact, self._stripped)):
            index.remove(line, number)
        self._gone[number] = None
        self.size -= 1
        self._previous[number] = before
        if number < self.end:
            self._gone_places.setdefault(line, []).append(number)
        return before

    def blocks(self, index: Index, old: Sequence[str], start: int | None = None) -> Iterator[Block]:
        """Yield every place where lines are consecutive, in order; the blocks must not end before the line `start`."""
        keys = [index.key(line) for line in old]
        rarest = min(range(len(keys)), key=lambda each: len(index.places(keys[each])))
        places = index.places(keys[rarest])
        least = HEAD if start is None else self.rank(start)
        for at in range(self._from(places, start, len(keys)), len(places)):
            block = self._block(places[at], rarest, keys, index.key)
            if block is not None and self.rank(block[-1]) >= least:
                self._budget.look(1)
                yield block

    def former_blocks(self, lines: Sequence[str], start: int | None = None) -> Iterator[Block]:
        """Yield every place where the lines of a hunk were consecutive originally, and which does not end
        before `start`.

        The lines that it removes must still exist; its context may be gone.
        """
        old = [line[1:] for line in lines if line[0] != "+"]
        rarest = min(set(old), key=lambda line: len(self.exact.places(line)) + len(self._gone_places.get(line, [])))
        shift = old.index(rarest)
        least = HEAD if start is None else self.rank(start)
        for place in self._former_places(rarest):
            first, end = place - shift, place - shift + len(old)
            self._budget.look(1)
            if first < 0 or end > self.end or end - 1 < least or self._lines[first] != old[0]:
                continue
            self._budget.look(len(old))
            block = list(range(first, end))
            if self._lines[first:end] == old and self._fits_still(block, lines):
                yield block

    def _fits_still(self, block: Block, lines: Sequence[str]) -> bool:
        """Return whether all removed lines, and a neighbor of all added lines, still exist."""
        exists = [number not in self._gone for number in block]
        at = 0
        for line in lines:
            if line[0] == "+":
                if not any(exists[max(0, at - 1) : at + 1]):
                    return False
                continue
            if line[0] == "-" and not exists[at]:
                return False
            at += 1
        return True

    def last_block(self, old: Sequence[str], key: Callable[[str], str]) -> Block | None:
        """Return the place of lines at the end of the text; only empty lines may follow."""
        keys = [key(line) for line in old]
        last = self.preceding(self.end)
        while last != HEAD:
            block = self._block(last, len(keys) - 1, keys, key)
            if block is not None:
                return block
            if self._lines[last].strip():
                return None
            last = self.preceding(last)
        return None

    def _former_places(self, line: str) -> list[int]:
        still = [number for number in self.exact.places(line) if number < self.end]
        self._budget.look(len(still) // 16)
        return sorted(still + self._gone_places.get(line, []))

    def _from(self, places: list[int], start: int | None, length: int) -> int:
        """Return the first place to check: a block that reaches the start begins at most its length before it."""
        if start is None:
            return 0
        first = self._nearest_existing(start)
        for _ in range(length):
            if first == HEAD:
                return 0
            first = self.preceding(first)
        return bisect_left(places, self.rank(first), key=self.rank)

    def _block(self, number: int, shift: int, keys: list[str], key: Callable[[str], str]) -> Block | None:
        first = number
        for _ in range(shift):
            if first == HEAD:
                return None
            first = self.preceding(first)
        block: Block = []
        number = first
        for wanted in keys:
            if number in (HEAD, self.end) or key(self._lines[number]) != wanted:
                self._budget.look(shift + len(block) + 1)
                return None
            block.append(number)
            number = self.following(number)
        return block

    def _nearest_existing(self, number: int) -> int:
        """Return a line, or the nearest one before it that still exists."""
        found = number
        while found in self._gone:
            found = self.preceding(found)
        while number in self._gone:  # shorten the path for the next call
            self._previous[number], number = found, self.preceding(number)
        return found

    def _link(self, before: int, after: int) -> None:
        self._next[before] = after
        self._previous[after] = before
