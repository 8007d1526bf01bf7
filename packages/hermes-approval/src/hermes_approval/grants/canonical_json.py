"""JSON values of grants: in canonical form, limited in size, and equal when they mean the same."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from hermes_schemas.readonly import frozen

MAX_VALUES = 20_000
"""More than any call that a person can judge. It keeps every comparison within milliseconds."""
_MAX_DEPTH = 64
_MAX_BITS = 10_000
"""Python refuses to parse integers of more than 4,300 digits."""


class UnfitError(ValueError):
    """Raised when a value does not fit into a grant; the text continues "the value"."""


def copied(value: object) -> Any:
    """Return a read-only copy of a JSON value.

    Raises:
        UnfitError: it is not JSON, or too large for a grant.
    """
    return frozen(_Copy().of(value, 1))


def same(one: object, other: object) -> bool:
    """Return True if two values are the same JSON: `1` is `1.0` but not `true`, and the order of keys does not matter.

    A value that is not JSON, or larger than a grant allows, equals nothing.
    """
    waiting: list[tuple[Any, Any]] = [(one, other)]
    left = MAX_VALUES
    while waiting:
        a, b = waiting.pop()
        if isinstance(a, str):
            if not isinstance(b, str) or (a != b and text(a) != text(b)):
                return False
        elif a is None or isinstance(a, bool):
            if a is not b:
                return False
        elif isinstance(a, int | float):
            if isinstance(b, bool) or not isinstance(b, int | float) or a != b:
                return False
        else:
            pairs = _pairs(a, b)
            left -= len(pairs or ())
            if pairs is None or left < 0:
                return False
            waiting += pairs
    return True


def text(value: str) -> str:
    """Return a text as it is after a round trip through JSON, where a surrogate pair becomes one character."""
    if value.isascii():
        return str.__str__(value)
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def format_value(value: object) -> str:
    """Format a JSON value in one line. Characters that do not print or change direction are escaped."""
    line = json.dumps(value, ensure_ascii=False)
    if line.isprintable():
        return line
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in line)


def _pairs(a: Any, b: Any) -> list[tuple[Any, Any]] | None:
    """Return the items of two containers in pairs; None if the containers differ."""
    if isinstance(a, Mapping):
        if isinstance(b, Mapping) and len(a) == len(b) <= MAX_VALUES and all(key in b for key in a):
            return [(item, b[key]) for key, item in a.items()]
    elif isinstance(a, list | tuple) and isinstance(b, list | tuple) and len(a) == len(b) <= MAX_VALUES:
        return list(zip(a, b, strict=True))
    return None


class _Copy:
    def __init__(self) -> None:
        self._left = MAX_VALUES

    def of(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return text(value)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int | float):
            return _number(value)
        if not isinstance(value, Mapping | list | tuple):
            raise UnfitError(f"holds a {type(value).__name__}, which is not JSON")
        self._left -= len(value)
        if self._left < 0:
            raise UnfitError(f"holds more than {MAX_VALUES:,} values")
        if depth > _MAX_DEPTH:
            raise UnfitError(f"is nested deeper than {_MAX_DEPTH} levels")
        if isinstance(value, Mapping):
            return {_key(key): self.of(item, depth + 1) for key, item in value.items()}
        return [self.of(item, depth + 1) for item in value]


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise UnfitError(f"has a {type(key).__name__} for a key, which is not JSON")
    return text(key)


def _number(value: int | float) -> int | float:
    if isinstance(value, int):
        if value.bit_length() > _MAX_BITS:
            raise UnfitError("holds an integer with thousands of digits")
        return int(value)
    if not math.isfinite(value):
        raise UnfitError(f"holds {value!r}, which is not JSON")
    return float(value)
