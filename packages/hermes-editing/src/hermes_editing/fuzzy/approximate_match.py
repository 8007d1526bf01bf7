"""Find text of which a few lines are wrong, missing or reordered."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from hermes_editing.diff import matching_blocks
from hermes_editing.fuzzy.edit_variants import EditVariant
from hermes_editing.fuzzy.normalized_match import Match, Pattern, find_same, match_lines
from hermes_editing.fuzzy.text_index import TextIndex, keys_of, tokens_of

ANCHORS: Final = 4
"""How many lines of a pattern are looked up, rarest first."""

TOO_COMMON: Final = 40
"""Lines that occur more often are not used as anchors."""

SLACK: Final = 3
"""By how many lines a pattern and its match may differ in length."""

ELIDED: Final = 80
"""How many lines an ellipsis may stand for."""

LINES_PER_ERROR: Final = 8
"""One mistake is tolerated in any pattern, and one more per this many lines."""

ENOUGH: Final = 12
"""How many letters and digits must match in lines that are unique in the text; more in common lines."""

PLENTY: Final = 60
"""With so many, one word may be wrong even if it occurs elsewhere in the text."""

NEARLY: Final = 0.6
"""A place with this share of the best weight makes the match ambiguous."""

MAX_COMPARED: Final = 20_000
"""How many lines are compared, of all places together."""

LONGEST_SWAPPED: Final = 40
"""The maximum length of a pattern for which swapped neighboring lines are tried."""

_ELLIPSIS: Final = re.compile(r"(?:#|//|/\*|--|<!--)?(?:\.\.\.|…).{0,40}")
_COMMENT: Final = re.compile(r"#|//|--|/\*|<!--")

Pair = tuple[int, int]
Similar = tuple[str, EditVariant, list[Match]]
"""The strategy, the interpretation of the edit, and the matches."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A possible match: how much of the pattern it contains, and pairs of key indexes in the pattern and in the
    text.
    """

    weight: float
    pairs: tuple[Pair, ...]


def find_similar(source: TextIndex, variant: EditVariant) -> Iterator[Similar]:
    """Yield the places that a pattern with wrong lines may mean; several if it is ambiguous."""
    pattern = Pattern(variant.old)
    if matches := _elided(source, pattern):
        yield "context", variant, matches
    elif (found := _swapped(source, variant, pattern)) is not None:
        yield "context", *found
    elif matches := _misremembered(source, pattern, frozenset(keys_of(variant.new))):
        yield "context", variant, matches


def _elided(source: TextIndex, pattern: Pattern) -> list[Match]:
    """Find a pattern with an ellipsis for lines between its first and last lines."""
    gaps = [index for index, line in enumerate(pattern.solid) if _ELLIPSIS.fullmatch(pattern.lines[line].strip())]
    if len(gaps) != 1 or not 0 < gaps[0] < len(pattern.keys) - 1:
        return []
    head, tail = pattern.keys[: gaps[0]], pattern.keys[gaps[0] + 1 :]
    heads, tails = _block_starts(source, head), _block_starts(source, tail)
    found = []
    for start, following in pairwise([*heads, len(source.keys)]):
        end = start + len(head)
        ends = [place for place in tails if end <= place < min(end + ELIDED, following)]
        if ends:
            pairs = [(index, start + index) for index in range(len(head))]
            pairs += [(gaps[0] + 1 + index, ends[0] + index) for index in range(len(tail))]
            found.append(match_lines(source, pattern, pairs))
    return found


def _block_starts(source: TextIndex, keys: list[str]) -> list[int]:
    return [at for at in source.places.get(keys[0], []) if source.keys[at : at + len(keys)] == keys]


def _swapped(source: TextIndex, variant: EditVariant, pattern: Pattern) -> tuple[EditVariant, list[Match]] | None:
    """Find a pattern in which two neighboring lines are swapped, in the old and the new text."""
    if len(pattern.keys) > LONGEST_SWAPPED or not all(f"\n{key}\n" in source.squeezed for key in pattern.keys):
        return None
    for first, second in pairwise(range(len(pattern.lines))):
        lines = (pattern.lines[first], pattern.lines[second])
        if not (lines[0].strip() or lines[1].strip()) or variant.new.count("\n".join(lines)) != 1:
            continue
        old = "\n".join([*pattern.lines[:first], lines[1], lines[0], *pattern.lines[second + 1 :]])
        matches = find_same(source, Pattern(old), 2)
        if len(matches) == 1 and not matches[0].partial:
            new = variant.new.replace("\n".join(lines), "\n".join(lines[::-1]))
            return EditVariant(old, new, variant.name, variant.kept), matches
    return None


def _misremembered(source: TextIndex, pattern: Pattern, kept: frozenset[str]) -> list[Match]:
    found: dict[Pair, _Candidate] = {}
    starts = sorted({*_starts(source, pattern)})
    if len(starts) * len(pattern.keys) > MAX_COMPARED:
        return []
    for start in starts:
        candidate = _compare(source, pattern, start, kept)
        if candidate is not None:
            found.setdefault(candidate.pairs[0], candidate)
    best = max((candidate.weight for candidate in found.values()), default=0.0)
    near = [candidate for candidate in found.values() if candidate.weight >= max(ENOUGH, NEARLY * best)]
    return [match_lines(source, pattern, list(candidate.pairs)) for candidate in near]


def _starts(source: TextIndex, pattern: Pattern) -> Iterator[int]:
    """Yield where the pattern would begin if one of its rarest lines matched."""
    first = {key: index for index, key in reversed(list(enumerate(pattern.keys)))}
    if not source.has_any(first):
        return
    rare = sorted((key for key in first if key in source.places), key=lambda key: len(source.places[key]))
    for key in rare[:ANCHORS]:
        if len(source.places[key]) <= TOO_COMMON and any(letter.isalnum() for letter in key):
            yield from (place - first[key] for place in source.places[key])


def _compare(source: TextIndex, pattern: Pattern, start: int, kept: frozenset[str]) -> _Candidate | None:
    """Compare a pattern with a place; None if there are too many mistakes."""
    base = max(0, start - SLACK)
    window = source.keys[base : start + len(pattern.keys) + SLACK]
    same = [
        (ours + step, base + theirs + step)
        for ours, theirs, size in matching_blocks(pattern.keys, window)
        for step in range(size)
    ]
    if not same or len(same) + 1 + len(pattern.keys) // LINES_PER_ERROR < len(pattern.keys):
        return None
    weight = sum(_weight(source, pattern.keys[ours]) for ours, _ in same)
    doubtful = frozenset() if weight >= PLENTY else kept
    pairs = _with_slips(source, pattern, same, window, doubtful)
    if pairs is None:
        return None
    return _Candidate(weight, tuple(pairs))


def _weight(source: TextIndex, key: str) -> float:
    return min(30, sum(letter.isalnum() for letter in key)) / math.sqrt(len(source.places[key]))


def _with_slips(
    source: TextIndex, pattern: Pattern, same: list[Pair], window: list[str], kept: frozenset[str]
) -> list[Pair] | None:
    """Pair lines that differ by a slip; None if there are too many other differences."""
    allowed = 1 + len(pattern.keys) // LINES_PER_ERROR
    pairs: list[Pair] = []
    last, last_there = -1, same[0][1] - same[0][0] - 1
    behind = len(pattern.keys) - same[-1][0]
    for ours, theirs in [*same, (len(pattern.keys), same[-1][1] + behind)]:
        missing, extra = range(last + 1, ours), range(last_there + 1, theirs)
        allowed -= max(len(missing), len(extra))
        if len(missing) == len(extra):
            slips = list(zip(missing, extra, strict=True))
            if not all(_is_slip(source, pattern, *pair, kept) for pair in slips):
                return None
            pairs += slips
        elif any(pattern.keys[index] in window for index in missing):
            return None  # the line is elsewhere
        if allowed < 0:
            return None
        if ours < len(pattern.keys):
            pairs.append((ours, theirs))
        last, last_there = ours, theirs
    return pairs


def _is_slip(source: TextIndex, pattern: Pattern, ours: int, theirs: int, kept: frozenset[str]) -> bool:
    """Return whether a line differs only in one word or a trailing comment.

    A word that occurs elsewhere in the text is no slip: the pattern may mean that place, or one that no longer exists.
    """
    if not 0 <= theirs < len(source.keys):
        return False
    quoted, actual = pattern.keys[ours], source.keys[theirs]
    if quoted.casefold() == actual.casefold():
        return True
    if actual.startswith(quoted) and _COMMENT.match(actual, len(quoted)):
        return True
    words, others = tokens_of(pattern.lines[pattern.solid[ours]]), tokens_of(source.lines[source.solid[theirs]])
    differ = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
    if (
        len(words) != len(others)
        or len(differ) != 1
        or not all(word[0].isalnum() or word[0] == "_" for word in differ[0])
    ):
        return False
    if quoted not in kept:
        return True  # the merge compares it with the new text
    return re.search(rf"\b{re.escape(differ[0][0])}\b", source.text) is None
