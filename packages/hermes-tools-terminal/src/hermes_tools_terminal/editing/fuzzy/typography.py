"""Typographic characters, and the plain ones that are typed for them."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

PLAIN: Final = {
    **dict.fromkeys("‘’‚‛", "'"),
    **dict.fromkeys("“”„‟", '"'),
    **dict.fromkeys("‐‑–−", "-"),
    **dict.fromkeys("—―", "--"),
    "…": "...",
    **dict.fromkeys("\u00a0\u2007\u202f", " "),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
}
"""Quotation marks, dashes, ellipses, non-breaking blanks and invisible characters, with what a keyboard has for each."""

_TOKEN: Final = re.compile(r"\w+|[^\w\s]")


def plain(text: str) -> str:
    """Replace typographic characters with plain ones; returns the same object when nothing changes."""
    if text.isascii():
        return text
    for special, usual in PLAIN.items():
        if special in text:  # far quicker than a table, as most texts have none or few of them
            text = text.replace(special, usual)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def squeeze(text: str) -> str:
    """Return a text without blanks and line ends and with plain typography, which is what comparing needs."""
    return "".join(plain(text).split())


def tokens_of(text: str) -> list[str]:
    """Return the words and signs of a text, in plain typography."""
    return _TOKEN.findall(plain(text))
