"""Finds what the `@@` lines of a hunk name."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from itertools import accumulate

from hermes_tools_terminal.editing.v4a.effort import Effort
from hermes_tools_terminal.editing.v4a.sheet import HEAD, Sheet


class Hints:
    """Finds hints in a sheet.

    Args:
        sheet: The lines.
        effort: How much may be looked at.
    """

    def __init__(self, sheet: Sheet, effort: Effort) -> None:
        self._sheet = sheet
        self._effort = effort
        self._sorted: list[tuple[str, int]] | None = None
        self._known = 0
        self._text = ""
        self._starts: list[int] = []

    def places(self, hints: tuple[str, ...]) -> list[int]:
        """The lines that the last hint can mean when those before it stand before it.

        A hint that is nowhere is as good as none; nothing is found when the last one is nowhere.
        """
        found: list[int] = []
        for hint in hints:
            here = self._lines_with(hint)
            within = self._first_after(found, here) if found else []
            found = within or here or found
            if not here and hint == hints[-1]:
                return []
        return found

    def _first_after(self, outer: list[int], inner: list[int]) -> list[int]:
        rank = self._sheet.rank
        found: dict[int, None] = {}
        for number in outer:
            at = bisect_left(inner, rank(number), key=rank)
            at += 1 if at < len(inner) and inner[at] == number else 0
            if at < len(inner):
                found[inner[at]] = None
        self._effort.look(len(outer))
        return list(found)

    def _lines_with(self, hint: str) -> list[int]:
        """The lines that are the hint; else those that begin with it; else those that have it somewhere."""
        same = self._sheet.stripped.places(hint)
        if same:
            self._effort.look(len(same) // 16)
            return list(same)
        return self._beginning(hint) or self._containing(hint)

    def _beginning(self, hint: str) -> list[int]:
        lines = self._in_order_of_letters()
        found = []
        for at in range(bisect_left(lines, (hint, HEAD)), len(lines)):
            text, number = lines[at]
            if not text.startswith(hint):
                break
            self._effort.look(1)
            if not self._sheet.is_gone(number):
                found.append(number)
        return sorted(found, key=self._sheet.rank)

    def _in_order_of_letters(self) -> list[tuple[str, int]]:
        if self._sorted is None:
            self._sorted = sorted((self._sheet[number].strip(), number) for number in range(self._sheet.end))
        for number in self._sheet.new[self._known :]:
            insort(self._sorted, (self._sheet[number].strip(), number))
        self._known = len(self._sheet.new)
        return self._sorted

    def _containing(self, hint: str) -> list[int]:
        self._read_along()
        found: dict[int, None] = {}
        at = self._text.find(hint)
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            found[number] = None
            self._effort.look(1)
            at = self._text.find(hint, self._starts[number + 1])
        read, lines = len(self._starts) - 1, self._sheet.lines
        found.update((number, None) for number in range(read, len(lines)) if hint in lines[number])
        self._effort.look(len(lines) // 32)
        return sorted((number for number in found if not self._sheet.is_gone(number)), key=self._sheet.rank)

    def _read_along(self) -> None:
        """Have the lines as one text, which is quickly searched; a few new ones are not worth making it anew."""
        lines = self._sheet.lines
        read = len(self._starts) - 1
        if read < 0 or len(lines) - read > max(64, read // 8):
            self._text = "\n".join(lines)
            self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
