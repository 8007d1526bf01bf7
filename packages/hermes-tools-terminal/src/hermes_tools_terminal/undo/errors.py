"""The errors of undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hermes_core import HermesError

_MAX_NAMED = 10
"""How many files a message names; the others are counted."""


class UndoError(HermesError):
    """Raised when a receipt cannot be undone, redone or finished. Nothing was changed."""

    code: ClassVar[str] = "undo"


class NothingToUndoError(UndoError):
    """Raised when no such receipt exists."""

    code: ClassVar[str] = "nothing_to_undo"


class ConflictError(UndoError):
    """Raised when files match neither side of a receipt. Nothing was changed."""

    code: ClassVar[str] = "undo_conflict"

    def __init__(self, number: int, conflicts: Sequence[tuple[str, str]]) -> None:
        self.number = number
        self.conflicts = tuple(conflicts)
        details = "; ".join(f"{path} {why}" for path, why in self.conflicts[:_MAX_NAMED])
        super().__init__(
            f"Nothing was changed, because files have changed since receipt {number}: {details}"
            f"{_more(self.conflicts)}. Check these files and restore them by hand if needed."
        )


class UnfinishedError(OSError):
    """Raised when a call changed some files, failed for others, and could not be rolled back.

    Attributes:
        number: The receipt, which can be undone or finished; 0 if there is none.
        stuck: The files that keep their new content.
    """

    def __init__(self, cause: BaseException, number: int, stuck: Sequence[str]) -> None:
        self.number = number
        self.stuck = tuple(stuck)
        way = (
            f"Run 'hermes undo --receipt {number}' to revert it, or 'hermes undo --finish {number}' to complete it."
            if number
            else "There is no receipt: check the file before you continue."
        )
        reason = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        names = ", ".join(self.stuck[:_MAX_NAMED]) + _more(self.stuck)
        super().__init__(
            getattr(cause, "errno", None) or 0,
            f"{reason}; it stopped midway and could not be rolled back: {names}. {way}",
        )


class NoJournalError(OSError):
    """Raised when several files are to be changed and the journal cannot be written. Nothing was changed."""

    def __init__(self, cause: OSError, folder: str) -> None:
        super().__init__(
            cause.errno or 0,
            f"{cause.strerror or cause}: changing several files together needs a journal, which cannot be written to "
            f"{folder}. Nothing was changed. Free disk space or fix the permissions there, or change one file at a "
            "time.",
        )


def _more(all_of_them: Sequence[object]) -> str:
    rest = len(all_of_them) - _MAX_NAMED
    return f" and {rest} more" if rest > 0 else ""
