"""Find text that differs from the file only in whitespace, line endings and typography."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from hermes_editing.fuzzy.text_index import (
    Hits,
    Span,
    TextIndex,
    keys_of,
    occurrences,
    plain,
    squeeze,
    tokens_of,
)

MANY: Final = 100
"""How many matches are counted when only one is allowed."""

_PARTS: Final = 1000
"""The maximum number of replacements within lines."""


@dataclass(frozen=True, slots=True)
class Match:
    """A place in a text that matches a pattern.

    Attributes:
        span: Its start and end.
        pairs: Pairs of line indexes in the pattern and in the match.
        partial: Whether it begins within a line.
        whole: Whether it consists of whole lines.
    """

    span: Span
    pairs: tuple[tuple[int, int], ...]
    partial: bool = False
    whole: bool = False


class Scope:
    """Restricts where an edit may apply; by default anywhere."""

    whole_lines = False
    """Whether only whole lines may match."""

    def choose(self, places: list[range], *, similar: bool = False) -> list[range]:
        """Choose among matches, given as ranges of lines; `similar` means that some of their lines are quoted wrong."""
        del similar
        return places

    def is_original(self, lines: range) -> bool:
        """Return whether lines existed before this edit and others made together with it."""
        return bool(lines)


ANYWHERE: Final = Scope()


class Pattern:
    """The text to find, split into lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        keys = squeeze(text).split("\n")
        self.solid = [index for index, key in enumerate(keys) if key]
        self.keys = [key for key in keys if key]

    @property
    def with_end(self) -> bool:
        """Whether it ends with a line feed."""
        return len(self.lines) > 1 and not self.lines[-1]


def find_same(source: TextIndex, pattern: Pattern, limit: int | None = None, scope: Scope = ANYWHERE) -> list[Match]:
    """Find the places with the words and signs of a pattern in the same lines, ignoring blank lines."""
    if not pattern.keys:
        return []
    wanted = "\n" + "\n".join(pattern.keys) + "\n"
    hits = occurrences(source.squeezed, wanted, shared=1)
    if not hits.spans and not scope.whole_lines:
        return list(islice(_parts_of_lines(source, pattern, wanted[1:-1]), _PARTS if limit is None else limit))
    if hits.spans and not hits.several:
        return _only_match(source, pattern, hits.spans[0][0], scope)
    places = {
        source.lines_of_keys(first, len(pattern.keys)): first for first in _key_places(source, wanted, hits, limit)
    }
    return [_match_keys(source, pattern, places[place]) for place in scope.choose(list(places))]


def _only_match(source: TextIndex, pattern: Pattern, start: int, scope: Scope) -> list[Match]:
    """Return the only match, splitting only the lines around it instead of the whole text."""
    first = source.line_of_key(start + 1)
    begins = source.start_of(first)
    around, ends, left = begins, begins, len(pattern.keys)
    for _ in pattern.lines:
        around = source.text.rfind("\n", 0, max(0, around - 1)) + 1
    stop = first
    while left:
        begin, ends = ends, source.line_end(ends)
        left -= bool(squeeze(source.text[begin:ends].rstrip("\n")))
        stop += 1
    if not scope.choose([range(first, stop)]):
        return []
    for _ in pattern.lines:
        ends = source.line_end(ends)
    match = _match_keys(TextIndex(source.text[around:ends]), pattern, len(keys_of(source.text[around:begins])))
    return [replace(match, span=(around + match.span[0], around + match.span[1]))]


def _match_keys(source: TextIndex, pattern: Pattern, first: int) -> Match:
    return match_lines(source, pattern, [(at, first + at) for at in range(len(pattern.keys))])


def _key_places(source: TextIndex, wanted: str, hits: Hits, limit: int | None) -> Iterator[int]:
    """Yield the indexes of the keys where matches begin."""
    starts = [start for start, _ in hits.spans[:limit]]
    if hits.several and len(starts) == 1:
        starts.append(source.squeezed.find(wanted, starts[0] + 1))
    index = passed = 0
    for start in starts:
        index += source.squeezed.count("\n", passed, start)
        passed = start
        yield index


def nearest(source: TextIndex, pattern: Pattern, matches: list[Match]) -> list[Match]:
    """Return the only match that has the whitespace of the pattern too, if there is exactly one."""
    if not 1 < len(matches) <= MANY:
        return matches
    ranked: dict[int, list[Match]] = {}
    for match in matches:
        ranked.setdefault(distance(source, pattern, match), []).append(match)
    best = ranked[min(ranked)]
    return best if len(best) == 1 else matches


def match_lines(source: TextIndex, pattern: Pattern, pairs: list[tuple[int, int]]) -> Match:
    """Create a match of whole lines from pairs of key indexes in the pattern and in the text."""
    lines = [(pattern.solid[ours], source.solid[theirs]) for ours, theirs in pairs]
    first, last = lines[0][1], lines[-1][1]
    start, end = first, last
    while start and first - start < lines[0][0] and not source.lines[start - 1].strip():
        start -= 1
    blanks_behind = len(pattern.lines) - 1 - lines[-1][0] - pattern.with_end
    while end + 1 < len(source.lines) and end - last < blanks_behind and not source.lines[end + 1].strip():
        end += 1
    paired = list(_with_blank_lines(pattern, source, lines, (start, end)))
    stop = source.starts[end] + len(source.lines[end])
    if pattern.with_end and stop < len(source.text):
        stop += 1
    return Match((source.starts[start], stop), tuple((ours, theirs - start) for ours, theirs in paired), whole=True)


def _with_blank_lines(
    pattern: Pattern, source: TextIndex, lines: list[tuple[int, int]], region: Span
) -> Iterator[tuple[int, int]]:
    """Pair the blank lines between paired lines as far as both sides have them."""
    last_quoted = len(pattern.lines) - 1 - pattern.with_end
    before, before_there = -1, region[0] - 1
    for ours, theirs in [*lines, (last_quoted + 1, region[1] + 1)]:
        gap = min(ours - before, theirs - before_there) - 1
        for step in range(gap):
            both = before + 1 + step, before_there + 1 + step
            if before < 0:  # directly above the first line
                both = ours - gap + step, theirs - gap + step
            if not pattern.lines[both[0]].strip() and not source.lines[both[1]].strip():
                yield both
        if ours <= last_quoted:
            yield ours, theirs
        before, before_there = ours, theirs


def _parts_of_lines(source: TextIndex, pattern: Pattern, wanted: str) -> Iterator[Match]:
    """Find a pattern that begins or ends within a line."""
    columns: dict[int, tuple[list[int], list[int]]] = {}
    index = passed = 0
    for start, end in occurrences(source.squeezed, wanted).spans:
        index += source.squeezed.count("\n", passed, start)
        passed = start
        first, last = source.solid[index - 1], source.solid[index - 2 + len(pattern.keys)]
        column = start - source.squeezed.rfind("\n", 0, start) - 1
        last_column = end - source.squeezed.rfind("\n", 0, end) - 1
        for line in {first, last} - columns.keys():
            columns[line] = _columns(source.lines[line])
        left = source.starts[first] + (columns[first][0][column] if column else 0)
        right = source.starts[last] + columns[last][1][last_column]
        if pattern.with_end and not source.text[right : source.starts[last + 1]].strip():
            right = min(source.starts[last + 1], len(source.text))
        if column and pattern.lines[pattern.solid[0]][:1].isspace():
            continue  # an indented pattern begins a line
        region = source.text[left:right]
        if tokens_of(region) == tokens_of(pattern.text) and not any(
            begins_within_word(source.text, edge) for edge in (left, right)
        ):
            yield _match_part(pattern, region, left, partial=column > 0)


def _match_part(pattern: Pattern, region: str, left: int, *, partial: bool) -> Match:
    solid = [index for index, key in enumerate(squeeze(region).split("\n")) if key]
    pairs = tuple(zip(pattern.solid, solid, strict=True))
    return Match((left, left + len(region)), pairs, partial=partial)


def _columns(line: str) -> tuple[list[int], list[int]]:
    """Return for each column of a squeezed line where its character begins and where the previous one ends."""
    begins: list[int] = []
    ends = [0]
    for index, letter in enumerate(line):
        if unicodedata.combining(letter):
            ends[-1] = index + 1
            continue
        width = len(squeeze(letter))
        begins += [index] * width
        ends += [index + 1] * width
    return [*begins, len(line)], ends


def begins_within_word(text: str, start: int) -> bool:
    """Return whether a position is inside a word."""
    edge = text[max(0, start - 1) : start + 1]
    return len(edge) == 2 and edge.replace("_", "a").isalnum()


def distance(source: TextIndex, pattern: Pattern, match: Match) -> int:
    """Return how much a match differs from a pattern in whitespace, from 0 to 3."""
    actual = source.text[slice(*match.span)].split("\n")
    pairs = [(plain(pattern.lines[ours]).rstrip(), plain(actual[theirs]).rstrip()) for ours, theirs in match.pairs]
    if len(match.pairs) == len(pattern.lines) - pattern.with_end and pairs == [(ours, ours) for ours, _ in pairs]:
        return 0
    if all(ours == theirs for ours, theirs in pairs[1:]):
        return 1
    return 2 if all(ours.strip() == theirs.strip() for ours, theirs in pairs) else 3
