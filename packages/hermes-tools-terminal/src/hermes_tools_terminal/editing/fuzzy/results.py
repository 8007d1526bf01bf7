"""The results and errors of fuzzy replacement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, pairwise
from typing import Final

from hermes_tools_terminal.editing.fuzzy.suggestions import Suggestion, suggestions
from hermes_tools_terminal.editing.fuzzy.text_index import Span, TextIndex

_MOST_LINES: Final = 100
"""How many matches are reported with their line numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Replacements in a text."""

    strategy: str
    spans: Sequence[Span]
    pieces: Sequence[str]


@dataclass(frozen=True, slots=True)
class Replaced:
    """A text after a replacement.

    Attributes:
        text: The new text.
        count: The number of replacements.
        strategy: How the matches were found: `exact`, `line_numbers`, `escapes`, `typography` or `context`.
        spans: The matches in the old text.
        pieces: The replacement of each.
        repeats: Whether sending the edit again would change the text again.
    """

    text: str
    count: int
    strategy: str
    spans: tuple[Span, ...]
    pieces: tuple[str, ...]
    repeats: bool = False


class NoMatchError(ValueError):
    """Raised when nothing matches.

    Attributes:
        reason: Why the most similar place was rejected; empty if there is none.
    """

    def __init__(self, source: TextIndex, old: str, reason: str = "") -> None:
        self.reason = reason
        self._source = source
        self._old = old
        told = f" {reason}" if reason else ""
        super().__init__(f"old_string was not found in the file.{told} Read the file again and copy the text exactly.")

    @cached_property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """Similar places, best first; computed on first use."""
        return suggestions(self._source, self._old)


class ManyMatchesError(ValueError):
    """Raised when more than one place matches.

    Attributes:
        count: The number of matches; overlapping ones count only if there are no others.
        lines: The line numbers of the first matches.
    """

    def __init__(self, source: TextIndex, count: int, spans: Sequence[Span], *, similar: bool = False) -> None:
        self.count = count
        starts = sorted(start for start, _ in islice(spans, _MOST_LINES))
        feeds = (source.text.count("\n", *between) for between in pairwise((0, *starts)))
        self.lines = tuple(number + 1 for number in accumulate(feeds))
        told = ", ".join(map(str, self.lines[:10])) + (", ..." if count > 10 else "")
        super().__init__(
            f"Found {count} places that are only similar to old_string, on lines {told}. Copy the one you mean exactly."
            if similar
            else f"Found {count} matches of old_string, on lines {told}. Include more lines around the one you mean, or"
            " set replace_all to change all of them."
        )


class AlreadyAppliedError(ValueError):
    """Raised when the new text is already where the edit would put it."""

    def __init__(self, line: int = 0) -> None:
        self.line = line
        where = f" at line {line}" if line else ""
        super().__init__(f"Already applied: new_string is already in the file{where}. Nothing was changed.")
