"""What goes wrong with documents."""

from __future__ import annotations


class DocumentError(ValueError):
    """Raised when a document gives no text.

    Attributes:
        kind: What it is, such as `PDF`.
        reason: Why not.
    """

    def __init__(self, kind: str, reason: str) -> None:
        self.kind = kind
        self.reason = reason
        super().__init__(f"No text can be read from this {kind}: {reason}")
