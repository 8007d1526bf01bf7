"""The forms in which programs write a secret: plain, escaped, quoted for a URL, in base64 for headers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

__all__ = ["ANYWHERE", "Spelling", "encodings", "hide", "hide_in_json", "hide_in_value", "spellings"]

ANYWHERE = 8
"""The minimum length of a secret that is hidden inside of longer words and in its encodings."""

_LONGEST_WORD = 12
_WORD_START = r"(?:(?<!\w)|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4}))"
"""Not inside of a word; escapes of JSON are not words, although they end in a letter."""

_ESCAPE = re.compile(r"%[0-9A-F]{2}")


class Spelling:
    """One form of a secret, and its mask."""

    __slots__ = ("mask", "pattern", "text")

    def __init__(self, text: str, mask: str, *, whole_word: bool) -> None:
        self.text = text
        self.mask = mask
        self.pattern = re.compile(rf"{_WORD_START}{re.escape(text)}(?!\w)") if whole_word else None


def hide(text: str, spelled: Iterable[Spelling]) -> str:
    """Replace secrets with masks such as `[secret:GITHUB_TOKEN#8f02c41d]`. Takes linear time."""
    for each in spelled:
        if each.text in text:
            text = text.replace(each.text, each.mask) if each.pattern is None else each.pattern.sub(each.mask, text)
    return text


def hide_in_value(value: Any, spelled: Sequence[Spelling]) -> Any:
    """Return a JSON value without secrets; a number that is a secret becomes a text."""
    if isinstance(value, str):
        return hide(value, spelled)
    if isinstance(value, Mapping):
        return {hide_in_value(key, spelled): hide_in_value(item, spelled) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [hide_in_value(item, spelled) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        hidden = hide(str(value), spelled)
        return value if hidden == str(value) else hidden
    return value


def hide_in_json(text: str, spelled: Sequence[Spelling]) -> str:
    """Hide secrets in JSON text, so that it is still JSON: a number that is a secret becomes a text."""
    hidden = hide(text, spelled)
    if hidden == text or _is_json(hidden):
        return hidden

    def number(digits: str) -> Any:
        masked = hide(digits, spelled)
        return masked if masked != digits else json.loads(digits)

    try:
        value = json.loads(text, parse_int=number, parse_float=number)
        again = hide(json.dumps(value, ensure_ascii=False), spelled)
    except (ValueError, RecursionError):
        again = hidden
    return again if _is_json(again) else json.dumps(again, ensure_ascii=False)  # the secret contains quotes or brackets


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


@lru_cache(maxsize=64)
def spellings(secrets: frozenset[tuple[str, str]]) -> tuple[Spelling, ...]:
    """Return the spellings of secrets, given as values with names; the longest first, as one may contain another."""
    from hermes_text.secrets.masks import mask_for  # most hosts have no secrets

    found: dict[str, Spelling] = {}
    for value, name in sorted(secrets):
        mask = mask_for(name, value)
        if _is_word(value):
            for text in {value, *_escaped(value)}:
                found.setdefault(text, Spelling(text, mask, whole_word=True))
        else:
            # In the strings of JSON results, each form may be escaped once more.
            for text in {each for form in encodings(value) for each in (form, *_escaped(form))}:
                found[text] = Spelling(text, mask, whole_word=False)
    return tuple(sorted(found.values(), key=lambda each: len(each.text), reverse=True))


def encodings(secret: str) -> frozenset[str]:
    """Return the forms of a secret in text, JSON, URLs, HTML, code, hexadecimal and base64."""
    import html
    from urllib.parse import quote, quote_plus

    data = secret.encode("utf-8", "surrogatepass")
    found = {
        secret,
        html.escape(secret),
        html.escape(secret, quote=False),
        secret.replace("/", r"\/"),
    }
    for text in (*_escaped(secret), repr(secret)[1:-1], ascii(secret)[1:-1], repr(data)[2:-1]):
        found |= {text, *_escaped(text)}
    for text in (quote(data, safe=""), quote(data), quote_plus(data)):
        found |= {text, _ESCAPE.sub(lambda match: match[0].lower(), text)}
    found |= {data.hex(), data.hex().upper(), *_in_base64(data)}
    return frozenset(text for text in found if len(text) >= ANYWHERE)


def _escaped(text: str) -> set[str]:
    return {encode_basestring(text)[1:-1], encode_basestring_ascii(text)[1:-1]}


def _in_base64(data: bytes) -> Iterator[str]:
    """Yield the base64 form of a secret at any offset, such as after the user name in a header."""
    from base64 import b64encode, urlsafe_b64encode

    for before in range(3):
        size = before + len(data)
        first = (before * 8 + 5) // 6  # the character before also has bits of the previous byte
        last = size * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            yield encode(bytes(before) + data).decode()[first:last]


def _is_word(value: str) -> bool:
    """Return True for a value that may be part of an ordinary word or number."""
    if len(value) < ANYWHERE or value.isdigit():
        return True
    return len(value) < _LONGEST_WORD and value.isalpha() and (value.islower() or value.isupper() or value.istitle())
