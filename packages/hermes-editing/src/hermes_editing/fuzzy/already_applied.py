"""Detect that an edit was already applied."""

from __future__ import annotations

from collections import Counter
from typing import Final

from hermes_editing.fuzzy.edit_variants import EditVariant
from hermes_editing.fuzzy.normalized_match import Match, Pattern, Scope, find_same
from hermes_editing.fuzzy.results import AlreadyAppliedError
from hermes_editing.fuzzy.text_index import Span, TextIndex, keys_of, plain, squeeze
from hermes_editing.indentation import Indents, indent_of

_TRIES: Final = 8
"""How many places are checked."""


def covers(text: str, new: str, span: Span) -> bool:
    """Return whether the text to replace is a part of the new text, which is already present."""
    return _find_around(text, new, span) is not None


def _find_around(text: str, new: str, span: Span) -> int | None:
    start, end = span
    if not text[start:end].strip():
        return None  # whitespace is everywhere
    at = text.find(new, max(0, end - len(new)), start + len(new))
    for _ in range(_TRIES):
        if at < 0 or at > start:
            return None
        stop = at + len(new)
        if _begins_line(text, at) >= _begins_line(text, start) and _ends_alike(text, end, stop):
            return at
        at = text.find(new, at + 1, start + len(new))
    return None


def _begins_line(text: str, place: int) -> bool:
    return place == 0 or text[place - 1] == "\n"


def _ends_alike(text: str, end: int, other: int) -> bool:
    """Return whether two positions end a line in the same way."""
    if text[end - 1] == "\n":
        return text[other - 1] == "\n"
    return text[end : end + 1] not in {"\n", ""} or text[other : other + 1] in {"\n", ""}


def require_not_applied(source: TextIndex, variant: EditVariant, scope: Scope) -> None:
    """Raise `AlreadyAppliedError` if the new text is present while the old text is missing."""
    keys, quoted = keys_of(variant.new), Pattern(variant.old).keys
    added = any(map(_has_word, keys)) and Counter(keys) - Counter(quoted)
    removed = {key for key in quoted if _has_word(key)} - {*keys}
    joins = keys[:1] == quoted[:1] and keys[-1:] == quoted[-1:] and len(keys) > 1
    if not added and not (joins and removed and not source.has_any(removed)):
        return  # removed lines alone do not show that the edit was applied
    _require_no_block(source, variant, scope)


def require_not_extended(source: TextIndex, variant: EditVariant, match: Match, scope: Scope) -> None:
    """Raise `AlreadyAppliedError` if the new text contains the old text and is already present at the match."""
    keys, pattern = keys_of(variant.new), Pattern(variant.old)
    if keys != pattern.keys and "\n".join(pattern.keys) in "\n".join(keys):
        line = source.line_at(match.span[0])
        around = variant.new.count("\n") + len(pattern.lines)
        _require_no_block(source, variant, scope, range(line - around, line + around + 1))


def require_not_repeated(source: TextIndex, piece: str, span: Span, scope: Scope) -> None:
    """Raise `AlreadyAppliedError` if the adapted new text is already present at the match."""
    region = source.text[slice(*span)]
    if region in piece and keys_of(piece) != keys_of(region):
        at = _find_around(source.text, piece, span)
        if at is not None and scope.is_original(source.lines_at((at, at + len(piece)))):
            raise AlreadyAppliedError(source.line_at(at) + 1)


def _has_word(key: str) -> bool:
    return any(letter.isalnum() for letter in key)


def _require_no_block(source: TextIndex, variant: EditVariant, scope: Scope, starts: range | None = None) -> None:
    """Refuse an edit whose new text is present as whole lines, except for typography or a common indentation.

    Unchanged lines may differ in whitespace too.
    """
    pattern, context = Pattern(variant.new), {*Pattern(variant.old).keys}
    for match in find_same(source, pattern, _TRIES):
        place = source.lines_at(match.span)
        actual = source.text[slice(*match.span)].split("\n")
        pairs = [(pattern.lines[ours], actual[theirs]) for ours, theirs in match.pairs if actual[theirs].strip()]
        if (
            (starts is None or place.start in starts)
            and match.whole
            and scope.is_original(place)
            and all(plain(ours).strip() == plain(theirs).strip() or squeeze(ours) in context for ours, theirs in pairs)
            and Indents((indent_of(ours), indent_of(theirs)) for ours, theirs in pairs).regular
        ):
            raise AlreadyAppliedError(place.start + 1)
