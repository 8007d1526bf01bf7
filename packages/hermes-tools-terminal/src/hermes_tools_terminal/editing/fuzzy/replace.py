"""Replacing text that is quoted from memory, once or everywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

from hermes_tools_terminal.editing.fuzzy.escapes import as_in_region, check_drift, unescaped
from hermes_tools_terminal.editing.fuzzy.find import Found, find
from hermes_tools_terminal.editing.fuzzy.keeping import UnnamedError, with_kept_lines
from hermes_tools_terminal.editing.fuzzy.page import Page, Span
from hermes_tools_terminal.editing.fuzzy.quote import Quote, without_ends
from hermes_tools_terminal.editing.indent import reindented
from hermes_tools_terminal.editing.preview import Preview, previews

_NUMBERED: Final = re.compile(r"(?:[ \t]*\d+\|[^\n]*(?:\n|\Z))+")

_MOST_LINES = 100
"""Of how many matches the line numbers are told."""

GUESSES = frozenset({"block_anchor", "context_aware"})
"""The ways of searching that find what is similar, whatever it says."""

_WITHOUT_BLANK_ENDS = GUESSES | {"trimmed_boundary"}
"""The ways of searching that leave out blank lines at a quote's ends."""

_BY_LINE = _WITHOUT_BLANK_ENDS | {"line_trimmed", "indentation_flexible", "unicode_normalized"}
"""The ways of searching that may find a last line without its line feed for one with it."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A text in which something was replaced.

    Attributes:
        text: It, afterwards.
        count: How many places were changed.
        strategy: The way of searching that found them, such as `exact`.
        spans: Where they were in the text before.
        pieces: What stands there now, one piece for each.
    """

    text: str
    count: int
    strategy: str
    spans: tuple[Span, ...]
    pieces: tuple[str, ...]


class NoMatch(ValueError):  # noqa: N818 - it says what came out of a search
    """Raised when nothing in a text matches.

    Attributes:
        gave_up: Whether there was too much similar text to compare all of it.
    """

    def __init__(self, page: Page, old: str, *, gave_up: bool = False) -> None:
        self.gave_up = gave_up
        self._page = page
        self._old = old
        reason = " There is too much similar text in it to guess which one is meant." if gave_up else ""
        if _NUMBERED.fullmatch(old):
            reason += " Its lines begin with the numbers that read_file shows: leave those out."
        super().__init__(f"old_string was not found in the file.{reason} Read the file again and quote it exactly.")

    @cached_property
    def previews(self) -> tuple[Preview, ...]:
        """The places of the whole text that may be meant, best first; looked for when somebody asks."""
        page = self._page
        whole = page.start == 0 and page.end == len(page.text)
        return previews(page if whole else Page(page.text), self._old)


class ManyMatches(ValueError):  # noqa: N818 - it says what came out of a search
    """Raised when more places match than one.

    Attributes:
        count: How many; those that overlap another one count if there are no others.
        lines: The line numbers of the first of them.
    """

    def __init__(self, count: int, lines: Sequence[int], *, guessed: bool = False) -> None:
        self.count = count
        self.lines = tuple(lines)
        told = ", ".join(map(str, self.lines[:10])) + (", ..." if count > 10 else "")
        super().__init__(
            f"Found {count} matches of old_string that are only similar to it, on lines {told}. Quote the one that you"
            " mean exactly."
            if guessed
            else f"Found {count} matches of old_string, on lines {told}. Quote more lines around the one that you mean,"
            " or set replace_all to change all of them."
        )


def replace(
    text: str, old: str, new: str, *, everywhere: bool = False, start: int = 0, end: int | None = None
) -> Replaced:
    """Replace what a quote means.

    Args:
        text: The text, in which lines end with a line feed.
        old: The quote.
        new: What shall stand there.
        everywhere: Replace all matches that do not overlap, instead of the only one. Texts that are similar to the
            quote but not to each other are never replaced together.
        start: Where the window begins that matches must be in.
        end: Where that ends.

    Raises:
        NoMatch: nothing matches.
        ManyMatches: more than one place matches.
        ValueError: the quote is empty or the same as the new text, or both have escapes that the text does not have.
    """
    if "\r" not in text:  # line ends of another kind mean those of the text
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if not old:
        raise ValueError("old_string is empty: quote the text that is to be replaced.")
    if old == new:
        raise ValueError("old_string and new_string are the same: nothing would change.")
    page = Page(text, start, end)
    found = find(page, old)
    if not found.spans:
        raise NoMatch(page, old, gave_up=found.gave_up)
    if found.several and (not everywhere or _differing_guesses(text, found)):
        raise _many(text, found)
    made: dict[str, str] = {}
    for first, last in found.spans:  # `everywhere` is mostly the same text
        region = text[first:last]
        if region not in made:
            try:
                made[region] = fitted(old, new, region, found.strategy)
            except UnnamedError:
                raise NoMatch(page, old) from None
    pieces = tuple(made[text[first:last]] for first, last in found.spans)
    return Replaced(spliced(text, found.spans, pieces), len(pieces), found.strategy, found.spans, pieces)


def fitted(old: str, new: str, region: str, strategy: str) -> str:
    """What stands in a region afterwards: new text with the file's indent and escapes, and its lines where they stay.

    Args:
        old: The quote.
        new: What shall stand there, written like the quote.
        region: What the quote was found to mean.
        strategy: The way of searching that found it.

    Raises:
        ValueError: both texts have escaped quotation marks that the region does not have.
        UnnamedError: a line would be lost that is nothing like the quoted one.
    """
    if strategy == "exact":
        return new
    check_drift(old, new, region)
    new = as_in_region(old, new, region)
    if strategy == "escape_normalized":
        old = unescaped(old)
    if strategy in _WITHOUT_BLANK_ENDS:
        ends = Quote(old).blank_ends
        old, new = without_ends(old, *ends), without_ends(new, *ends)
    if strategy in _BY_LINE and old.endswith("\n") and not region.endswith("\n"):
        new = new.removesuffix("\n")
    fresh = reindented(old, region, new)
    return with_kept_lines(old, region, new, fresh, guessed=strategy in GUESSES)


def spliced(text: str, spans: Sequence[Span], pieces: Sequence[str]) -> str:
    """A text with other pieces in some places.

    Args:
        text: The text.
        spans: The places, in order and not overlapping.
        pieces: What stands in each of them afterwards.
    """
    parts: list[str] = []
    passed = 0
    for (start, end), piece in zip(spans, pieces, strict=True):
        parts += text[passed:start], piece
        passed = end
    return "".join((*parts, text[passed:]))


def _many(text: str, found: Found) -> ManyMatches:
    lines: list[int] = []
    line, passed = 1, 0
    for start, _ in islice(found.spans, _MOST_LINES):
        line += text.count("\n", passed, start)
        passed = start
        lines.append(line)
    return ManyMatches(max(2, len(found.spans)), lines, guessed=found.strategy in GUESSES)


def _differing_guesses(text: str, found: Found) -> bool:
    if found.strategy not in GUESSES:
        return False
    return len({tuple(map(str.strip, text[start:end].split("\n"))) for start, end in found.spans}) > 1
