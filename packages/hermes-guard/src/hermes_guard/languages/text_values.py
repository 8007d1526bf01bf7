"""Values as texts, with holes for what only the running program knows."""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from hermes_guard.shell.word import HOLE

#: Bounds for what is computed while reading.
LIMIT = 65_536
MOST_ITEMS = 1024
#: Values that an expression may have besides each other: both sides of a condition, the items of a table.
_MOST_SIDES = 12


class _Unknown:
    """A value that only the running program knows."""


UNKNOWN: Final = _Unknown()


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value of which only the running program knows which of these it is."""

    sides: tuple[Any, ...]


def sides(value: Any) -> list[Any]:
    """Every value that this may be; a list with such items is one list for each of them."""
    if isinstance(value, OneOf):
        return [one for side in value.sides for one in sides(side)]
    if isinstance(value, (list, tuple)) and any(isinstance(one, (OneOf, list, tuple)) for one in value):
        found = [list(one) for one in itertools.islice(itertools.product(*map(sides, value)), _MOST_SIDES + 1)]
        return found if len(found) <= _MOST_SIDES else [UNKNOWN]
    return [value]


def one_of(values: Iterable[Any]) -> Any:
    """The value that is one of these, if they are few."""
    found: list[Any] = []
    for value in values:
        found += [one for one in (value.sides if isinstance(value, OneOf) else (value,)) if one not in found]
        if len(found) > _MOST_SIDES or UNKNOWN in found:
            return UNKNOWN
    return found[0] if len(found) == 1 else OneOf(tuple(found)) if found else UNKNOWN


def lifted(function: Callable[..., Any], *values: Any) -> Any:
    """What a function makes of values, for every side that they may have."""
    if not any(isinstance(value, OneOf) for value in values):
        return function(*values)
    mixed = itertools.product(*(value.sides if isinstance(value, OneOf) else (value,) for value in values))
    made = [function(*one) for one in itertools.islice(mixed, _MOST_SIDES + 1)]
    return one_of(made) if len(made) <= _MOST_SIDES else UNKNOWN


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
    return lifted(_sum, left, right)


def _sum(left: Any, right: Any) -> Any:
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return whole([*left, *right], MOST_ITEMS)
    if isinstance(left, bytes) and isinstance(right, bytes):
        return whole(left + right)
    if isinstance(left, str) or isinstance(right, str):
        return whole(piece(left) + piece(right))
    if isinstance(left, int) and isinstance(right, int):
        return left + right if abs(left) + abs(right) < 1 << 64 else UNKNOWN
    return UNKNOWN
