"""Groups of words that mean nearly the same where tools are named, or that belong to one topic.

A tool is in a group when it has one of its words, a question likewise; so a group is one more word to the index, and
common groups count as little as common words do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from hermes_core.search.stems import stem

SYNONYM, TOPIC = "=", "~"
"""What names of groups begin with. No word does."""


@lru_cache(maxsize=1)
def groups() -> dict[str, tuple[str, ...]]:
    """For each stem, the groups it is in."""
    found: dict[str, dict[str, None]] = {}
    for number, line in enumerate(_lines("synonyms.txt")):
        for word in line.split():
            found.setdefault(stem(word), {})[f"{SYNONYM}{number}"] = None
    for line in _lines("topics.txt"):
        head, _, words = line.partition(": ")
        for word in [head, *words.split()]:
            found.setdefault(stem(word), {})[f"{TOPIC}{head}"] = None
    return {word: tuple(names) for word, names in found.items()}


def _lines(file: str) -> Iterator[str]:
    """One group each. A synonym stands in a line with its own; a topic's name stands before a colon."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    yield from (line for line in text.splitlines() if line.strip())
