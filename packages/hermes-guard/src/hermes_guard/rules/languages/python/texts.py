"""Values as texts, with holes for what only the running program knows."""

from collections.abc import Iterable
from typing import Any, Final

from hermes_guard.shell.word import HOLE

#: Bounds for what is computed while reading.
LIMIT = 65_536
MOST_ITEMS = 1024


class _Unknown:
    """A value that only the running program knows."""


UNKNOWN: Final = _Unknown()


def certain(path: str | None) -> bool:
    """True when all of a path is known."""
    return path is not None and HOLE not in path


def text(value: Any) -> str | None:
    """The text that a value is, or None."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return text(value[0])
    return value if isinstance(value, str) else None


def piece(value: Any) -> str:
    """A value as a part of a text."""
    if isinstance(value, (str, bytes)):
        return text(value) or ""
    return str(value) if isinstance(value, int) else HOLE


def fitting(pieces: Iterable[str], between: str = "") -> list[str]:
    """The pieces, if together they are no longer than what is computed here."""
    found: list[str] = []
    size = 0
    for one in pieces:
        found.append(one)
        size += len(one) + len(between)
        if size > LIMIT:
            raise ValueError
    return found


def whole(value: Any, most: int = LIMIT) -> Any:
    """A value that is not too long; of a longer one nothing is known, lest its end stays unread."""
    return value if len(value) <= most else UNKNOWN


def add(left: Any, right: Any) -> Any:
    """The sum of two values, as far as it is known."""
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return whole([*left, *right], MOST_ITEMS)
    if isinstance(left, bytes) and isinstance(right, bytes):
        return whole(left + right)
    if isinstance(left, str) or isinstance(right, str):
        return whole(piece(left) + piece(right))
    if isinstance(left, int) and isinstance(right, int):
        return left + right if abs(left) + abs(right) < 1 << 64 else UNKNOWN
    return UNKNOWN
