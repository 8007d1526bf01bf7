"""Notices pages that are there already: under another address, or with the same text."""

from __future__ import annotations

import hashlib
import re

_WORD = re.compile(r"\w+")
_COMPARED_CHARS = 4000
_ALIKE = 0.6
"""How much of their words two pages share that are the same but for what is around them."""


class Duplicates:
    """The pages that a crawl has, by their addresses and texts."""

    def __init__(self) -> None:
        self._begins: dict[str, str] = {}
        self._texts: set[bytes] = set()
        self._claimed: dict[str, str] = {}

    def has(self, key: str) -> bool:
        """Whether there is a page with a key."""
        return key in self._begins

    def add(self, key: str, canonical: str, text: str) -> bool:
        """Take note of a page; whether it is a new one.

        An address that a page calls its own is believed only if the texts are alike: too many sites give all of
        their pages the same one.

        Args:
            key: The key of its address.
            canonical: The key of the address that it calls its own; empty when it calls none so.
            text: What it says.
        """
        digest = hashlib.blake2b(" ".join(text.casefold().split()).encode("utf-8", "replace"), digest_size=16).digest()
        if key in self._begins or digest in self._texts or self._is_said_to_be_there(key, canonical, text):
            return False
        self._begins[key] = text[:_COMPARED_CHARS]
        self._texts.add(digest)
        self._claimed.setdefault(canonical or key, key)
        return True

    def _is_said_to_be_there(self, key: str, canonical: str, text: str) -> bool:
        """Whether this page names one that is there, is named by one, or both name the same."""
        named = {canonical, self._claimed.get(canonical, ""), self._claimed.get(key, "")} - {"", key}
        return any(_are_alike(self._begins[other], text) for other in named if other in self._begins)


def _are_alike(begin: str, text: str) -> bool:
    one, other = (set(_WORD.findall(part[:_COMPARED_CHARS].casefold())) for part in (begin, text))
    return len(one & other) >= _ALIKE * len(one | other)
