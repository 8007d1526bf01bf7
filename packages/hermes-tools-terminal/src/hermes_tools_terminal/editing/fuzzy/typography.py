"""Typographic characters and the plain ones that people type for them."""

from __future__ import annotations

import re
from typing import Final

PLAIN: Final = {
    **dict.fromkeys("‘’‚‛", "'"),
    **dict.fromkeys("“”„‟", '"'),
    **dict.fromkeys("‐‑–−", "-"),
    **dict.fromkeys("—―", "--"),
    "…": "...",
    **dict.fromkeys("\u00a0\u2007\u202f", " "),
}
"""Quotes, dashes, the ellipsis and blanks that do not break, each with what a keyboard has for it."""

_WIDENED: Final = re.compile("[" + "".join(special for special, usual in PLAIN.items() if len(usual) > 1) + "]")


def plain(text: str) -> str:
    """A text with plain typography; the very same object when nothing changes."""
    if text.isascii():
        return text
    for special, usual in PLAIN.items():
        if special in text:  # far quicker than a table, as most texts have none or few of them
            text = text.replace(special, usual)
    return text


def widened(text: str) -> list[tuple[int, int]]:
    """Which characters of a text take more room when plain: their places, and by how much."""
    return [(found.start(), len(PLAIN[found.group()]) - 1) for found in _WIDENED.finditer(text)]
