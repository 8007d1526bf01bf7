"""JSON data that cannot be changed in place, so that a call runs with the arguments that were approved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

ATOMS = frozenset({str, int, float, bool, type(None)})
"""Types of values that cannot be changed in place."""


def _refuse(*_args: object, **_kwargs: object) -> NoReturn:
    raise TypeError("this is read-only: make a changed copy and return it; for arguments, return Rewrite(copy)")


class ReadOnlyDict(dict[str, Any]):
    """A dict that refuses every change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def copy(self) -> dict[str, Any]:
        """Return a copy that can be changed."""
        return thawed(self)  # type: ignore[no-any-return]

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> dict[str, Any]:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return (dict, (dict(self),))


class ReadOnlyList(list[Any]):
    """A list that refuses every change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def copy(self) -> list[Any]:
        """Return a copy that can be changed."""
        return thawed(self)  # type: ignore[no-any-return]

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> list[Any]:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return (list, (list(self),))


def frozen(value: Any) -> Any:
    """Return a read-only copy of JSON data, at every depth."""
    kind = type(value)
    if kind is dict and ATOMS.issuperset(map(type, value.values())):
        return ReadOnlyDict(value)
    if kind is str or kind is int or kind is ReadOnlyDict or kind is ReadOnlyList:
        return value
    return _copy(value, ReadOnlyDict, ReadOnlyList, frozenset, bytes)


def thawed(value: Any) -> Any:
    """Return a copy of JSON data that can be changed, at every depth."""
    if isinstance(value, dict) and ATOMS.issuperset(map(type, value.values())):
        return dict(value)
    return _copy(value, dict, list, set, bytearray)


def _copy(value: Any, mapping: type[Any], sequence: type[Any], group: type[Any], octets: type[Any]) -> Any:
    """Copy data into other types of containers, without recursion; shared and cyclic parts stay so.

    The originals are stored with their copies, so that no id is reused.
    """
    done: dict[int, tuple[Any, Any]] = {}
    waiting: list[tuple[Any, Any]] = []

    def copy(part: Any) -> Any:
        if type(part) in ATOMS:
            return part
        if id(part) in done:
            return done[id(part)][1]
        made: Any
        if isinstance(part, Mapping):
            made = mapping()
        elif isinstance(part, list | tuple):
            made = sequence()
        elif isinstance(part, set | frozenset):
            return group(part)
        elif isinstance(part, bytearray):
            return octets(part)
        else:
            return part
        done[id(part)] = (part, made)
        waiting.append((part, made))
        return made

    whole = copy(value)
    while waiting:
        part, made = waiting.pop()
        if isinstance(part, Mapping):
            for key, item in part.items():
                dict.__setitem__(made, key, copy(item))
        else:
            for item in part:
                list.append(made, copy(item))
    return whole
