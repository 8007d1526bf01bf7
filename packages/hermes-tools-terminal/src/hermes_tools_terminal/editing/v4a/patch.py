"""A parsed V4A patch: operations on files, in order, and the error for patches that cannot be applied."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, TypeAlias

from hermes_tools_terminal.editing.fuzzy.suggestions import Suggestion

_MOST_SHOWN = 120
"""How many characters of somebody's text stand in a message."""


class PatchError(ValueError):
    """Raised when a patch cannot be read, or does not fit the files; nothing of it was applied.

    Args:
        reason: What is wrong and what to do about it, as sentences.
        line: The number of the line in the patch; 0 when it is about no line.
        operation: What was to be done, such as `Update File`.
        path: The file.
        hunk: Which hunk of the operation, counted from 1; 0 when it is about none.
        previews: Places of the file that may be meant.

    Attributes:
        reason: As above.
        line: As above.
        operation: As above.
        path: As above.
        hunk: As above.
        previews: As above.
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
        what = f"{self.operation}: {shown(self.path)}" if self.path else self.operation
        what += f", hunk {self.hunk}" if self.hunk else ""
        return f"{said} ({what})" if what else said


def shown(text: str) -> str:
    """A text as it stands in a message: cut, and without characters that would do something to a screen."""
    cut = text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "..."
    return "".join(each if each.isprintable() else "?" for each in cut.replace("\t", " "))


How = Literal["read", "write", "delete"]


@dataclass(frozen=True, slots=True)
class Hunk:
    """One change of a file.

    Attributes:
        hints: What stands somewhere before the change, from the outermost to the nearest; the `@@` lines.
        lines: Its lines; the first character of each says what it is: a blank for context, `-` or `+`.
        at_end: Whether it is the end of the file that changes.
        line: Where it begins in the patch.
    """

    hints: tuple[str, ...]
    lines: tuple[str, ...]
    at_end: bool = False
    line: int = 0

    @property
    def old(self) -> list[str]:
        """The lines that must be there."""
        return [line[1:] for line in self.lines if line[0] != "+"]

    @property
    def new(self) -> list[str]:
        """The lines that will be there instead."""
        return [line[1:] for line in self.lines if line[0] != "-"]

    @property
    def kept(self) -> tuple[tuple[int, int], ...]:
        """Which of the old lines is which of the new ones, by their indexes: its context."""
        old, new = (list(accumulate((line[0] != sign for line in self.lines), initial=0)) for sign in "+-")
        return tuple(pair for pair, line in zip(zip(old, new, strict=True), self.lines, strict=False) if line[0] == " ")


@dataclass(frozen=True, slots=True)
class Update:
    """Change a file, and perhaps give it another name.

    Attributes:
        path: The file.
        hunks: The changes, in the order of the patch; none when the file only moves.
        move_to: Its new name.
        line: Where it begins in the patch.
    """

    path: str
    hunks: tuple[Hunk, ...]
    move_to: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Add:
    """Make a file.

    Attributes:
        path: The file.
        content: Its text; every line of it ends with a line feed.
        line: Where it begins in the patch.
    """

    path: str
    content: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove a file.

    Attributes:
        path: The file.
        line: Where it stands in the patch.
    """

    path: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Move:
    """Give a file another name.

    Attributes:
        path: The file.
        move_to: Its new name.
        line: Where it stands in the patch.
    """

    path: str
    move_to: str
    line: int = 0


Operation: TypeAlias = Update | Add | Delete | Move


@dataclass(frozen=True, slots=True)
class PathUse:
    """A file that a patch has to do with.

    Attributes:
        path: The file, as the patch names it.
        how: What happens to it. What is changed, moved or deleted is read as well: its text can come back to the agent
            in a diff, in a message, or under another name.
    """

    path: str
    how: How


@dataclass(frozen=True, slots=True)
class Patch:
    """A whole patch.

    Attributes:
        operations: What is done, in order; each one sees what the ones before it did.
    """

    operations: tuple[Operation, ...]

    def paths(self) -> tuple[PathUse, ...]:
        """Every file that it has to do with and how, each pair once, in order: what a guard has to judge."""
        touched: dict[PathUse, None] = {}
        for operation in self.operations:
            for path, *variants in _ways(operation):
                touched.update((PathUse(path, how), None) for how in variants)
        return tuple(touched)


def _ways(operation: Operation) -> list[tuple[str, *tuple[How, ...]]]:
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
