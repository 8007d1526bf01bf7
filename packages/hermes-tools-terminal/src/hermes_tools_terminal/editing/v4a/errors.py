"""What a patch that cannot be used is answered with."""

from __future__ import annotations

from hermes_tools_terminal.editing.preview import Preview

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
        previews: tuple[Preview, ...] = (),
    ) -> None:
        self.reason = reason
        self.line = line
        self.operation = operation
        self.path = path
        self.hunk = hunk
        self.previews = previews
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
