"""What a pattern says, as a tree: the one dialect that every engine is given a translation of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ClassName = Literal["d", "w", "s"]

LAST = 0x10FFFF
"""The last character that there is."""


class PatternError(Exception):
    """A pattern cannot be searched for.

    Attributes:
        reason: What is wrong with it.
        position: Where, counted from 0.
        hint: What to write instead.
    """

    def __init__(self, reason: str, position: int, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Text:
    """One character.

    Attributes:
        code: Its number.
        fold: Whether case does not matter.
    """

    code: int
    fold: bool


@dataclass(frozen=True, slots=True)
class Dot:
    """Any character of a line."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A place between characters.

    Attributes:
        kind: `^` and `$` are the ends of the line, `b` is the edge of a word, `B` is anywhere else.
    """

    kind: Literal["^", "$", "b", "B"]


@dataclass(frozen=True, slots=True)
class Chars:
    """One of some characters.

    Attributes:
        ranges: First and last characters.
        names: Classes, each with whether it is meant the other way round.
        negated: Whether it is any character but these.
        fold: Whether case does not matter.
    """

    ranges: tuple[tuple[int, int], ...]
    names: tuple[tuple[ClassName, bool], ...]
    negated: bool
    fold: bool


@dataclass(frozen=True, slots=True)
class Repeat:
    """Something several times.

    Attributes:
        node: What.
        least: How often at least.
        most: How often at most; None for any number.
        lazy: Whether as few as possible are taken.
    """

    node: Node
    least: int
    most: int | None
    lazy: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after another."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several, the first that fits."""

    nodes: tuple[Node, ...]


Node = Text | Dot | Edge | Chars | Repeat | Sequence | Choice
