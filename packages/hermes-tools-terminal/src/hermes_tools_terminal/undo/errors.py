"""What can go wrong with receipts, told to who must act on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hermes_core import HermesError

_MOST_NAMED = 10
"""So many files are named in a message; the others are counted."""


class UndoError(HermesError):
    """Raised when a receipt cannot be undone, redone or finished. Nothing was changed."""

    code: ClassVar[str] = "undo"


class NothingToUndoError(UndoError):
    """Raised when there is no receipt of that kind."""

    code: ClassVar[str] = "nothing_to_undo"


class ConflictError(UndoError):
    """Raised when files are neither as a call left them nor as they were before it. Nothing was changed.

    Attributes:
        number: The receipt.
        conflicts: Each file with what is the matter with it.
    """

    code: ClassVar[str] = "undo_conflict"

    def __init__(self, number: int, conflicts: Sequence[tuple[str, str]]) -> None:
        self.number = number
        self.conflicts = tuple(conflicts)
        told = "; ".join(f"{path} {why}" for path, why in self.conflicts[:_MOST_NAMED])
        super().__init__(
            f"Nothing was changed, because receipt {number} does not fit any more: {told}{_more(self.conflicts)}. "
            "Look at these files, and set right by hand what is to be as before."
        )


class UnfinishedError(OSError):
    """Raised when some files of a call were changed, others were not, and those could not be put back.

    Attributes:
        number: The receipt, which knows how to go on; 0 when there is none.
        stuck: The files that are new while others are old.
    """

    def __init__(self, cause: BaseException, number: int, stuck: Sequence[str]) -> None:
        self.number = number
        self.stuck = tuple(stuck)
        way = (
            f"Run 'hermes undo --receipt {number}' to go back, or 'hermes undo --finish {number}' to complete it."
            if number
            else "There is no receipt of it: look at the file before going on."
        )
        reason = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        names = ", ".join(self.stuck[:_MOST_NAMED]) + _more(self.stuck)
        super().__init__(
            getattr(cause, "errno", None) or 0,
            f"{reason}; it was stopped half-way and cannot be put back: {names}. {way}",
        )


class NoJournalError(OSError):
    """Raised when several files are to be changed and that cannot be written down first. Nothing was changed."""

    def __init__(self, cause: OSError, folder: str) -> None:
        super().__init__(
            cause.errno or 0,
            f"{cause.strerror or cause}: several files are changed all or none, and what is needed for that cannot be "
            f"written to {folder}. Nothing was changed. Free some space there or mend its rights, or change one file "
            "at a time.",
        )


def _more(all_of_them: Sequence[object]) -> str:
    rest = len(all_of_them) - _MOST_NAMED
    return f" and {rest} more" if rest > 0 else ""
