"""Dice notation: `3d6+2` means three dice with six sides, plus two."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

_NOTATION = re.compile(r"(\d{0,4})[dD](\d{1,5})(?:([+-])(\d{1,6}))?", re.ASCII)
MAX_SIDES = 1000
MAX_DICE = 1000


@dataclass(frozen=True, slots=True)
class Dice:
    """Dice of one kind, and a bonus that is added to their sum."""

    count: int
    sides: int
    bonus: int = 0

    def roll(self, source: random.Random) -> list[int]:
        """Return the value of each die."""
        return [source.randint(1, self.sides) for _ in range(self.count)]

    def chance_of_at_least(self, minimum: int) -> Fraction:
        """Compute the exact probability of a total of at least `minimum`."""
        ways: Counter[int] = Counter({0: 1})
        for _ in range(self.count):
            next_ways: Counter[int] = Counter()
            for total, number in ways.items():
                for side in range(1, self.sides + 1):
                    next_ways[total + side] += number
            ways = next_ways
        enough = sum(number for total, number in ways.items() if total + self.bonus >= minimum)
        return Fraction(enough, self.sides**self.count)


def read_dice(notation: str) -> Dice:
    """Parse dice notation.

    Raises:
        ValueError: The text is not dice notation, or exceeds the limits.
    """
    found = _NOTATION.fullmatch(notation.replace(" ", ""))
    if found is None:
        raise ValueError(f"{notation!r} is not dice. Write them like 2d6, d20 or 3d8+2.")
    count, sides, sign, bonus = found.groups()
    dice = Dice(int(count or 1), int(sides), int(f"{sign}{bonus}") if sign else 0)
    if not 1 <= dice.count <= MAX_DICE or not 1 <= dice.sides <= MAX_SIDES:
        raise ValueError(f"{notation!r} exceeds the limits: 1 to {MAX_DICE} dice with 1 to {MAX_SIDES} sides.")
    return dice
