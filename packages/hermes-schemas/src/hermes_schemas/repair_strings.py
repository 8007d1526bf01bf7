"""Reads texts that models send instead of numbers, booleans, arrays and objects, without guessing."""

from __future__ import annotations

import json
import re
import sys
from typing import Final

from hermes_schemas.validation.equality import same
from hermes_schemas.validation.type_tables import MAX_DEPTH

NOTHING: Final = object()

_MAX_DIGITS = 4300
"""Python refuses to read longer integers, because reading them takes quadratic time."""
_MAX_LITERAL = 100_000
"""The reader of Python literals is slow, and longer texts are data, not arguments."""

_NUMBER = re.compile(r"[+-]?([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,6}))?")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_SHORT_DECIMAL = re.compile(r"([+-]?[0-9]{1,15})\.([0-9]{1,20})")
# A float holds every number with this many digits, except very small ones.
_SAFE_DIGITS = sys.float_info.dig
_LEAST_SAFE = sys.float_info.min


def read_integer(text: str) -> int | None:
    """Return the integer in a text, such as `12`, `-3`, `3.0` or `1e3`; None for any other text."""
    if text.isdigit() and text.isascii() and len(text) < 100:
        return int(text)
    if len(text) > 2 * _MAX_DIGITS:
        return None
    text = text.strip()
    if _INTEGER.fullmatch(text):
        return _int(text)
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    whole, fraction, power = found[1], found[2] or "", int(found[3] or 0)
    digits = whole + fraction
    if not digits:
        return None
    power -= len(fraction)
    if not digits.strip("0"):
        return 0
    if power < 0:
        if -power >= len(digits) or digits[power:].strip("0"):
            return None
        digits = digits[:power]
    elif len(digits) + power > _MAX_DIGITS:
        return None
    else:
        digits += "0" * power
    return _int(("-" if text[0] == "-" else "") + digits)


def _int(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:  # longer than Python reads
        return None


def read_number(text: str) -> int | float | None:
    """Return the number in a text, as an integer if it is whole; None for any other text, or if it would be rounded."""
    if len(text) <= _SAFE_DIGITS + 1:
        short = _SHORT_DECIMAL.fullmatch(text)
        if short is not None and short[2].strip("0"):
            return float(text)
    whole = read_integer(text)
    if whole is not None and (abs(whole) < 10**17 or ("e" not in text and "E" not in text)):
        return whole
    if len(text) > 2 * _MAX_DIGITS:
        return None
    text = text.strip()
    found = _NUMBER.fullmatch(text)
    if found is None or not (found[1] or found[2]) or _INTEGER.fullmatch(text):
        return None
    number = float(text)
    # Too large numbers become infinity, and too small ones zero.
    if number in (0.0, float("inf"), float("-inf")):
        return None
    digits = len(found[1]) + len(found[2] or "")
    return number if (digits <= _SAFE_DIGITS and abs(number) >= _LEAST_SAFE) or _holds(number, text) else None


def _holds(number: float, text: str) -> bool:
    """Return True when the float equals the number in the text exactly."""
    from decimal import Decimal  # slow to import, and few texts are so long

    return Decimal(repr(number)) == Decimal(text)


def read_boolean(text: str) -> bool | None:
    """Read `true` and `false` in any case; None for any other text."""
    if len(text) > 100:
        return None
    return {"true": True, "false": False}.get(text.strip().lower())


def says_null(text: str) -> bool:
    """Return True for `null` or `None`, in any case."""
    return len(text) <= 100 and text.strip().lower() in ("null", "none")


def read_container(text: str) -> object:
    """Return the array or object in a text: a Python literal, or JSON, even in a code fence; NOTHING for others."""
    body = text.strip()
    if body.startswith("```"):
        body = _unfenced(body)
    if not body.startswith(("[", "{", "(")) or not _is_shallow(body):
        return NOTHING
    found = _read_json(body)
    if found is NOTHING and len(body) <= _MAX_LITERAL:
        found = _Literal(body).read()
    return found if isinstance(found, (list, dict)) else NOTHING


def read_array(text: str) -> list[object] | None:
    """Return the array in a text; None for any other text."""
    found = read_container(text)
    return found if isinstance(found, list) else None


def read_object(text: str) -> dict[str, object] | None:
    """Return the object in a text; None for any other text."""
    found = read_container(text)
    return found if isinstance(found, dict) else None


def _unfenced(text: str) -> str:
    if not text.endswith("```") or len(text) <= 6:
        return text
    body = text[3:-3]
    label = re.match(r"[A-Za-z0-9_+-]{0,20}", body)
    return body[label.end() if label else 0 :].strip()


_PARTS = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*"?' + r"|'[^'\\]*(?:\\.[^'\\]*)*'?" + r"|[\[({]" + r"|[\])}]",
    re.DOTALL,
)


def _is_shallow(text: str) -> bool:
    """Return True when brackets are not nested so deep that a reader could exhaust the stack."""
    if len(text) <= MAX_DEPTH or text.count("[") + text.count("{") + text.count("(") <= MAX_DEPTH:
        return True
    depth = 0
    for part in _PARTS.finditer(text):
        char = text[part.start()]
        if char in "[({":
            depth += 1
            if depth > MAX_DEPTH:
                return False
        elif char in "])}":
            depth -= 1
    return True


def _refuse(constant: str) -> object:
    raise ValueError(constant)


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(text)
    return number


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the members of an object; refuse two different members with one name, because one would be lost."""
    members = dict(pairs)
    if len(members) != len(pairs) and not all(same(members[name], item) for name, item in pairs):
        raise ValueError("one name, several values")
    return members


# `NaN`, `Infinity` and numbers that overflow are not JSON.
_decode = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_members).raw_decode


def _read_json(text: str) -> object:
    try:
        found, end = _decode(text)
    except (ValueError, RecursionError):
        return NOTHING
    return found if end == len(text) else NOTHING


_TOKEN = re.compile(
    r"\s*(?:(?P<mark>[\[\](){}:,])"
    r"|(?P<text>\"[^\"\\]*(?:\\.[^\"\\]*)*\"|'[^'\\]*(?:\\.[^'\\]*)*')"
    r"|(?P<number>-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?)(?![0-9A-Za-z_.])"
    r"|(?P<word>True|False|None|true|false|null)(?![0-9A-Za-z_]))",
    re.DOTALL,
)
_WORDS = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", "'": "'", '"': '"', "\n": "", "/": "/"}
_CLOSING = {"[": "]", "(": ")", "{": "}"}


def _unescape(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPES.get(code, "\\" + code)


class _Literal:
    """Reads a Python literal of lists, tuples, dicts, strings, numbers and constants without evaluating it."""

    def __init__(self, text: str) -> None:
        self._text = text.rstrip()
        self._at = 0

    def read(self) -> object:
        try:
            found = self._value(self._next())
        except (ValueError, RecursionError):
            return NOTHING
        return found if self._at == len(self._text) else NOTHING

    def _next(self) -> re.Match[str]:
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            raise ValueError("not a literal")
        self._at = found.end()
        return found

    def _value(self, token: re.Match[str]) -> object:
        if token["text"] is not None:
            return _ESCAPE.sub(_unescape, token["text"][1:-1])
        if token["number"] is not None:
            number = token["number"]
            return int(number) if number.lstrip("-").isdigit() else _finite(number)
        if token["word"] is not None:
            return _WORDS[token["word"]]
        opening = token["mark"]
        if opening not in _CLOSING:
            raise ValueError("not a value")
        return self._members() if opening == "{" else self._items(_CLOSING[opening])

    def _items(self, closing: str) -> list[object]:
        items: list[object] = []
        token = self._next()
        comma = True
        while token["mark"] != closing:
            if not comma:
                raise ValueError("two items without a comma")
            items.append(self._value(token))
            token = self._next()
            comma = token["mark"] == ","
            if comma:
                token = self._next()
        if closing == ")" and len(items) == 1 and not comma:
            raise ValueError("parentheses around one value make no array")
        return items

    def _members(self) -> dict[str, object]:
        members: dict[str, object] = {}
        token = self._next()
        comma = True
        while token["mark"] != "}":
            key = self._value(token)
            if not comma or not isinstance(key, str) or self._next()["mark"] != ":":
                raise ValueError("not an object with named members")
            item = self._value(self._next())
            if not same(members.setdefault(key, item), item):
                raise ValueError("one name, several values")
            token = self._next()
            comma = token["mark"] == ","
            if comma:
                token = self._next()
        return members
