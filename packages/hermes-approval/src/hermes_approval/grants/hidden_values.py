"""Hides secrets in the text that people read before they decide, but nothing that could act."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hermes_text.secrets import MASK, looks_secret, redact

_LONGEST = 100_000
"""Longer texts are not searched for secrets, which would keep the user waiting."""
_KEY_MASK = "[redacted private key]"
_MASKS = re.compile(f"({re.escape(MASK)}|{re.escape(_KEY_MASK)})")
# One word: no white space, quotes, brackets or shell operators.
_WORD = re.compile(r"[A-Za-z0-9_.+/=~:@%^#!*?,-]*")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{1,60}-----(?:\n[A-Za-z0-9+/=]{16,80}+)*(?:\n[A-Za-z0-9+/=]{1,80})?"
    r"\n-----END[A-Z0-9 ]{1,60}-----"
)


def concealed(value: Any, name: object = "") -> Any:
    """Copy a JSON value without its secrets, found by the names of keys and the shapes of texts.

    A value under a secret-looking name stays visible if it is more than a word: people must see what they approve.
    """
    hidden = looks_secret(name)
    if isinstance(value, str):
        return MASK if hidden and value and _WORD.fullmatch(value) else concealed_text(value)
    if isinstance(value, Mapping):
        return {key: concealed(item, name if hidden and not looks_secret(key) else key) for key, item in value.items()}
    if isinstance(value, list | tuple):
        before = ("", *value)
        # As in a command's arguments: --token and then the token.
        return [concealed(item, name if hidden else _option(last)) for last, item in zip(before, value, strict=False)]
    return value


def concealed_text(text: str) -> str:
    """Return a text without its secrets, or unchanged if more than single words would be hidden."""
    if len(text) > _LONGEST:
        return text
    shown = redact(text)
    return shown if shown == text or _hides_words_only(text, shown) else text


def _option(before: object) -> str:
    return before if isinstance(before, str) and before.startswith("-") else ""


def _hides_words_only(text: str, shown: str) -> bool:
    """Return True if each mask in the shown text replaces only one word."""
    first, *rest = _MASKS.split(shown)
    at = len(first)
    if not text.startswith(first):
        return False
    for number, (mask, piece) in enumerate(zip(rest[::2], rest[1::2], strict=True), 1):
        is_last = number == len(rest) // 2
        found = len(text) - len(piece) if is_last else text.find(piece, at) if piece else at
        if found < at or not text.startswith(piece, found):
            return False
        if not (_PRIVATE_KEY if mask == _KEY_MASK else _WORD).fullmatch(text, at, found):
            return False
        at = found + len(piece)
    return True
