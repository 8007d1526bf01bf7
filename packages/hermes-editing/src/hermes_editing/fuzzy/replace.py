"""Replace inexactly quoted text, once or everywhere."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Final

from hermes_editing.fuzzy.already_applied import (
    covers,
    require_not_applied,
    require_not_extended,
    require_not_repeated,
)
from hermes_editing.fuzzy.approximate_match import find_similar
from hermes_editing.fuzzy.edit_variants import EditVariant, Kept, edit_variants
from hermes_editing.fuzzy.merge import ConflictError, Merge
from hermes_editing.fuzzy.normalized_match import (
    ANYWHERE,
    MANY,
    Match,
    Pattern,
    Scope,
    begins_within_word,
    distance,
    find_same,
    nearest,
)
from hermes_editing.fuzzy.results import (
    AlreadyAppliedError,
    Changes,
    ManyMatchesError,
    NoMatchError,
    Replaced,
)
from hermes_editing.fuzzy.text_index import Span, TextIndex, occurrences
from hermes_editing.indentation import UnclearIndentError

_COMMENT: Final = re.compile(r"[ \t]+(?:#|//|--|/\*|;|%|<!--)")


def replace(text: str, old: str, new: str, *, everywhere: bool = False) -> Replaced:
    """Replace text.

    Args:
        text: The text, with line feeds as line endings.
        old: The text to find.
        new: The replacement.
        everywhere: Replace all matches that do not overlap instead of exactly one.

    Raises:
        NoMatchError: Nothing matches.
        ManyMatchesError: More than one place matches.
        AlreadyAppliedError: The new text is already present.
        ValueError: The text to find is empty or equals the replacement.
    """
    if "\r" not in text:  # use the line endings of the text
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if not old:
        raise ValueError("old_string is empty: pass the text to replace.")
    if old == new:
        raise ValueError("old_string and new_string are identical: nothing would change.")
    source = TextIndex(text)
    variants = list(edit_variants(old, new))
    for variant in variants:
        done = _replace_exact(source, variant, everywhere=everywhere)
        if done is not None:
            return done
    if not old.strip():
        raise NoMatchError(source, old)  # whitespace must match exactly
    return _replaced(source, _find_inexact(source, variants, ANYWHERE, everywhere=everywhere))


def find_lines(source: TextIndex, old: Sequence[str], new: Sequence[str], kept: Kept, scope: Scope) -> Changes:
    """Find whole lines that are quoted inexactly, and adapt their replacement.

    Args:
        source: The text; each line ends with a line feed.
        old: The quoted lines.
        new: The replacement lines.
        kept: Pairs of indexes of quoted and new lines that are the same.
        scope: Restricts the matches.

    Raises:
        NoMatchError: Nothing matches.
        ManyMatchesError: More than one place matches.
        AlreadyAppliedError: The new lines are already present.
    """
    quoted, written = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    if quoted == written or not quoted.strip():
        raise NoMatchError(source, quoted)
    return _find_inexact(source, list(edit_variants(quoted, written, kept)), scope)


def _find_inexact(
    source: TextIndex, variants: Sequence[EditVariant], scope: Scope, *, everywhere: bool = False
) -> Changes:
    for variant in variants:
        found = _find_same(source, variant, scope, everywhere=everywhere)
        if found is not None:
            return found
    for variant in variants:
        require_not_applied(source, variant, scope)
    return _find_similar(source, variants, scope)


def _replace_exact(source: TextIndex, variant: EditVariant, *, everywhere: bool) -> Replaced | None:
    hits = occurrences(source.text, variant.old) if variant.old else None
    if hits is None or not hits.spans:
        return None
    spans = (
        [span for span in hits.spans if not covers(source.text, variant.new, span)]
        if variant.old in variant.new
        else hits.spans
    )
    if not spans:
        raise AlreadyAppliedError(source.line_at(hits.spans[0][0]) + 1)
    if hits.several and not everywhere:
        raise ManyMatchesError(source, max(2, len(hits.spans)), hits.spans)
    if not everywhere and "\n" in variant.new and begins_within_word(source.text, spans[0][0]):
        # Line breaks inside a word are rarely intended: the quoted line is elsewhere or gone.
        raise NoMatchError(source, variant.old, "The only match begins in the middle of a word.")
    try:
        if _needs_fitting(source.text, variant, spans[0]):
            return None
    except UnclearIndentError:
        reason = "It matches a line without its indentation, and it is unclear how the lines below it are indented."
        raise NoMatchError(source, variant.old, reason) from None
    done = _replaced(source, Changes(strategy=variant.name or "exact", spans=spans, pieces=[variant.new] * len(spans)))
    return done if everywhere else dataclasses.replace(done, repeats=_still_matches(done.text, variant, spans[0][0]))


def _still_matches(text: str, variant: EditVariant, start: int) -> bool:
    """Return whether the old text occurs again where the new text was inserted."""
    at = text.find(variant.old, max(0, start - len(variant.old) + 1), start + len(variant.new) + len(variant.old) - 1)
    return at >= 0 and not covers(text, variant.new, (at, at + len(variant.old)))


def _needs_fitting(text: str, variant: EditVariant, span: Span) -> bool:
    """Return whether an exact match omits the indentation or comment of its line, which new lines must respect."""
    start, end = span
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    before, behind = text[line_start:start], text[end : line_end if line_end >= 0 else len(text)]
    old, new = variant.old.rstrip("\n").split("\n"), variant.new.rstrip("\n").split("\n")
    if before and not before.strip() and old[0] != new[0] and old[0][:1].strip() and (not variant.new or len(old) > 1):
        return True  # the indentation before the match belongs to the removed line
    if before.strip() or len(new) < 2:
        return False
    less = [number for number, line in enumerate(new) if number and line.strip() and not line.startswith(before)]
    if before and len(old) == 1 and less:
        if (
            old[0] == new[0].rstrip()
            and old[0] == old[0].lstrip()
            and any(not new[number - 1].strip() for number in less)
        ):
            raise UnclearIndentError  # a block after a blank line may belong outside
        return True
    return _COMMENT.match(behind) is not None and variant.old[-1] != "\n" and old[-1] in new[:-1] and old[-1] != new[-1]


def _find_same(source: TextIndex, variant: EditVariant, scope: Scope, *, everywhere: bool) -> Changes | None:
    pattern = Pattern(variant.old)
    matches = find_same(source, pattern, None if everywhere or scope.whole_lines else MANY + 1, scope)
    if not everywhere:
        matches = nearest(source, pattern, matches)
    if len(matches) > 1 and not everywhere:
        raise ManyMatchesError(source, len(matches), [match.span for match in matches])
    if not matches:
        return None
    if len(matches) == 1:
        require_not_extended(source, variant, matches[0], scope)
    if any(source.text.count("\n", *match.span) != variant.old.count("\n") for match in matches) or (
        len(matches) == 1 and matches[0].whole and distance(source, pattern, matches[0])
    ):
        require_not_applied(source, variant, scope)  # with other indentation or blank lines, it may be another place
    matches = [_with_comment(source, pattern, variant.new, match) for match in matches]
    pieces = [_fit(source, pattern, variant, match) for match in matches]
    spans = [match.span for match in matches]
    if pieces == [source.text[slice(*span)] for span in spans]:
        raise AlreadyAppliedError(source.line_at(spans[0][0]) + 1)
    if len(matches) == 1:
        require_not_repeated(source, pieces[0], spans[0], scope)
    return Changes(strategy=variant.name or "typography", spans=spans, pieces=pieces)


def _with_comment(source: TextIndex, pattern: Pattern, new: str, match: Match) -> Match:
    """Extend a match to a trailing comment when new lines follow: it belongs to the unchanged line."""
    line_end = source.text.find("\n", match.span[1])
    behind = source.text[match.span[1] : line_end if line_end >= 0 else len(source.text)]
    last, lines = pattern.lines[pattern.solid[-1]], new.rstrip("\n").split("\n")
    if not match.whole and _COMMENT.match(behind) and last in lines[:-1] and last != lines[-1]:
        return Match((match.span[0], match.span[1] + len(behind)), match.pairs, match.partial)
    return match


def _fit(source: TextIndex, pattern: Pattern, variant: EditVariant, match: Match) -> str:
    """Return the adapted replacement of a match."""
    region, old_lines, end = source.text[slice(*match.span)], pattern.lines, ""
    new_lines = variant.new.split("\n") if variant.new else []
    if pattern.with_end:
        old_lines = old_lines[:-1]
        if variant.new.endswith("\n"):
            new_lines.pop()
            end = "\n" if region.endswith("\n") else ""
        region = region.removesuffix("\n")
    try:
        lines = Merge(
            old_lines,
            new_lines,
            region.split("\n"),
            match.pairs,
            partial=match.partial,
            step=lambda: source.step,
            kept=variant.kept,
        ).lines()
    except ConflictError:
        raise NoMatchError(
            source, pattern.text, "The most similar place has lines that are not in old_string."
        ) from None
    except UnclearIndentError:
        raise NoMatchError(
            source, pattern.text, "The most similar place is indented differently, and not consistently."
        ) from None
    return "\n".join(lines) + end


def _find_similar(source: TextIndex, variants: Sequence[EditVariant], scope: Scope) -> Changes:
    reason = ""
    for variant in variants:
        for strategy, reading, found in find_similar(source, variant):
            matches = _choose_similar(source, found, scope)
            if len(matches) > 1:
                raise ManyMatchesError(source, len(matches), [match.span for match in matches], similar=True)
            if not matches:
                continue
            try:
                piece = _fit(source, Pattern(reading.old), reading, matches[0])
            except NoMatchError as error:
                reason = reason or error.reason
                continue
            if piece == source.text[slice(*matches[0].span)]:
                raise AlreadyAppliedError(source.line_at(matches[0].span[0]) + 1)
            require_not_repeated(source, piece, matches[0].span, scope)
            return Changes(strategy=strategy, spans=[matches[0].span], pieces=[piece])
    raise NoMatchError(source, variants[0].old, reason)


def _choose_similar(source: TextIndex, matches: Sequence[Match], scope: Scope) -> list[Match]:
    places = {source.lines_at(match.span): match for match in matches if match.whole or not scope.whole_lines}
    return [places[place] for place in scope.choose(list(places), similar=True)]


def _replaced(source: TextIndex, found: Changes) -> Replaced:
    parts: list[str] = []
    passed = 0
    for (start, end), piece in zip(found.spans, found.pieces, strict=True):
        parts += source.text[passed:start], piece
        passed = end
    text = "".join((*parts, source.text[passed:]))
    return Replaced(text, len(found.pieces), found.strategy, tuple(found.spans), tuple(found.pieces))
