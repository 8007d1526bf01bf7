"""Makes any value small, free of secrets and valid JSON, before it is logged."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from itertools import islice
from json.encoder import encode_basestring_ascii as escaped
from math import isfinite
from typing import Any, TypeVar

from hermes_text.secrets import MASK, looks_secret, redact, redact_words

_LONGEST_NAME = 160
# One-time codes are not settings, so the secret names of settings do not include them.
_ONE_TIME = re.compile(
    r"(?:^|[_.\-\s])(?:t?otp|(?:mfa|2fa|tan)(?:[_-]?code)?|one[_-]?time[_-]?(?:code|pass)|pw|cvv|cvc)$", re.IGNORECASE
)
PLAIN_WORD = re.compile(r"[A-Za-z_][A-Za-z_.-]{0,39}")
"""A name that may be shown below one that looks secret; other names may be secrets themselves."""


def names_secret(name: object) -> bool:
    """Return True if a name is that of a secret."""
    # Only the end of a name matters.
    return isinstance(name, str) and _looks_secret(name[-_LONGEST_NAME:])


@lru_cache(maxsize=1_024)
def _looks_secret(name: str) -> bool:
    return looks_secret(name) or _ONE_TIME.search(name) is not None


def is_count(name: object) -> bool:
    """Return True if a number with that name is a count, such as `max_tokens`."""
    return isinstance(name, str) and name.lower().endswith(("tokens", "keys"))


def without_passwords(items: list[Any]) -> list[Any]:
    """Return the words of a command without the passwords of its options."""
    if not any(isinstance(item, str) and item.startswith("-") for item in items):
        return items
    words = redact_words([str.__str__(item) if isinstance(item, str) else "" for item in items])
    return [word if isinstance(item, str) else item for item, word in zip(items, words, strict=True)]


LEAST = 64
"""The minimum number of bytes for each value, enough to recognize it."""

PUNCTUATION = 4
"""The bytes of commas, colons and brackets around a value."""

EMPTY = frozenset({dict, list, tuple})
"""The types whose empty values take almost no bytes."""

_NUMBER = 40
_WORD = 6
_UNKNOWN = 1 << 30


def need_of(value: object, longest: int) -> int:
    """Estimate how many bytes a value takes, without iterating over it."""
    if isinstance(value, str):
        length = str.__len__(value)
        if length <= LEAST:
            return len(escaped(value)) + PUNCTUATION
        return min(length, longest) * (1 if str.isascii(value) else 6) + PUNCTUATION
    if value is None or isinstance(value, bool) or (type(value) in EMPTY and not value):
        return _WORD
    return _NUMBER if isinstance(value, int | float) else _UNKNOWN


def number_that_fits(needs: Iterable[int], budget: int) -> int:
    """Return how many values fit with their minimum size."""
    number = 0
    for need in needs:
        budget -= need
        if budget < 0:
            break
        number += 1
    return number


MAX_TEXT = 2_000
"""How many characters of one text are kept."""

_MAX_NAME = 160
_MAX_DEPTH = 12
# How much of a long text is searched for secrets: more than is kept, as half a secret does not look like one.
_SHAPE_WINDOW = MAX_TEXT + 8_192
_WORD_REACH = 1_024
_MAX_BITS = 128
# The bytes of "… [123456789 chars]" in ASCII JSON.
_NOTE = 40
ALL = "*"
"""Among the names of cut arguments: any argument may be cut or missing."""
_SURROGATE = re.compile("[\ud800-\udfff]")
# Beside one of these, "value" is the value for that name.
_NAMING = ("name", "key", "header")
_Made = TypeVar("_Made")


class Trimmer:
    """Copies values within a budget of bytes; cut values are marked with their size.

    Attributes:
        left: The bytes that are left.
        cuts: How often something was cut or left out.
    """

    __slots__ = ("cuts", "left")

    def __init__(self, budget: int) -> None:
        self.left = budget
        self.cuts = 0

    def text(self, text: object, limit: int = MAX_TEXT, *, hide: Callable[[str], str] = redact) -> str:
        """Return a text without secrets; if it is too long, its beginning and its length."""
        whole = text if type(text) is str else _as_text(text)
        head = self._without_secrets(whole, hide)
        cut = len(whole) > _SHAPE_WINDOW or len(head) > limit
        shown = f"{head[:limit]}… [{len(whole)} chars]" if cut else head
        cost = len(escaped(shown))
        if cost > self.left:
            cut = True
            shown = f"{_that_fits(head[:limit], self.left - _NOTE)}… [{len(whole)} chars]"
            cost = len(escaped(shown))
        self.cuts += cut
        self.left -= cost + 1
        return shown

    def name(self, name: object) -> str:
        """Return a frequent text without secrets; the result is cached."""
        text = name if type(name) is str else _as_text(name)
        return self.text(text, _MAX_NAME, hide=_hide_in_name if len(text) <= _MAX_NAME else redact)

    def optional(self, name: object) -> str | None:
        """Return a name that may be missing."""
        return None if name is None else self.name(name)

    def arguments(self, args: object, declared: Collection[str] = ()) -> tuple[Any, list[str]]:
        """Return the arguments of a call, and the names of those that are not complete.

        Args:
            args: The arguments.
            declared: The names that the tool declares: if there are too many arguments, these are kept.
        """
        before = self.cuts
        cut: list[str] = []
        if isinstance(args, Mapping):
            with contextlib.suppress(Exception):  # a foreign class may raise anything
                return self._mapping(args, hidden=False, depth=0, first=declared, cut=cut), cut
        made = self.value(args)
        return made, [ALL] if self.cuts > before else []

    def value(self, value: object, *, hidden: bool = False, depth: int = 0, listed: bool = False) -> Any:
        """Return a value as JSON; `hidden` if its name is that of a secret, `listed` if it is in a list."""
        if isinstance(value, str):
            return self.text((MASK if value else "") if hidden else value)
        if value is None or isinstance(value, bool):
            self.left -= 6
            return value
        if isinstance(value, int | float):
            return MASK if hidden else self._number(value)
        if type(value) in EMPTY and not value:
            self.left -= 3
            return {} if isinstance(value, dict) else []
        if not isinstance(value, bytes | bytearray | memoryview) and (self.left >= LEAST or not depth):
            with contextlib.suppress(Exception):  # a foreign class may raise anything
                if depth < _MAX_DEPTH and isinstance(value, Mapping):
                    return self._mapping(value, hidden=hidden, depth=depth)
                if depth < _MAX_DEPTH and isinstance(value, Sequence | Set):
                    return self._items(value, hidden=hidden, depth=depth, listed=listed)
        self.cuts += 1
        # Its `repr` may be slow, or contain secrets.
        size = f"{len(value)} bytes" if isinstance(value, bytes | bytearray | memoryview) else type(value).__name__
        return self.name(f"<{size}>")

    def _mapping(
        self,
        mapping: Mapping[Any, Any],
        *,
        hidden: bool,
        depth: int,
        first: Collection[str] = (),
        cut: list[str] | None = None,
    ) -> dict[str, Any]:
        """Copy a mapping. Names come first, so that no value hides others; then each value gets its share."""
        named = "value" in mapping and any(names_secret(mapping.get(name)) for name in _NAMING)
        pairs = self._pairs_that_fit(mapping, first)
        left_out = len(mapping) - len(pairs)
        items = [item for _, item in pairs]
        self.left -= PUNCTUATION * len(pairs)
        needs = [need_of(item, MAX_TEXT) for item in items]
        names = self._names([key for key, _ in pairs], needs, hidden=hidden)
        renamed = any(type(key) is not str or key != name for (key, _), name in zip(pairs, names, strict=True))

        def make(index: int) -> Any:
            key, item = pairs[index]
            secret = hidden or names_secret(key) or (named and key == "value")
            if secret and isinstance(item, int | float) and is_count(key):
                secret = False
            so_far = self.cuts
            made = self.value(item, hidden=secret, depth=depth + 1)
            if cut is not None and self.cuts > so_far:
                cut.append(names[index])
            return made

        made = dict(zip(names, self._shared(needs, self.left, make), strict=True))
        if left_out > 0:
            self.cuts += 1
            made[_unused("…", made)] = self.text(f"{left_out} more")
        if cut is not None and (left_out > 0 or renamed):
            cut.append(ALL)
        return made

    def _pairs_that_fit(self, mapping: Mapping[Any, Any], first: Collection[str]) -> list[tuple[Any, Any]]:
        """Return as many items as fit with their minimum size, the most important first."""
        budget = self.left - _NOTE
        if len(mapping) * (2 * LEAST + PUNCTUATION) <= budget:
            return list(mapping.items())

        def least(pair: tuple[Any, Any]) -> int:
            key, item = pair
            return min(need_of(key, _MAX_NAME), LEAST) + min(need_of(item, MAX_TEXT), LEAST) + PUNCTUATION

        number = number_that_fits(map(least, mapping.items()), budget)
        if number >= len(mapping):
            return list(mapping.items())
        known = [(key, mapping[key]) for key in first if key in mapping]
        others = (pair for pair in mapping.items() if pair[0] not in first)
        chosen = [*known, *islice(others, max(budget // PUNCTUATION, 0))]
        return chosen[: number_that_fits(map(least, chosen), budget)]

    def _names(self, keys: list[Any], needs_of_items: list[int], *, hidden: bool) -> list[str]:
        needs = [need_of(key, _MAX_NAME) for key in keys]
        reserved = sum(min(need, LEAST) for need in needs_of_items)
        budget = min(self.left - reserved, max(self.left // 2, sum(min(need, LEAST) for need in needs)))
        shown = self._shared(needs, budget, lambda index: self._key(keys[index], hidden=hidden))
        if len(set(shown)) < len(shown):
            taken: set[str] = set()
            for index, name in enumerate(shown):
                shown[index] = _unused(name, taken)
                taken.add(shown[index])
        return shown

    def _items(self, items: Sequence[Any] | Set[Any], *, hidden: bool, depth: int, listed: bool) -> list[Any]:
        number = number_that_fits((min(need_of(item, MAX_TEXT), LEAST) + PUNCTUATION for item in items), self.left)
        left_out = len(items) - number
        if left_out > 0:
            number = max(number - 1, 0)  # to make space for the note
            left_out = len(items) - number
        kept = list(islice(items, number))
        words = without_passwords(kept)
        # As in headers: a pair of name and value.
        paired = listed and len(items) == 2 and names_secret(kept[0] if kept else None)
        self.left -= PUNCTUATION * len(kept)

        def make(index: int) -> Any:
            before = kept[index - 1] if index else ""
            # As in a command's arguments: --token and then the token.
            option = isinstance(before, str) and before.startswith("-") and names_secret(before)
            secret = hidden or option or (paired and index == 1)
            return self.value(words[index], hidden=secret, depth=depth + 1, listed=True)

        made = self._shared([need_of(item, MAX_TEXT) for item in kept], self.left, make)
        if left_out > 0:
            self.cuts += 1
            made.append(self.text(f"… {left_out} more"))
        return made

    def _shared(self, needs: Sequence[int], budget: int, make: Callable[[int], _Made]) -> list[_Made]:
        """Make each value, the smallest first, each with its share of the bytes that are left."""
        if sum(needs) <= budget:
            return [make(index) for index in range(len(needs))]
        made: dict[int, _Made] = {}
        for place, index in enumerate(sorted(range(len(needs)), key=needs.__getitem__)):
            outside, share = self.left, budget // (len(needs) - place)
            self.left = share
            try:
                made[index] = make(index)
            finally:
                used = share - self.left
                self.left = outside - used
                budget -= used
        return [made[index] for index in range(len(needs))]

    def _key(self, key: object, *, hidden: bool) -> str:
        if isinstance(key, str):
            text = _as_text(key)
            return self.name(MASK if hidden and not PLAIN_WORD.fullmatch(text) else text)
        shown = str(_plain(key)) if isinstance(key, int | float) else f"<{type(key).__name__}>"
        return self.name("null" if key is None else shown)

    def _number(self, number: float) -> int | float | str:
        self.left -= 40
        plain = _plain(number)
        self.cuts += isinstance(plain, str)
        return plain

    def _without_secrets(self, text: str, hide: Callable[[str], str]) -> str:
        head = hide(_first_words(text, _SHAPE_WINDOW))
        # Some programs reject a line with a lone surrogate.
        return head if head.isascii() else _SURROGATE.sub("\ufffd", head)


def shown_names(declared: Collection[str]) -> list[str]:
    """Return the names of arguments whose values can be logged after `redact`, whatever the other arguments are."""
    if "value" in declared:  # the value for a name in another argument
        return []
    return [
        name for name in declared if len(name) <= _MAX_NAME and not names_secret(name) and _hide_in_name(name) == name
    ]


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return str.__str__(value)
    try:
        return str.__str__(str(value))
    except Exception:  # a foreign class may raise anything
        return f"<{type(value).__name__}>"


def _plain(number: float) -> int | float | str:
    if isinstance(number, float):
        return float.__pos__(number) if isfinite(number) else float.__repr__(number)
    bits = int.bit_length(number)
    return int.__pos__(number) if bits <= _MAX_BITS else f"<integer of {bits} bits>"


def _that_fits(text: str, budget: int) -> str:
    """Return the longest beginning of a text that fits as JSON."""
    if budget <= 0:
        return ""
    low, high = 0, min(len(text), budget)
    while low < high:
        middle = (low + high + 1) // 2
        if len(escaped(text[:middle])) - 2 <= budget:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def _unused(name: str, taken: Collection[str]) -> str:
    number, found = 2, name
    while found in taken:
        found, number = f"{name} ({number})", number + 1
    return found


def _first_words(text: str, limit: int) -> str:
    """Return the beginning of a text, without a word that the limit would cut."""
    if len(text) <= limit:
        return text
    gap = max(text.rfind(space, limit - _WORD_REACH, limit) for space in " \n\t")
    return text[: gap if gap >= 0 else limit - _WORD_REACH]


@lru_cache(maxsize=1_024)
def _hide_in_name(name: str) -> str:
    return redact(name)
