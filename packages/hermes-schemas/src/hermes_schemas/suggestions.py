"""Names that look like a misspelt one, found without comparing it to every name there is."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BETWEEN = re.compile(r"[\W_]+")
_LOOKED_AT = 300
"""Comparing two names in earnest costs as much as a hundred glances: only this many get more than a glance."""


def nearest(name: str, known: Iterable[str], most: int = 3, *, likeness: float = 0.6) -> list[str]:
    """The known names that come closest, best first, whatever their case and the order of their words.

    Args:
        name: The misspelt name.
        known: The names that there are.
        most: How many to return.
        likeness: How alike two names must be, out of 1.
    """
    import difflib  # only errors need it, and every start of the command imports this module

    wanted = name[:100].casefold()
    folded = {candidate.casefold(): candidate for candidate in sorted(known, reverse=True)}
    pool = list(folded)
    if len(pool) > _LOOKED_AT:
        words = [word for word in wanted.replace("-", "_").split("_") if len(word) > 2]
        pool = [it for it in pool if it[:3] == wanted[:3] or any(word in it for word in words)][:_LOOKED_AT]
    words_of = sorted(_BETWEEN.split(wanted))
    turned = [it for it in sorted(pool) if it != wanted and sorted(_BETWEEN.split(it)) == words_of]
    alike = difflib.get_close_matches(wanted, sorted(pool), n=most, cutoff=likeness)
    return [folded[match] for match in dict.fromkeys([*turned, *alike])][:most]
