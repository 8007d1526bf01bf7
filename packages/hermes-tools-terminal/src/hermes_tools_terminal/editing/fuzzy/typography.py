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
    **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u202f\u3000", " "),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
}
"""Quotation marks, dashes, ellipses, non-breaking blanks and invisible characters, with what is typed for each."""

_BLANKS: Final = b" \t\r\f\v"
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")


def plain(text: str) -> str:
    """Replace typographic characters with plain ones; returns the same object when nothing changes."""
    if text.isascii():
        return text
    for special, usual in PLAIN.items():
        if special in text:  # far quicker than a table, as most texts have none or few of them
            text = text.replace(special, usual)
    return text if text.isascii() or unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def squeeze(text: str) -> str:
    """Return a text without blanks and with plain typography; its line feeds stay."""
    data = plain(text).encode("utf-8", "surrogatepass")
    return data.translate(None, _BLANKS).decode("utf-8", "surrogatepass")  # far quicker than with texts


def tokens_of(text: str) -> list[str]:
    """Return the words and signs of a text, in plain typography."""
    return _TOKEN.findall(plain(text))
