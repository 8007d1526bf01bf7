"""Replace text that is quoted with small mistakes, once or everywhere."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import Final

from hermes_tools_terminal.editing.fuzzy.context import find_similar
from hermes_tools_terminal.editing.fuzzy.find import MANY, Match, Quote, find_same, nearest
from hermes_tools_terminal.editing.fuzzy.merge import ConflictError, Merge
from hermes_tools_terminal.editing.fuzzy.page import Page, Span, keys_of, occurrences
from hermes_tools_terminal.editing.fuzzy.quote import Reading, readings
from hermes_tools_terminal.editing.indent import Indents, UnclearIndentError, indent_of
from hermes_tools_terminal.editing.preview import Preview, previews

_COMMENT: Final = re.compile(r"[ \t]+(?:#|//|--|/\*|;|%|<!--)")

_TRIES: Final = 8
"""How many places are looked at to find out whether an edit is in place."""

_MOST_LINES: Final = 100
"""Of how many matches the line numbers are reported."""


@dataclasses.dataclass(frozen=True, slots=True)
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


class NoMatch(ValueError):  # noqa: N818 - it is the result of a search
    """Raised when nothing in a text matches.

    Attributes:
        reason: Why the nearest place was not taken; no text when there is none.
    """

    def __init__(self, page: Page, old: str, reason: str = "") -> None:
        self.reason = reason
        self._page = page
        self._old = old
        told = f" {reason}" if reason else ""
        super().__init__(f"old_string was not found in the file.{told} Read the file again and quote it exactly.")

    @cached_property
    def previews(self) -> tuple[Preview, ...]:
        """The places that may be meant, best first; looked up on first use."""
        return previews(self._page, self._old)


class ManyMatches(ValueError):  # noqa: N818 - it is the result of a search
    """Raised when more places match than one.

    Attributes:
        count: How many; those that overlap another one count if there are no others.
        lines: The line numbers of the first of them.
    """

    def __init__(self, page: Page, count: int, spans: Sequence[Span], *, similar: bool = False) -> None:
        self.count = count
        self.lines = tuple(page.line_at(start) + 1 for start, _ in islice(spans, _MOST_LINES))
        told = ", ".join(map(str, self.lines[:10])) + (", ..." if count > 10 else "")
        super().__init__(
            f"Found {count} places that are only similar to old_string, on lines {told}. Quote the one that you mean"
            " exactly."
            if similar
            else f"Found {count} matches of old_string, on lines {told}. Quote more lines around the one that you mean,"
            " or set replace_all to change all of them."
        )


class AlreadyApplied(ValueError):  # noqa: N818 - it is the result of a search
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


def replace(text: str, old: str, new: str, *, everywhere: bool = False) -> Replaced:
    """Replace a quoted text.

    Args:
        text: The text, in which lines end with a line feed.
        old: The quote.
        new: What takes its place.
        everywhere: Replace all matches that do not overlap, instead of the only one.

    Raises:
        NoMatch: nothing matches.
        ManyMatches: more than one place matches.
        AlreadyApplied: the new text is in place.
        ValueError: the quote is empty or the same as the new text.
    """
    if "\r" not in text:  # line ends of another kind mean those of the text
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if not old:
        raise ValueError("old_string is empty: quote the text that is to be replaced.")
    if old == new:
        raise ValueError("old_string and new_string are the same: nothing would change.")
    page = Page(text)
    ways = list(readings(old, new))
    for way in ways:
        done = _replace_exact(page, way, everywhere=everywhere)
        if done is not None:
            return done
    if not old.strip():
        raise NoMatch(page, old)  # blanks are looked for as they are
    for way in ways:
        done = _replace_same(page, way, everywhere=everywhere)
        if done is not None:
            return done
    for way in ways:
        _require_not_applied(page, way)
    return _replace_similar(page, ways)


def _replace_exact(page: Page, way: Reading, *, everywhere: bool) -> Replaced | None:
    hits = occurrences(page.text, way.old) if way.old else None
    if hits is None or not hits.spans:
        return None
    spans = [span for span in hits.spans if not covers(page.text, way.new, span)] if way.old in way.new else hits.spans
    if not spans:
        raise AlreadyApplied(page.line_at(hits.spans[0][0]) + 1)
    if hits.several and not everywhere:
        raise ManyMatches(page, max(2, len(hits.spans)), hits.spans)
    try:
        if _needs_fitting(page.text, way, spans[0]):
            return None
    except UnclearIndentError:
        reason = "One line of the file is it without its indent, and it is unclear how the lines below it are indented."
        raise NoMatch(page, way.old, reason) from None
    done = _replaced(page, way.name or "exact", spans, [way.new] * len(spans))
    return done if everywhere else dataclasses.replace(done, repeats=_still_matches(done.text, way, spans[0][0]))


def _still_matches(text: str, way: Reading, start: int) -> bool:
    """Check whether the old text is found again where the new one was just put."""
    at = text.find(way.old, max(0, start - len(way.old) + 1), start + len(way.new) + len(way.old) - 1)
    return at >= 0 and not covers(text, way.new, (at, at + len(way.old)))


def covers(text: str, new: str, span: Span) -> bool:
    """Check whether what an edit would replace is a part of its new text, which is there already.

    Args:
        text: The text.
        new: The new text.
        span: Where the old text is.
    """
    start, end = span
    if not text[start:end].strip():
        return False  # blanks are everywhere
    at = text.find(new, max(0, end - len(new)), start + len(new))
    for _ in range(_TRIES):
        if at < 0 or at > start:
            return False
        stop = at + len(new)
        if _begins_line(text, at) >= _begins_line(text, start) and _ends_alike(text, end, stop):
            return True
        at = text.find(new, at + 1, start + len(new))
    return False


def _begins_line(text: str, place: int) -> bool:
    return place == 0 or text[place - 1] == "\n"


def _ends_alike(text: str, end: int, other: int) -> bool:
    """Check whether a place ends a line if another one does: before the line feed, or behind it."""
    if text[end - 1] == "\n":
        return text[other - 1] == "\n"
    return text[end : end + 1] not in {"\n", ""} or text[other : other + 1] in {"\n", ""}


def _needs_fitting(text: str, way: Reading, span: Span) -> bool:
    """Check whether an exact match is a whole line but for its indent or its comment, which new lines must respect."""
    start, end = span
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    before, behind = text[line_start:start], text[end : line_end if line_end >= 0 else len(text)]
    old, new = way.old.rstrip("\n").split("\n"), way.new.rstrip("\n").split("\n")
    if before and not before.strip() and old[0] != new[0] and old[0][:1].strip() and (not way.new or len(old) > 1):
        return True  # the indent before the match belongs to the line that goes
    if before.strip() or len(new) < 2:
        return False
    less = [number for number, line in enumerate(new) if number and line.strip() and not line.startswith(before)]
    if before and len(old) == 1 and less:
        if (
            old[0] == new[0].rstrip()
            and old[0] == old[0].lstrip()
            and any(not new[number - 1].strip() for number in less)
        ):
            raise UnclearIndentError  # a block that begins below a blank line may be meant to be outside
        return True
    return _COMMENT.match(behind) is not None and way.old[-1] != "\n" and old[-1] in new[:-1] and old[-1] != new[-1]


def _replace_same(page: Page, way: Reading, *, everywhere: bool) -> Replaced | None:
    quote = Quote(way.old)
    matches = find_same(page, quote, None if everywhere else MANY + 1)
    if not everywhere:
        matches = nearest(page, quote, matches)
    if len(matches) > 1 and not everywhere:
        raise ManyMatches(page, len(matches), [match.span for match in matches])
    if not matches:
        return None
    keys = keys_of(way.new)
    if len(matches) == 1 and keys != quote.keys and _is_part(quote.keys, keys):
        line = page.line_at(matches[0].span[0])
        span = way.new.count("\n") + len(quote.lines)
        place = _find_block(page, way.new, line - span, line + span)
        if place is not None:
            raise AlreadyApplied(page.line_at(place) + 1)
    if any(page.text.count("\n", *match.span) != way.old.count("\n") for match in matches):
        _require_not_applied(page, way)  # with other blank lines between, it may be another place
    matches = [_with_comment(page, quote, way.new, match) for match in matches]
    pieces = [_fit(page, quote, way.new, match) for match in matches]
    spans = [match.span for match in matches]
    if pieces == [page.text[slice(*span)] for span in spans]:
        raise AlreadyApplied(page.line_at(spans[0][0]) + 1)
    return _replaced(page, way.name or "typography", spans, pieces)


def _is_part(keys: list[str], of: list[str]) -> bool:
    return "\n".join(keys) in "\n".join(of)


def _with_comment(page: Page, quote: Quote, new: str, match: Match) -> Match:
    """Extend a match to the comment behind it when new lines follow: it belongs to the line that stays."""
    line_end = page.text.find("\n", match.span[1])
    behind = page.text[match.span[1] : line_end if line_end >= 0 else len(page.text)]
    last, lines = quote.lines[quote.solid[-1]], new.rstrip("\n").split("\n")
    if _COMMENT.match(behind) and last in lines[:-1] and last != lines[-1]:
        return Match((match.span[0], match.span[1] + len(behind)), match.pairs, match.partial)
    return match


def _fit(page: Page, quote: Quote, new: str, match: Match) -> str:
    """Return what is in the place of a match afterwards."""
    region, old_lines, end = page.text[slice(*match.span)], quote.lines, ""
    new_lines = new.split("\n") if new else []
    if quote.with_end:
        old_lines = old_lines[:-1]
        if new.endswith("\n"):
            new_lines.pop()
            end = "\n" if region.endswith("\n") else ""
        region = region.removesuffix("\n")
    try:
        lines = Merge(
            old_lines, new_lines, region.split("\n"), match.pairs, partial=match.partial, step=lambda: page.step
        ).lines()
    except ConflictError:
        raise NoMatch(page, quote.text, "The nearest place has lines that are not quoted.") from None
    except UnclearIndentError:
        raise NoMatch(
            page, quote.text, "The nearest place is indented differently, and not by the same on all lines."
        ) from None
    return "\n".join(lines) + end


def _require_not_applied(page: Page, way: Reading) -> None:
    """Refuse an edit whose new text is in the file while its old text is not."""
    keys, quoted = keys_of(way.new), Quote(way.old).keys
    added = {key for key in keys if _has_word(key)} - {*quoted}
    removed = {key for key in quoted if _has_word(key)} - {*keys}
    joins = keys[:1] == quoted[:1] and keys[-1:] == quoted[-1:] and len(keys) > 1
    if not added and not (joins and removed and page.places.keys().isdisjoint(removed)):
        return  # a text that only loses lines is not enough to tell that they were there
    place = _find_block(page, way.new, 0, len(page.lines))
    if place is not None:
        raise AlreadyApplied(page.line_at(place) + 1)


def _has_word(key: str) -> bool:
    return any(letter.isalnum() for letter in key)


def _find_block(page: Page, text: str, first: int, end: int) -> int | None:
    """Find whole lines that begin between two lines, if they differ in a common indent at most."""
    quote = Quote(text)
    for match in find_same(page, quote, _TRIES):
        there = page.text[slice(*match.span)].split("\n")
        pairs = [(quote.lines[ours], there[theirs]) for ours, theirs in match.pairs if there[theirs].strip()]
        if (
            first <= page.line_at(match.span[0]) <= end
            and match.whole
            and all(ours.strip() == theirs.strip() for ours, theirs in pairs)
            and Indents((indent_of(ours), indent_of(theirs)) for ours, theirs in pairs).regular
        ):
            return match.span[0]
    return None


def _replace_similar(page: Page, ways: Sequence[Reading]) -> Replaced:
    reason = ""
    for way in ways:
        for strategy, reading, matches in find_similar(page, way):
            if len(matches) > 1:
                raise ManyMatches(page, len(matches), [match.span for match in matches], similar=True)
            try:
                piece = _fit(page, Quote(reading.old), reading.new, matches[0])
            except NoMatch as error:
                reason = reason or error.reason
                continue
            if piece == page.text[slice(*matches[0].span)]:
                raise AlreadyApplied(page.line_at(matches[0].span[0]) + 1)
            return _replaced(page, strategy, [matches[0].span], [piece])
    raise NoMatch(page, ways[0].old, reason)


def _replaced(page: Page, strategy: str, spans: Sequence[Span], pieces: Sequence[str]) -> Replaced:
    parts: list[str] = []
    passed = 0
    for (start, end), piece in zip(spans, pieces, strict=True):
        parts += page.text[passed:start], piece
        passed = end
    return Replaced("".join((*parts, page.text[passed:])), len(pieces), strategy, tuple(spans), tuple(pieces))
