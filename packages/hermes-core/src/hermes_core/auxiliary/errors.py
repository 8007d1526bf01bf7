"""What is said when a model for a side task has no answer."""

from __future__ import annotations

from hermes_core.errors import ToolFailedError


class AuxiliaryError(ToolFailedError):
    """Raised when a model for a side task gave no answer that can be used.

    Attributes:
        task: What it was asked for, such as `web_extract`.
        again: Whether the same may work a moment later.
        status: The HTTP status, when there was one.
    """

    code = "auxiliary_failed"

    def __init__(
        self, task: str, message: str, *, hint: str | None = None, again: bool = False, status: int | None = None
    ) -> None:
        self.task = task
        self.again = again
        self.status = status
        super().__init__(message, hint=hint, task=task)
