"""JSON data that cannot be changed in place, so that what was judged is what runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

ATOMS = frozenset({str, int, float, bool, type(None)})
"""What cannot be changed in place."""


def _refuse(*_args: object, **_kwargs: object) -> NoReturn:
    raise TypeError("this is read-only: make a changed copy and return it; for arguments, return Rewrite(copy)")


class ReadOnlyDict(dict[str, Any]):
    """A dict that reads like any other and refuses every change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def copy(self) -> dict[str, Any]:
        """A changeable copy."""
        return thawed(self)  # type: ignore[no-any-return]

    def __copy__(self) -> dict[str, Any]:
        return self.copy()

    def __deepcopy__(self, memo: object) -> dict[str, Any]:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return (dict, (dict(self),))


class ReadOnlyList(list[Any]):
    """A list that reads like any other and refuses every change."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def copy(self) -> list[Any]:
        """A changeable copy."""
        return thawed(self)  # type: ignore[no-any-return]

    def __copy__(self) -> list[Any]:
        return self.copy()

    def __deepcopy__(self, memo: object) -> list[Any]:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return (list, (list(self),))


def frozen(value: Any) -> Any:
    """The same data, read-only through and through."""
    kind = type(value)
    if kind is dict and ATOMS.issuperset(map(type, value.values())):
        return ReadOnlyDict(value)
    if kind is str or kind is int or kind is ReadOnlyDict or kind is ReadOnlyList:
        return value
    return _frozen(value)


def thawed(value: Any) -> Any:
    """A changeable copy of JSON data, down to the leaves."""
    if isinstance(value, dict) and ATOMS.issuperset(map(type, value.values())):
        return dict(value)
    return _thawed(value)


def _frozen(value: Any) -> Any:
    return _copied(value, ReadOnlyDict, ReadOnlyList, frozenset, bytes)


def _thawed(value: Any) -> Any:
    return _copied(value, dict, list, set, bytearray)


def _copied(value: Any, mapping: type[Any], sequence: type[Any], group: type[Any], octets: type[Any]) -> Any:
    """The same data in containers of these kinds, however deep, however often a part occurs, even inside itself.

    The originals are kept beside their copies, so that no identity is used again while it is remembered.
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
