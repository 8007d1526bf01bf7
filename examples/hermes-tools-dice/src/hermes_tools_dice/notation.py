"""The language of dice: `3d6+2` is three dice of six sides, and two added to their sum."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

_NOTATION = re.compile(r"(\d{0,4})[dD](\d{1,5})(?:([+-])(\d{1,6}))?", re.ASCII)
MOST_SIDES = 1000
MOST_DICE = 1000


@dataclass(frozen=True, slots=True)
class Dice:
    """Some dice of the same kind, and what is added to their sum."""

    count: int
    sides: int
    bonus: int = 0

    def roll(self, source: random.Random) -> list[int]:
        """What each die shows."""
        return [source.randint(1, self.sides) for _ in range(self.count)]

    def chance_of_at_least(self, wanted: int) -> Fraction:
        """How likely a total is that is not below a number: exactly, not by trying."""
        ways: Counter[int] = Counter({0: 1})
        for _ in range(self.count):
            grown: Counter[int] = Counter()
            for total, number in ways.items():
                for side in range(1, self.sides + 1):
                    grown[total + side] += number
            ways = grown
        enough = sum(number for total, number in ways.items() if total + self.bonus >= wanted)
        return Fraction(enough, self.sides**self.count)


def read_dice(notation: str) -> Dice:
    """The dice in a text.

    Raises:
        ValueError: it is not dice; the message says what dice look like.
    """
    found = _NOTATION.fullmatch(notation.replace(" ", ""))
    if found is None:
        raise ValueError(f"{notation!r} is not dice. Write them like 2d6, d20 or 3d8+2.")
    count, sides, sign, bonus = found.groups()
    dice = Dice(int(count or 1), int(sides), int(f"{sign}{bonus}") if sign else 0)
    if not 1 <= dice.count <= MOST_DICE or not 1 <= dice.sides <= MOST_SIDES:
        raise ValueError(
            f"{notation!r} is more than anybody can hold: 1 to {MOST_DICE} dice of 1 to {MOST_SIDES} sides."
        )
    return dice
