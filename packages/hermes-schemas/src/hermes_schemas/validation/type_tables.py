"""Compiled schemas as tables: for each class of values, the function that checks it.

The class alone decides most checks without a call, and unions can be merged when they are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import Any

MAX_DEPTH = 100
"""Deeper containers are refused, because the stack is finite."""


class Run:
    """The state of one check: the results of shared subschemas, and the depth inside them."""

    __slots__ = ("depth", "memo")

    def __init__(self) -> None:
        self.memo: dict[tuple[int, int], bool] = {}
        self.depth = 0


SHARED_RUN = Run()
"""For schemas that are not heavy, which never write to their run."""

Fit = Callable[[Any, Run], bool]
Table = Mapping[type, Fit]

# The classes of JSON, and `object` for all other values.
CLASSES: tuple[type, ...] = (str, int, float, bool, NoneType, list, tuple, dict, object)
CONTAINERS = (list, tuple, dict)
_BASES: tuple[type, ...] = (str, int, float, list, tuple, dict)


def accept(_value: Any, _run: Run) -> bool:
    """Accept any value. Callers compare by identity to avoid the call."""
    return True


def reject(_value: Any, _run: Run) -> bool:
    """Reject any value. Merging tables compares by identity."""
    return False


ACCEPT_ALL: Table = dict.fromkeys(CLASSES, accept)
REJECT_ALL: Table = dict.fromkeys(CLASSES, reject)


def only(entries: Mapping[type, Fit]) -> Table:
    """Return a table that rejects all other classes."""
    return {**REJECT_ALL, **entries}


def when(entries: Mapping[type, Fit]) -> Table:
    """Return a table that accepts all other classes."""
    return {**ACCEPT_ALL, **entries}


def base_class(value: object) -> type:
    """Return the JSON class of a value whose class is in no table: a subclass, or a foreign object."""
    for base in _BASES:
        if isinstance(value, base):
            return base
    return object


def entry_for(table: Table, value: object) -> Fit:
    """Return the function that checks a value."""
    return table.get(type(value)) or table[base_class(value)]


def fits(table: Table, value: object, run: Run) -> bool:
    """Return True when a value fits the schema of a table."""
    entry = table.get(type(value)) or table[base_class(value)]
    return entry is accept or entry(value, run)


def every(entries: Iterable[Fit]) -> Fit:
    """Return a function that accepts what all functions accept."""
    parts = tuple([entry for entry in dict.fromkeys(entries) if entry is not accept])
    if not parts:
        return accept
    if reject in parts:
        return reject
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        first, second = parts
        return lambda value, run: first(value, run) and second(value, run)

    def fit(value: Any, run: Run) -> bool:
        for part in parts:  # noqa: SIM110 - a generator expression costs a frame per check
            if not part(value, run):
                return False
        return True

    return fit


def some(entries: Iterable[Fit]) -> Fit:
    """Return a function that accepts what any function accepts."""
    parts = tuple([entry for entry in dict.fromkeys(entries) if entry is not reject])
    if not parts:
        return reject
    if accept in parts:
        return accept
    if len(parts) == 1:
        return parts[0]

    def fit(value: Any, run: Run) -> bool:
        for part in parts:  # noqa: SIM110 - a generator expression costs a frame per check
            if part(value, run):
                return True
        return False

    return fit


def exactly_one(entries: Iterable[Fit]) -> Fit:
    """Return a function that accepts what exactly one function accepts."""
    parts = tuple(entry for entry in entries if entry is not reject)
    if not parts or parts.count(accept) > 1:
        return reject
    if len(parts) == 1:
        return parts[0]

    def fit(value: Any, run: Run) -> bool:
        held = False
        for part in parts:
            if part(value, run):
                if held:
                    return False
                held = True
        return held

    return fit


def negated(entry: Fit) -> Fit:
    """Return the negation of a function."""
    if entry is accept:
        return reject
    if entry is reject:
        return accept
    return lambda value, run: not entry(value, run)


def merge(join: Callable[[Iterable[Fit]], Fit], tables: Iterable[Table]) -> Table:
    """Combine tables class by class."""
    parts = tuple(tables)
    return {cls: join([table[cls] for table in parts]) for cls in CLASSES}


def overlap(tables: Iterable[Table]) -> bool:
    """Return True when several functions check one class, so that a value may be visited more than once."""
    parts = tuple(tables)
    trivial = (accept, reject)
    return any(len({table[cls] for table in parts if table[cls] not in trivial}) > 1 for cls in CLASSES)
