"""Represents computed values as strings, with holes for parts that are known only at run time."""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from hermes_guard.shell.word import HOLE

#: Limits for computed values.
LIMIT = 65_536
MAX_ITEMS = 1024
#: The maximum number of alternatives for a value: branches of a condition, items of a table.
_MAX_SIDES = 12


class _Unknown:
    """A value that is known only at run time."""


UNKNOWN: Final = _Unknown()


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value that is one of several; which one is known only at run time."""

    sides: tuple[Any, ...]


def sides(value: Any) -> list[Any]:
    """Return every possible value; a list with alternative items becomes one list for each."""
    if isinstance(value, OneOf):
        return [one for side in value.sides for one in sides(side)]
    if isinstance(value, (list, tuple)) and any(isinstance(one, (OneOf, list, tuple)) for one in value):
        found = [list(one) for one in itertools.islice(itertools.product(*map(sides, value)), _MAX_SIDES + 1)]
        return found if len(found) <= _MAX_SIDES else [UNKNOWN]
    return [value]


def one_of(values: Iterable[Any]) -> Any:
    """Return a value that is one of these, if they are few."""
    found: list[Any] = []
    for value in values:
        found += [one for one in (value.sides if isinstance(value, OneOf) else (value,)) if one not in found]
        if len(found) > _MAX_SIDES or UNKNOWN in found:
            return UNKNOWN
    return found[0] if len(found) == 1 else OneOf(tuple(found)) if found else UNKNOWN


def lifted(function: Callable[..., Any], *values: Any) -> Any:
    """Return the results of a function for every alternative."""
    if not any(isinstance(value, OneOf) for value in values):
        return function(*values)
    mixed = itertools.product(*(value.sides if isinstance(value, OneOf) else (value,) for value in values))
    made = [function(*one) for one in itertools.islice(mixed, _MAX_SIDES + 1)]
    return one_of(made) if len(made) <= _MAX_SIDES else UNKNOWN


def certain(path: str | None) -> bool:
    """Return True when all of a path is known."""
    return path is not None and HOLE not in path


def text(value: Any) -> str | None:
    """Return the value as a string, or None."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return text(value[0])
    return value if isinstance(value, str) else None


def piece(value: Any) -> str:
    """Return a value as part of a string."""
    if isinstance(value, (str, bytes)):
        return text(value) or ""
    return str(value) if isinstance(value, int) else HOLE


def fitting(pieces: Iterable[str], between: str = "") -> list[str]:
    """Return the parts, if together they do not exceed the limit."""
    found: list[str] = []
    size = 0
    for one in pieces:
        found.append(one)
        size += len(one) + len(between)
        if size > LIMIT:
            raise ValueError
    return found


def whole(value: Any, limit: int = LIMIT) -> Any:
    """Return a value within the limit; a longer one is unknown, so that no part of it stays unread."""
    return value if len(value) <= limit else UNKNOWN


def add(left: Any, right: Any) -> Any:
    """Return the sum of two values, as far as it is known."""
    return lifted(_sum, left, right)


def _sum(left: Any, right: Any) -> Any:
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return whole([*left, *right], MAX_ITEMS)
    if isinstance(left, bytes) and isinstance(right, bytes):
        return whole(left + right)
    if isinstance(left, str) or isinstance(right, str):
        return whole(piece(left) + piece(right))
    if isinstance(left, int) and isinstance(right, int):
        return left + right if abs(left) + abs(right) < 1 << 64 else UNKNOWN
    return UNKNOWN
