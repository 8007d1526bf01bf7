"""A syntax problem, and the error for text that cannot be checked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """A syntax problem; lines and columns are counted from 1, and an unknown column is 0."""

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        where = f"line {self.line}, column {self.column}" if self.column else f"line {self.line}"
        return f"{where}: {self.message}"


class UncheckedError(Exception):
    """Raised when a text cannot be checked; the reason is a sentence."""


def place(text: str, offset: int) -> tuple[int, int]:
    """Return the line and column of a character, counted from 1."""
    offset = min(offset, len(text))
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
