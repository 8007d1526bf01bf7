"""Makes any value small, free of secrets and sure to be JSON, before it is written where it stays."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from itertools import islice
from json.encoder import encode_basestring_ascii as escaped
from math import isfinite
from typing import Any

from hermes_core.config.masking import MASK, looks_secret
from hermes_core.config.secrets import redact

MAX_TEXT = 2_000
"""Characters that are kept of one text."""

_MAX_NAME = 160
_MAX_DEPTH = 12
# Shorter ones would hide words and numbers that only happen to be the same.
_SHORTEST_SECRET = 6
# How much of a long text is searched for known secrets, and how much of that for the shapes of secrets: more than is
# kept, because half a secret at the edge no longer looks like one.
_KNOWN_WINDOW = 65_536
_SHAPE_WINDOW = MAX_TEXT + 8_192
_WORD_REACH = 1_024
_MOST_BITS = 128
# What a character takes at most in JSON that is all ASCII: two escapes of six.
_WORST_CHARACTER = 12
_SURROGATE = re.compile("[\ud800-\udfff]")
# Beside one of these, "value" is the value of what the other names.
_NAMING = ("name", "key", "header")


class Trimmer:
    """Copies values within a budget of bytes: what no longer fits is cut, and how much that was is noted."""

    __slots__ = ("_known", "left")

    def __init__(self, budget: int, known_secrets: frozenset[str] = frozenset()) -> None:
        self.left = budget
        self._known = _spellings(known_secrets) if known_secrets else ()

    def text(self, text: str, limit: int = MAX_TEXT, *, hide: Callable[[str], str] = redact) -> str:
        """A text without secrets; of one that is too long the beginning, and its length."""
        head = self._without_secrets(text, hide)
        cut = len(text) > _SHAPE_WINDOW or len(head) > limit
        shown = f"{head[:limit]}… [{len(text)} chars]" if cut else head
        cost = len(escaped(shown))
        if cost > self.left:
            keep = min(max(self.left, 0) // _WORST_CHARACTER, limit)
            shown = f"{head[:keep]}… [{len(text)} chars]"
            cost = len(escaped(shown))
        self.left -= cost + 1
        return shown

    def name(self, name: str) -> str:
        """The same for a text that comes again and again: what was found out about it is remembered."""
        return self.text(name, _MAX_NAME, hide=_hide_in_name if len(name) <= _MAX_NAME else redact)

    def optional(self, name: str | None) -> str | None:
        """The same for a name that may be missing."""
        return None if name is None else self.name(name)

    def value(self, value: object, *, hidden: bool = False, depth: int = 0) -> Any:
        """A value as JSON can say it; `hidden` when its name told that it is a secret."""
        if isinstance(value, str):
            return self.text((MASK if value else "") if hidden else str.__str__(value))
        if value is None or isinstance(value, bool):
            self.left -= 6
            return value
        if isinstance(value, int | float):
            return MASK if hidden or self._is_known(value) else self._number(value)
        if isinstance(value, bytes | bytearray | memoryview):
            return self.text(f"<{len(value)} bytes>")
        with contextlib.suppress(Exception):  # a class of somebody else: whatever it raises, the call is recorded
            if depth < _MAX_DEPTH and isinstance(value, Mapping):
                return self._mapping(value, hidden=hidden, depth=depth)
            if depth < _MAX_DEPTH and isinstance(value, Sequence | Set):
                return self._items(value, hidden=hidden, depth=depth)
        # Its own words are not asked for: nobody knows what they cost, or give away.
        return self.name(f"<{type(value).__name__}>")

    def _mapping(self, mapping: Mapping[Any, Any], *, hidden: bool, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        named = "value" in mapping and any(_is_telling(mapping.get(name)) for name in _NAMING)
        for key, item in mapping.items():
            if self.left <= 0:
                made["…"] = f"{len(mapping) - len(made)} more"
                break
            secret = hidden or _is_telling(key) or (named and key == "value")
            if secret and isinstance(item, int | float) and _counts(key):
                secret = False
            made[self._key(key)] = self.value(item, hidden=secret, depth=depth + 1)
            self.left -= 4
        return made

    def _items(self, items: Sequence[Any] | Set[Any], *, hidden: bool, depth: int) -> list[Any]:
        made: list[Any] = []
        before: object = ""
        for item in items:
            if self.left <= 0:
                made.append(f"… {len(items) - len(made)} more")
                break
            # As in a command's arguments: --token and then the token.
            option = isinstance(before, str) and before.startswith("-") and _is_telling(before)
            made.append(self.value(item, hidden=hidden or option, depth=depth + 1))
            self.left -= 4
            before = item
        return made

    def _key(self, key: object) -> str:
        if isinstance(key, str):
            return self.name(str.__str__(key))
        shown = str(self._number(key)) if isinstance(key, int | float) else f"<{type(key).__name__}>"
        return self.name("null" if key is None else shown)

    def _number(self, number: float) -> int | float | str:
        self.left -= 40
        if isinstance(number, float):
            return float.__pos__(number) if isfinite(number) else float.__repr__(number)
        bits = int.bit_length(number)
        return int.__pos__(number) if bits <= _MOST_BITS else f"<integer of {bits} bits>"

    def _is_known(self, number: float) -> bool:
        return bool(self._known) and str(self._number(number)) in self._known

    def _without_secrets(self, text: str, hide: Callable[[str], str]) -> str:
        head = text[:_KNOWN_WINDOW]
        for secret in self._known:
            if secret in head:
                head = head.replace(secret, MASK)
        head = hide(_first_words(head, _SHAPE_WINDOW))
        # A lone surrogate is no character: some programs refuse the whole line for it.
        return head if head.isascii() else _SURROGATE.sub("\ufffd", head)


def _first_words(text: str, limit: int) -> str:
    """The beginning of a text, without the word that the limit would cut."""
    if len(text) <= limit:
        return text
    gap = max(text.rfind(space, limit - _WORD_REACH, limit) for space in " \n\t")
    return text[: gap if gap >= 0 else limit - _WORD_REACH]


def _is_telling(name: object) -> bool:
    # Only the end of a name tells; the rest of a very long one is not looked at.
    return isinstance(name, str) and _looks_secret(name[-_MAX_NAME:])


@lru_cache(maxsize=1_024)
def _looks_secret(name: str) -> bool:
    return looks_secret(name)


@lru_cache(maxsize=1_024)
def _hide_in_name(name: str) -> str:
    return redact(name)


def _counts(name: object) -> bool:
    """Whether a number of that name says how many, as `max_tokens` does."""
    return isinstance(name, str) and name.lower().endswith(("tokens", "keys"))


@lru_cache(maxsize=8)
def _spellings(secrets: frozenset[str]) -> tuple[str, ...]:
    """The secrets as they stand in texts, in URLs and in quoted texts; the longest first, as one may hold another."""
    from urllib.parse import quote, quote_plus

    found: set[str] = set()
    for secret in _long_enough(secrets):
        found |= {secret, quote(secret, safe=""), quote_plus(secret), escaped(secret)[1:-1]}
    return tuple(sorted(found, key=len, reverse=True))


def _long_enough(secrets: Iterable[str]) -> Iterable[str]:
    stripped = (secret.strip() for secret in secrets)
    return islice((secret for secret in stripped if len(secret) >= _SHORTEST_SECRET), 1_000)
