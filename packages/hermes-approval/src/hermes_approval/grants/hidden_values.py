"""Hides secrets in what people are shown before they decide, and nothing that could do something."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hermes_text.secrets import MASK, looks_secret, redact

_LONGEST = 100_000
"""More of a text is not searched for secrets: nobody who has to read it should wait for that."""
_KEY_MASK = "[redacted private key]"
_MASKS = re.compile(f"({re.escape(MASK)}|{re.escape(_KEY_MASK)})")
# No white space, quote, bracket or sign of a shell: whatever it is, it is one word that names something.
_WORD = re.compile(r"[A-Za-z0-9_.+/=~:@%^#!*?,-]*")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{1,60}-----(?:\n[A-Za-z0-9+/=]{16,80}+)*(?:\n[A-Za-z0-9+/=]{1,80})?"
    r"\n-----END[A-Z0-9 ]{1,60}-----"
)


def concealed(value: Any, name: object = "") -> Any:
    """A copy of a JSON value without the secrets in it, judged by the names of its keys and the shapes of its texts.

    Whatever a secret-looking place holds that is more than a word stays: nobody can approve what they do not see.
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
    """A text without the secrets in it. All of it is shown when what would be hidden is more than words."""
    if len(text) > _LONGEST:
        return text
    shown = redact(text)
    return shown if shown == text or _hides_words_only(text, shown) else text


def _option(before: object) -> str:
    return before if isinstance(before, str) and before.startswith("-") else ""


def _hides_words_only(text: str, shown: str) -> bool:
    """Whether a text is what is shown of it with a word in the place of each mask."""
    first, *rest = _MASKS.split(shown)
    at = len(first)
    if not text.startswith(first):
        return False
    for mask, piece, is_last in zip(rest[::2], rest[1::2], _last_of(len(rest) // 2), strict=True):
        found = len(text) - len(piece) if is_last else text.find(piece, at) if piece else at
        if found < at or not text.startswith(piece, found):
            return False
        if not (_PRIVATE_KEY if mask == _KEY_MASK else _WORD).fullmatch(text, at, found):
            return False
        at = found + len(piece)
    return True


def _last_of(count: int) -> list[bool]:
    return [number == count - 1 for number in range(count)]
