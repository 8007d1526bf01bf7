"""Names that somebody may have meant when a file is not there."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable

MOST = 5
_LOOKED_AT = 5_000


def similar(name: str, names: Iterable[str], *, most: int = MOST) -> list[str]:
    """The names that come nearest to another one, best first."""
    wanted = _plain(name)
    scored = []
    for number, each in enumerate(names):
        if number >= _LOOKED_AT:
            break
        score = _score(wanted, _plain(each))
        if score:
            scored.append((-score, each))
    return [each for _, each in sorted(scored)[:most]]


def _plain(name: str) -> str:
    return (name if name.isascii() else unicodedata.normalize("NFC", name)).lower()


def _score(wanted: str, name: str) -> int:
    if not wanted or not name:
        return 0
    if wanted == name:
        return 100  # but for its case, or how its accents are written
    stem, extension = os.path.splitext(wanted)
    other, other_extension = os.path.splitext(name)
    if stem == other:
        return 90
    if name.startswith(stem) or wanted.startswith(other):
        return 70
    if wanted in name or stem in name:
        return 60
    if name in wanted or other in wanted:
        return 40
    shared = len(set(stem) & set(other)) / max(len(set(stem) | set(other)), 1)
    if shared >= 0.7 or (extension and extension == other_extension and shared >= 0.4):
        return 20 + int(shared * 10)
    return 0
