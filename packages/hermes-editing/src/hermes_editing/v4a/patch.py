"""A parsed V4A patch: operations on files, in order, and the error for patches that cannot be applied."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, TypeAlias

from hermes_editing.fuzzy.results import Suggestion

_MAX_SHOWN = 120
"""How many characters of a text a message shows."""


class PatchError(ValueError):
    """Raised when a patch is invalid or does not fit the files; nothing of it was applied.

    Attributes:
        reason: What is wrong and what to do about it, as sentences.
        line: The line number in the patch; 0 if it concerns no line.
        operation: The operation, such as `Update File`.
        path: The file.
        hunk: The number of the hunk in the operation, counted from 1; 0 if it concerns none.
        suggestions: Similar places in the file.
    """

    def __init__(
        self,
        reason: str,
        *,
        line: int = 0,
        operation: str = "",
        path: str = "",
        hunk: int = 0,
        suggestions: tuple[Suggestion, ...] = (),
    ) -> None:
        self.reason = reason
        self.line = line
        self.operation = operation
        self.path = path
        self.hunk = hunk
        self.suggestions = suggestions
        super().__init__(f"{self._where()}: {reason}")

    def _where(self) -> str:
        said = f"Line {self.line} of the patch" if self.line else "The patch"
        what = f"{self.operation}: {shorten(self.path)}" if self.path else self.operation
        what += f", hunk {self.hunk}" if self.hunk else ""
        return f"{said} ({what})" if what else said


def shorten(text: str) -> str:
    """Shorten a text for a message, and replace control characters."""
    cut = text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "..."
    return "".join(each if each.isprintable() else "?" for each in cut.replace("\t", " "))


How = Literal["read", "write", "delete"]


@dataclass(frozen=True, slots=True)
class Hunk:
    """A change of a file.

    Attributes:
        hints: Lines that precede the change, outermost first: the `@@` lines.
        lines: The lines; each begins with a space for context, `-` or `+`.
        at_end: Whether the change is at the end of the file.
        line: Its line number in the patch.
    """

    hints: tuple[str, ...]
    lines: tuple[str, ...]
    at_end: bool = False
    line: int = 0

    @property
    def old(self) -> list[str]:
        """The lines that must be present."""
        return [line[1:] for line in self.lines if line[0] != "+"]

    @property
    def new(self) -> list[str]:
        """The lines that replace them."""
        return [line[1:] for line in self.lines if line[0] != "-"]

    @property
    def context_pairs(self) -> tuple[tuple[int, int], ...]:
        """Pairs of indexes of old and new lines that are the same: the context."""
        old, new = (list(accumulate((line[0] != sign for line in self.lines), initial=0)) for sign in "+-")
        return tuple(pair for pair, line in zip(zip(old, new, strict=True), self.lines, strict=False) if line[0] == " ")


@dataclass(frozen=True, slots=True)
class Update:
    """Change a file, and optionally rename it; there are no hunks if it only moves."""

    path: str
    hunks: tuple[Hunk, ...]
    move_to: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Add:
    """Create a file; every line of its content ends with a line feed."""

    path: str
    content: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete a file."""

    path: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Move:
    """Rename a file."""

    path: str
    move_to: str
    line: int = 0


Operation: TypeAlias = Update | Add | Delete | Move


@dataclass(frozen=True, slots=True)
class PathUse:
    """A file that a patch uses.

    Attributes:
        path: The file, as the patch names it.
        how: The use. A file that is changed, moved or deleted is read too: its text can reach the agent in a diff, in a
            message or under another name.
    """

    path: str
    how: How


@dataclass(frozen=True, slots=True)
class Patch:
    """A whole patch; each operation sees the results of those before it."""

    operations: tuple[Operation, ...]

    def paths(self) -> tuple[PathUse, ...]:
        """Return every file with its uses, without duplicates: what a guard has to assess."""
        touched: dict[PathUse, None] = {}
        for operation in self.operations:
            for path, *uses in _path_uses(operation):
                touched.update((PathUse(path, how), None) for how in uses)
        return tuple(touched)


def _path_uses(operation: Operation) -> list[tuple[str, *tuple[How, ...]]]:
    match operation:
        case Add(path):
            return [(path, "write")]
        case Delete(path):
            return [(path, "read", "delete")]
        case Update(path, move_to=None):
            return [(path, "read", "write")]
        case Update(path, move_to=str(target)):
            return [(path, "read", "write", "delete"), (target, "write")]
        case Move(path, move_to=target):
            return [(path, "read", "delete"), (target, "write")]
    raise AssertionError(operation)
