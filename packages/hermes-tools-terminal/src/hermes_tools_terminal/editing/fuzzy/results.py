"""What becomes of an edit: the text afterwards, or why nothing was changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, pairwise
from typing import Final

from hermes_tools_terminal.editing.fuzzy.suggestions import Suggestion, suggestions
from hermes_tools_terminal.editing.fuzzy.text_index import Span, TextIndex

_MOST_LINES: Final = 100
"""Of how many matches the line numbers are reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What is replaced in a text, and with what.

    Attributes:
        strategy: How the places were found.
        spans: Where they are.
        pieces: What takes the place of each.
    """

    strategy: str
    spans: Sequence[Span]
    pieces: Sequence[str]


@dataclass(frozen=True, slots=True)
class Replaced:
    """A text in which something was replaced.

    Attributes:
        text: The text afterwards.
        count: How many places were changed.
        strategy: How they were found: `exact`, `line_numbers`, `escapes`, `typography` or `context`.
        spans: Where they were in the text before.
        pieces: What is there now, one piece for each.
        repeats: True when the edit would change the text once more if it were sent again.
    """

    text: str
    count: int
    strategy: str
    spans: tuple[Span, ...]
    pieces: tuple[str, ...]
    repeats: bool = False


class NoMatchError(ValueError):
    """Raised when nothing in a text matches.

    Attributes:
        reason: Why the nearest place was not taken; no text when there is none.
    """

    def __init__(self, source: TextIndex, old: str, reason: str = "") -> None:
        self.reason = reason
        self._source = source
        self._old = old
        told = f" {reason}" if reason else ""
        super().__init__(f"old_string was not found in the file.{told} Read the file again and quote it exactly.")

    @cached_property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """The places that may be meant, best first; looked up on first use."""
        return suggestions(self._source, self._old)


class ManyMatchesError(ValueError):
    """Raised when more places match than one.

    Attributes:
        count: How many; those that overlap another one count if there are no others.
        lines: The line numbers of the first of them.
    """

    def __init__(self, source: TextIndex, count: int, spans: Sequence[Span], *, similar: bool = False) -> None:
        self.count = count
        starts = sorted(start for start, _ in islice(spans, _MOST_LINES))
        feeds = (source.text.count("\n", *between) for between in pairwise((0, *starts)))
        self.lines = tuple(number + 1 for number in accumulate(feeds))
        told = ", ".join(map(str, self.lines[:10])) + (", ..." if count > 10 else "")
        super().__init__(
            f"Found {count} places that are only similar to old_string, on lines {told}. Quote the one that you mean"
            " exactly."
            if similar
            else f"Found {count} matches of old_string, on lines {told}. Quote more lines around the one that you mean,"
            " or set replace_all to change all of them."
        )


class AlreadyAppliedError(ValueError):
    """Raised when the new text is in the file where the edit would have put it.

    Args:
        line: The number of the line that it begins on; 0 when that is not known.

    Attributes:
        line: As above.
    """

    def __init__(self, line: int = 0) -> None:
        self.line = line
        where = f" at line {line}" if line else ""
        super().__init__(f"Already applied: new_string is in the file{where}. Nothing was changed.")
