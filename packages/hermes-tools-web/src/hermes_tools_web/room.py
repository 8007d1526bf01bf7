"""Divides the room of a result among pages, so that a long one does not push the others out."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hermes_tools_web.chunks import cut_at

_encoded = json.JSONEncoder(ensure_ascii=False).encode


def shares(sizes: Sequence[int], room: int, weights: Sequence[int] | None = None) -> list[int]:
    """How much room each gets: what it needs, or as much as all others that do not get that, by weight.

    Args:
        sizes: What each needs.
        room: How much there is.
        weights: How much each counts, above 0; without them all count the same.
    """
    counts = weights or [1] * len(sizes)
    given = [0] * len(sizes)
    left, weight = max(0, room), sum(counts)
    for place in sorted(range(len(sizes)), key=lambda at: sizes[at] / counts[at]):
        given[place] = min(sizes[place], left * counts[place] // weight)
        left -= given[place]
        weight -= counts[place]
    return given


def size_of(text: str) -> int:
    """How long a text is once it is JSON."""
    return len(_encoded(text)) - 2


def fitted(text: str, room: int) -> str:
    """The beginning of a text that fits into some room once it is JSON, cut where a reader would pause.

    Args:
        text: Any text.
        room: How many characters its JSON may have.
    """
    if len(text) <= room and size_of(text) <= room:
        return text
    head = text[: max(0, room)]
    while head and (size := size_of(head)) > room:
        head = head[: min(len(head) - 1, len(head) * room // size)]
    return cut_at(head + " ", len(head))
