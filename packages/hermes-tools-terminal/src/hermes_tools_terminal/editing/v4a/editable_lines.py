"""A text as lines that are found, removed and added without going through the others.

A line keeps its number for life: those of the text have 0, 1, ..., added ones have higher numbers. Neighbours are noted
only where something has changed, so a large text costs little.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

_STEPS = 40_000_000
"""Lines that are looked at in vain; a few seconds of work. A patch that fits needs almost none of them."""

_CHARACTERS = 100_000_000
"""Text that is searched for hunks that fit nowhere exactly, all hunks together; some seconds of work."""


class BudgetExceededError(Exception):
    """Raised when a patch has used up what it may."""


class WorkBudget:
    """What one patch has left."""

    def __init__(self) -> None:
        self._steps = _STEPS
        self._characters = _CHARACTERS

    def look(self, lines: int) -> None:
        """Count lines that were looked at and were not the right ones.

        Raises:
            TooMuchError: there were too many of them.
        """
        self._steps -= lines
        if self._steps < 0:
            raise BudgetExceededError

    def search(self, characters: int) -> None:
        """Count text that is about to be searched for something similar; the first text may be of any length.

        Raises:
            TooMuchError: there was too much of it.
        """
        if self._characters < 0 or (self._characters < _CHARACTERS and characters > self._characters):
            raise BudgetExceededError
        self._characters -= characters


class Index:
    """Where each text of a line is, in the order of the sheet.

    Args:
        lines: The lines of the text.
        key: What lines that count as the same have in common.
        rank: Tells the order of two lines.
    """

    def __init__(self, lines: Sequence[str], key: Callable[[str], str], rank: Callable[[int], float]) -> None:
        self.key = key
        self._rank = rank
        self._places: dict[str, list[int]] = {}
        for number, line in enumerate(lines):
            self._places.setdefault(key(line), []).append(number)

    def places(self, key: str) -> list[int]:
        """The lines that have it."""
        return self._places.get(key, [])

    def add(self, line: str, number: int) -> None:
        """Note a new line."""
        insort(self._places.setdefault(self.key(line), []), number, key=self._rank)

    def remove(self, line: str, number: int) -> None:
        """Forget a line."""
        places = self._places[self.key(line)]
        at = bisect_left(places, self._rank(number), key=self._rank)
        while places[at] != number:  # added lines between the same two have one rank
            at += 1
        del places[at]


HEAD = -1
"""What stands before the first line."""

Block = list[int]
"""Lines that follow one another, by their numbers."""


class EditableLines:
    """The lines of one text.

    Args:
        text: The text.
        effort: How much may be looked at.
    """

    def __init__(self, text: str, budget: WorkBudget) -> None:
        self._ends = not text or text.endswith("\n")
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        self.end = len(lines)
        """What stands behind the last line."""
        self.size = len(lines)
        """How many lines there are now."""
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
        """Where lines are whose blanks at both ends do not count."""
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
        """All lines by their numbers, those that are gone included; an empty one stands for the end."""
        return self._lines

    @property
    def new(self) -> range:
        """The lines that were added, those that are gone again included."""
        return range(self.end + 1, len(self._lines))

    def is_gone(self, number: int) -> bool:
        """Whether a line was removed."""
        return number in self._gone

    @property
    def changed(self) -> bool:
        """Whether any line was added or removed."""
        return bool(self._next)

    def is_unchanged(self, block: Block) -> bool:
        """Whether all lines of a block are there, with nothing between them."""
        return not any(number in self._gone for number in block) and all(
            self.following(line) == after for line, after in pairwise(block)
        )

    def rank(self, number: int) -> float:
        """Where a line stands: earlier ones have lower ranks, those added between the same two the same."""
        return number if number <= self.end else self._ranks[number]

    def following(self, number: int) -> int:
        """The next line."""
        return self._next.get(number, number + 1)

    def preceding(self, number: int) -> int:
        """The line before."""
        return self._previous.get(number, number - 1)

    def is_last(self, block: Block) -> bool:
        """Whether nothing but blank lines follows a block."""
        number = self.following(block[-1])
        while number != self.end and not self._lines[number].strip():
            number = self.following(number)
        return number == self.end

    def order(self) -> Block:
        """All lines as they are now."""
        if not self.changed:
            return list(range(self.end))
        found, number = [], self.following(HEAD)
        while number != self.end:
            found.append(number)
            number = self.following(number)
        return found

    def text(self) -> str:
        """The text as it is now."""
        lines = [self._lines[number] for number in self.order()]
        return "\n".join(lines) + ("\n" if self._ends and lines else "")

    def rewrite(self, block: Block, lines: Sequence[str]) -> int:
        """Change a block as the lines of a hunk say; the line that the last change is at or behind.

        Args:
            block: The lines that the hunk expects; some may be gone if they are context.
            lines: The hunk's lines, each with its sign.
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
        """What new lines between two lines of a block stand behind: they may have others between them by now."""
        if at < len(block) and block[at] not in self._gone:
            return self.preceding(block[at])
        return block[at - 1]

    def insert(self, after: int, line: str) -> int:
        """Add a line behind another."""
        after = self._living(after)
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
        """Remove a line; the one before it."""
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
        """Every place where these lines follow one another now, in order.

        Args:
            index: What counts as the same line.
            old: The lines, at least one.
            start: A line that the blocks must not end before.
        """
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
        """Every place where the lines of a hunk followed one another before anything was changed.

        Those that it removes must still be there; its context need not.

        Args:
            lines: The lines of a hunk, each with its sign.
            start: A line that the blocks must not end before.
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
        """Whether all that a hunk removes is there, and a neighbour of all that it adds."""
        there = [number not in self._gone for number in block]
        at = 0
        for line in lines:
            if line[0] == "+":
                if not any(there[max(0, at - 1) : at + 1]):
                    return False
                continue
            if line[0] == "-" and not there[at]:
                return False
            at += 1
        return True

    def last_block(self, old: Sequence[str], key: Callable[[str], str]) -> Block | None:
        """These lines at the end of the text, before empty lines at most."""
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
        """The first place worth a look: a block that reaches the start begins at most its length before it."""
        if start is None:
            return 0
        first = self._living(start)
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

    def _living(self, number: int) -> int:
        """A line, or the nearest one before it that is still there."""
        found = number
        while found in self._gone:
            found = self.preceding(found)
        while number in self._gone:  # whoever asks again has a shorter way
            self._previous[number], number = found, self.preceding(number)
        return found

    def _link(self, before: int, after: int) -> None:
        self._next[before] = after
        self._previous[after] = before
