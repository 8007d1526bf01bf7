"""The error for a part of a rule; the rule reader adds file and line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class RuleError(Exception):
    """Raised when a part of a rule is invalid; `steps` lead to it from the part that was read."""

    def __init__(
        self, reason: str, *, steps: tuple[Any, ...] = (), nearest: Iterable[str] = (), example: str | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.steps = steps
        self.nearest = tuple(nearest)
        self.example = example

    def below(self, *steps: Any) -> RuleError:
        """Return the same error with the steps of an enclosing part."""
        return RuleError(self.reason, steps=(*steps, *self.steps), nearest=self.nearest, example=self.example)


def quote(value: object, limit: int = 60) -> str:
    """Format a value for a message."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
