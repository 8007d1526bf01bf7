"""Where the lines of a text are, by what they say."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence


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
