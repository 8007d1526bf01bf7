"""A mistake in a rule on its way to the reader, who knows its file and line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Mistake(Exception):  # noqa: N818 - it is never shown as an exception, only read
    """Raised when a part of a rule cannot be understood; `steps` lead to it from the part that was read."""

    def __init__(
        self, reason: str, *, steps: tuple[Any, ...] = (), nearest: Iterable[str] = (), example: str | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.steps = steps
        self.nearest = tuple(nearest)
        self.example = example

    def below(self, *steps: Any) -> Mistake:
        """The same mistake, seen from further up."""
        return Mistake(self.reason, steps=(*steps, *self.steps), nearest=self.nearest, example=self.example)


def shown(value: object, most: int = 60) -> str:
    """A value as a message quotes it."""
    text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"
