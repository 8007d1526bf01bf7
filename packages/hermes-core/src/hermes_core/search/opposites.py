"""What undoes what: whoever wants the music stopped does not want the tool that plays it, however alike they are."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from hermes_core.search.stems import stem

_PAIRS = """
start begin resume play launch boot run enable activate arm wake on | stop end pause halt kill quit disable deactivate disarm mute cancel abort terminate shutdown off
open raise unlock up | close shut lower lock down
lock secure arm | unlock disarm
unmute | mute silence
increase raise louder brighten | decrease lower reduce quieter dim
subscribe follow join connect attach mount install pin star archive | unsubscribe unfollow leave disconnect detach unmount uninstall unpin unstar unarchive
book reserve order buy | cancel refund
approve accept allow grant | reject decline deny block revoke
encrypt compress zip | decrypt decompress unzip
import upload | export download
"""  # noqa: E501  # a line is a pair
_SMALL = frozenset({"on", "off", "up", "down"})
_WITH_SMALL = frozenset(map(stem, ("turn", "switch", "power", "put", "shut", "call", "roll", "set")))
"""Verbs of which such a small word is a part. Elsewhere it is about a day off, or something on a list."""


def sides(words: Iterable[str]) -> frozenset[int]:
    """On which sides of which pairs some stems are: a number for each pair, below zero for the second half."""
    own = set(words)
    if own.isdisjoint(_WITH_SMALL):
        own -= _SMALL
    found = {side for word in own for side in _known().get(word, ())}
    return frozenset(side for side in found if -side not in found)


def opposed(wanted: frozenset[int], own: frozenset[int]) -> bool:
    """Whether a tool does the opposite of what is wanted, and nothing of it."""
    return wanted.isdisjoint(own) and any(-side in own for side in wanted)


@lru_cache(maxsize=1)
def _known() -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for number, line in enumerate(filter(None, _PAIRS.splitlines()), 1):
        for sign, half in zip((1, -1), line.split(" | "), strict=True):
            for word in half.split():
                key = stem(word)
                found[key] = (*found.get(key, ()), sign * number)
    return found
