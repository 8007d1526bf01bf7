"""Find a quote of which some lines are misremembered, omitted or in another order, if the others leave no doubt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hermes_tools_terminal.editing.align import same_lines
from hermes_tools_terminal.editing.fuzzy.find import Match, Quote, match_lines
from hermes_tools_terminal.editing.fuzzy.likeness import LineLikeness
from hermes_tools_terminal.editing.fuzzy.page import Page

ANCHORS: Final = 4
"""How many lines of a quote are looked up in the text, the rarest first."""

TOO_COMMON: Final = 40
"""What a text has more often than that leads nowhere."""

SLACK: Final = 3
"""By how many lines a quote may be longer or shorter than what it means."""

ELIDED: Final = 60
"""How many lines an ellipsis may stand for."""

LINES_FOR_A_MISTAKE: Final = 8
"""One mistake is forgiven in any quote, and one more in so many lines."""

ALIKE: Final = 0.5
"""How alike a misremembered line must be to the file's."""

NEARLY: Final = 0.6
"""A place with so much of the best one's weight leaves doubt which of them is meant."""

_ELLIPSES: Final = frozenset({"...", "#...", "//...", "/*...*/", "#...existingcode...", "//...existingcode..."})

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A place that a quote may mean.

    Attributes:
        weight: How much of the quote it has.
        mistakes: How many lines of the quote are wrong there.
        pairs: Which key of the quote is which key of the text.
    """

    weight: float
    mistakes: int
    pairs: tuple[Pair, ...]


def find_similar(page: Page, quote: Quote) -> list[Match]:
    """Find the place that has all lines of a quote but a few; several places when it is not clear which.

    Args:
        page: The text.
        quote: The quote.
    """
    allowed = 1 + len(quote.keys) // LINES_FOR_A_MISTAKE
    found: dict[Pair, _Candidate] = {}
    for start in sorted(_starts(page, quote)):
        candidate = _compare(page, quote, start)
        if candidate is not None and candidate.mistakes <= allowed:
            found.setdefault(candidate.pairs[0], candidate)
    best = max((candidate.weight for candidate in found.values()), default=0.0)
    near = [candidate for candidate in found.values() if candidate.weight >= NEARLY * best]
    return [match_lines(page, quote, list(candidate.pairs)) for candidate in near]


def _starts(page: Page, quote: Quote) -> Iterator[int]:
    """Yield where the quote would begin if one of its rarest lines were the text's."""
    first = {key: index for index, key in reversed(list(enumerate(quote.keys)))}
    rare = sorted((key for key in first if key in page.places), key=lambda key: len(page.places[key]))
    for key in rare[:ANCHORS]:
        if len(page.places[key]) <= TOO_COMMON and any(letter.isalnum() for letter in key):
            yield from {place - first[key] for place in page.places[key]}


def _compare(page: Page, quote: Quote, start: int) -> _Candidate | None:
    elided = any(key in _ELLIPSES for key in quote.keys)
    base = max(0, start - SLACK - ELIDED * elided)
    window = page.keys[base : start + len(quote.keys) + SLACK + ELIDED * elided]
    same = [
        (ours + step, base + theirs + step)
        for ours, theirs, size in same_lines(quote.keys, window)
        for step in range(size)
    ]
    if not same:
        return None
    weight = sum(_weight(page, quote.keys[ours]) for ours, _ in same)
    pairs, mistakes = _with_slips(page, quote, same)
    return _Candidate(weight, mistakes, tuple(pairs))


def _weight(page: Page, key: str) -> float:
    return min(30, sum(letter.isalnum() for letter in key)) / len(page.places[key]) ** 0.5


def _with_slips(page: Page, quote: Quote, same: list[Pair]) -> tuple[list[Pair], int]:
    """Pair the lines that are nearly the same, and count all that are not the same."""
    pairs: list[Pair] = []
    mistakes = 0
    last, last_there = -1, same[0][1] - same[0][0] - 1
    behind = len(quote.keys) - same[-1][0]
    for ours, theirs in [*same, (len(quote.keys), same[-1][1] + behind)]:
        missing, extra = range(last + 1, ours), range(last_there + 1, theirs)
        if len(missing) == len(extra):
            slips = [pair for pair in zip(missing, extra, strict=True) if _is_slip(page, quote, *pair)]
            pairs += slips
            mistakes += len(missing) if len(slips) == len(missing) else 2 * len(missing)
        elif any(quote.keys[index] in _ELLIPSES for index in missing):
            mistakes += len(missing)
        else:
            mistakes += len(missing) + len(extra)
        if ours < len(quote.keys):
            pairs.append((ours, theirs))
        last, last_there = ours, theirs
    return pairs, mistakes


def _is_slip(page: Page, quote: Quote, ours: int, theirs: int) -> bool:
    if not 0 <= theirs < len(page.keys):
        return False
    return LineLikeness(quote.keys[ours].lower()).of(page.keys[theirs].lower()) >= ALIKE
