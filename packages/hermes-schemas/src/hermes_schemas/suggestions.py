"""Finds names that are similar to a misspelt one, quickly even among many."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BETWEEN = r"[\W_]+"  # compiled when it is first used: most programs misspell nothing
_MAX_COMPARED = 300
"""How many names are compared; of more, those that begin alike or share a word are selected first."""


def nearest(name: str, known: Iterable[str], limit: int = 3, *, likeness: float = 0.6) -> list[str]:
    """Return the most similar names, best first. Case and the order of words do not matter.

    Args:
        name: The misspelt name.
        known: All names.
        limit: How many to return.
        likeness: How similar two names must be, from 0 to 1.
    """
    import difflib  # only errors need it, and every start of the command imports this module

    target = name[:100].casefold()
    folded = {candidate.casefold(): candidate for candidate in sorted(known, reverse=True)}
    pool = list(folded)
    if len(pool) > _MAX_COMPARED:
        words = [word for word in target.replace("-", "_").split("_") if len(word) > 2]
        pool = [it for it in pool if it[:3] == target[:3] or any(word in it for word in words)][:_MAX_COMPARED]
    words_of = sorted(re.split(_BETWEEN, target))
    pool.sort()
    reordered = []
    if len(words_of) > 1:
        reordered = [it for it in pool if it != target and sorted(re.split(_BETWEEN, it)) == words_of]
    alike = difflib.get_close_matches(target, pool, n=limit, cutoff=likeness)
    return [folded[match] for match in dict.fromkeys([*reordered, *alike])][:limit]
