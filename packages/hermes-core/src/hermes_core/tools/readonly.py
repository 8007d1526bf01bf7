"""JSON data that cannot be changed in place, so that what was judged is what runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

_DEPTH = 200
"""Deeper data is passed on as it is: validation refuses it long before, this only keeps the stack safe."""

ATOMS = frozenset({str, int, float, bool, type(None)})
"""What cannot be changed in place."""


def _refuse(*_args: object, **_kwargs: object) -> NoReturn:
    raise TypeError("these arguments are read-only: make a changed copy, and return Rewrite(copy) from a hook")


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
    if kind is str or kind is int or kind is ReadOnlyDict or kind is ReadOnlyList:
        return value
    if kind is dict and ATOMS.issuperset(map(type, value.values())):
        return ReadOnlyDict(value)
    return _frozen(value, {}, 0)


def thawed(value: Any) -> Any:
    """A changeable copy of JSON data, down to the leaves."""
    if isinstance(value, dict) and ATOMS.issuperset(map(type, value.values())):
        return dict(value)
    return _thawed(value, {}, 0)


_Done = dict[int, tuple[Any, Any]]
"""What was copied already, by identity. A part that occurs twice is walked once, or data in which every part holds
the one below it twice would take for ever. The original is kept beside the copy, so that no identity is used again."""


def _frozen(value: Any, done: _Done, depth: int) -> Any:
    kind = type(value)
    if kind in ATOMS or kind is ReadOnlyDict or kind is ReadOnlyList or depth > _DEPTH:
        return value
    if id(value) in done:
        return done[id(value)][1]
    made: Any
    if kind is dict or isinstance(value, Mapping):
        made = ReadOnlyDict([(key, _frozen(item, done, depth + 1)) for key, item in value.items()])
    elif isinstance(value, list | tuple):
        made = ReadOnlyList([_frozen(item, done, depth + 1) for item in value])
    else:
        return value
    done[id(value)] = (value, made)
    return made


def _thawed(value: Any, done: _Done, depth: int) -> Any:
    if type(value) in ATOMS or depth > _DEPTH:
        return value
    if id(value) in done:
        return done[id(value)][1]
    made: Any
    if isinstance(value, dict):
        made = {key: _thawed(item, done, depth + 1) for key, item in value.items()}
    elif isinstance(value, list | tuple):
        made = [_thawed(item, done, depth + 1) for item in value]
    else:
        return value
    done[id(value)] = (value, made)
    return made
