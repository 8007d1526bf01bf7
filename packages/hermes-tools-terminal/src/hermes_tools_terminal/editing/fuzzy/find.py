"""The nine ways of searching in their order: the first that finds anything decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hermes_tools_terminal.editing.fuzzy.by_line import indentation_flexible, line_trimmed, trimmed_boundary
from hermes_tools_terminal.editing.fuzzy.likeness import TooMuchWorkError
from hermes_tools_terminal.editing.fuzzy.literal import (
    escape_normalized,
    exact,
    unicode_normalized,
    whitespace_normalized,
)
from hermes_tools_terminal.editing.fuzzy.page import Hits, Page, Span
from hermes_tools_terminal.editing.fuzzy.quote import Quote
from hermes_tools_terminal.editing.fuzzy.similar import block_anchor, context_aware

STRATEGIES: Final[tuple[Callable[[Page, Quote], Hits], ...]] = (
    exact,
    line_trimmed,
    whitespace_normalized,
    indentation_flexible,
    escape_normalized,
    trimmed_boundary,
    unicode_normalized,
    block_anchor,
    context_aware,
)


@dataclass(frozen=True, slots=True)
class Found:
    """Where a quote was found.

    Attributes:
        strategy: The way that found it; no text when none did.
        spans: The places, none overlapping another.
        several: Whether there is more than one place, overlapping ones included.
        gave_up: Whether there was too much similar text to compare all of it.
    """

    strategy: str
    spans: tuple[Span, ...]
    several: bool
    gave_up: bool = False


def find(page: Page, old: str) -> Found:
    """Look for a quote in a text.

    Args:
        page: The text, or a window of it.
        old: The quote.
    """
    quote = Quote(old)
    gave_up = False
    for strategy in STRATEGIES:
        try:
            hits = strategy(page, quote)
        except TooMuchWorkError:
            gave_up = True
            continue
        if hits.spans:
            return Found(strategy.__name__, hits.spans, hits.several)
        if not old.strip():
            break  # blanks alone mean what they say or nothing
    return Found("", (), False, gave_up)
