"""Keeps a server from naming, as the alphabet of its text, a program that works for hours or fails."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

_FALLBACK = "utf-8"
_NO_ALPHABETS = frozenset(
    """
    base64 bz2 hex idna mbcs oem punycode quopri rawunicodeescape rot13 undefined unicodeescape utf32 utf7 uu zlib
    """.split()  # noqa: SIM905 - one a line would say no more
)
"""What Python decodes, and no browser: unpackers, ways to write code, and some that take the square of the length."""


def settle_charset(response: httpx2.Response) -> None:
    """Have a response read its text as UTF-8 when it names something that is not an alphabet."""
    try:
        named = response.charset_encoding
        harmless = named is None or _is_alphabet(named)
    except ValueError:  # a name that no codec can have
        harmless = False
    if not harmless:
        response.encoding = _FALLBACK


def _is_alphabet(name: str) -> bool:
    try:
        return codecs.lookup(name).name.replace("_", "").replace("-", "") not in _NO_ALPHABETS
    except LookupError:
        return True  # the client guesses then
