"""A compiled schema is a table from a value's class to the one function that decides for that class.

Looking the class up first settles most checks without a call, and lets unions be merged when they are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import Any

# Frames that one level of a value costs while it is checked are few, but the caller's stack is finite: past this depth
# a container is refused instead of looked into.
MAX_DEPTH = 100


class Run:
    """What one check remembers: answers of shared subschemas, and how deep it is inside them."""

    __slots__ = ("depth", "memo")

    def __init__(self) -> None:
        self.memo: dict[tuple[int, int], bool] = {}
        self.depth = 0


# Schemas that are not heavy never write to their run, so all checks of such schemas share this one.
IDLE_RUN = Run()

Fit = Callable[[Any, Run], bool]
Table = Mapping[type, Fit]

# Every class JSON knows, and `object` for whatever else Python may hold.
CLASSES: tuple[type, ...] = (str, int, float, bool, NoneType, list, tuple, dict, object)
CONTAINERS = (list, tuple, dict)
_BASES: tuple[type, ...] = (str, int, float, list, tuple, dict)


def accept(_value: Any, _run: Run) -> bool:
    """Fit for anything; compared by identity so that most calls never happen."""
    return True


def reject(_value: Any, _run: Run) -> bool:
    """Fit for nothing; compared by identity where tables are merged."""
    return False


ACCEPT_ALL: Table = dict.fromkeys(CLASSES, accept)
REJECT_ALL: Table = dict.fromkeys(CLASSES, reject)


def only(entries: Mapping[type, Fit]) -> Table:
    """A table that refuses every class it does not name."""
    return {**REJECT_ALL, **entries}


def when(entries: Mapping[type, Fit]) -> Table:
    """A table that has nothing to say about the classes it does not name."""
    return {**ACCEPT_ALL, **entries}


def base_class(value: object) -> type:
    """The JSON class of a value whose exact class is in no table: a subclass, or a foreign object."""
    for base in _BASES:
        if isinstance(value, base):
            return base
    return object


def entry_for(table: Table, value: object) -> Fit:
    """The function that decides about this value."""
    return table.get(type(value)) or table[base_class(value)]


def fits(table: Table, value: object, run: Run) -> bool:
    """Whether the value fits what the table was compiled from."""
    entry = table.get(type(value)) or table[base_class(value)]
    return entry is accept or entry(value, run)


def every(entries: Iterable[Fit]) -> Fit:
    """One function that holds when all of them hold."""
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
    """One function that holds when any of them holds."""
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
    """One function that holds when one and only one of them holds."""
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
    """The opposite of one function."""
    if entry is accept:
        return reject
    if entry is reject:
        return accept
    return lambda value, run: not entry(value, run)


def merge(join: Callable[[Iterable[Fit]], Fit], tables: Iterable[Table]) -> Table:
    """Join tables class by class."""
    parts = tuple(tables)
    return {cls: join([table[cls] for table in parts]) for cls in CLASSES}


def overlap(tables: Iterable[Table]) -> bool:
    """Whether some class is decided by more than one real function: then one value may be walked more than once."""
    parts = tuple(tables)
    trivial = (accept, reject)
    return any(len({table[cls] for table in parts if table[cls] not in trivial}) > 1 for cls in CLASSES)
