"""Arrays: their elements by key, and the words that `"${name[@]...}"` makes of them."""

import re
from collections.abc import Callable, Iterable

from hermes_guard.shell.scope import Scope
from hermes_guard.shell.word import HOLE

_ALL = re.compile(r"([A-Za-z_]\w*)\[[@*]\]|[@*]")
_SLICE = re.compile(r":\s*(\d{1,6}|\(?\s*-\d{1,6}\s*\)?)\s*(?::\s*(\d{1,6})\s*)?\Z")
_KEYED = re.compile(r"\[([^\[\]]{0,100})\]\+?=", re.DOTALL)

Array = dict[str, str]
"""Elements by key. Those of numbered ones are in order when `values` gives them."""


def values(array: Array) -> list[str]:
    """The elements in the order of their numbers; those of names in the order of writing."""
    if all(key.isdigit() for key in array):
        return [array[key] for key in sorted(array, key=int)]
    return list(array.values())


def extended(array: Array, given: Iterable[str], sources: Iterable[str]) -> Array:
    """An array with more elements, written as `value` or `[key]=value`."""
    found = dict(array)
    number = max((int(key) for key in found if key.isdigit()), default=-1) + 1
    for value, source in zip(given, sources, strict=True):
        keyed = _KEYED.match(value) if source.startswith("[") else None
        if keyed is None:
            found[str(number)] = value
            number += 1
        elif keyed.group(1).isdigit() and len(keyed.group(1)) < 10:
            number = int(keyed.group(1))
            found[str(number)] = value[keyed.end() :]
            number += 1
        else:
            found[keyed.group(1)] = value[keyed.end() :]
    return found


def element(array: Array, key: str) -> str | None:
    """One element; None when nobody knows it."""
    if key.startswith("-") and key[1:].isdigit() and len(key) < 8:
        found = values(array)
        return found[int(key)] if int(key[1:]) <= len(found) else None
    return array.get(key)


def elements(inside: str, scope: Scope, operate: Callable[[str, str], str]) -> list[str] | None:
    """The words of `${inside}` when that means all elements of an array or all positions; None when it does not.

    Args:
        inside: What stands between the braces.
        scope: Who knows the arrays.
        operate: What a trailing operator, such as `#prefix`, makes of one element.
    """
    whole = _ALL.match(inside)
    if not whole:
        return None
    name, rest = whole.group(1), inside[whole.end() :]
    known = _positions(scope) if name is None else _known(name, scope)
    if rest[:1] == ":" and rest[1:2] not in {"-", "=", "+", "?"}:
        return [HOLE] if known is None else _slice(known, rest, offset=name is None)
    if name is None and known:
        known = known[1:]
    if known is None:
        return None
    return [operate(value, rest) for value in known] if rest else known


def _known(name: str, scope: Scope) -> list[str] | None:
    array = scope.arrays.get(scope.references.get(name, name))
    if array is not None:
        return values(array)
    value = scope.variables.get(name)
    return None if value is None or value == HOLE else [value]


def _positions(scope: Scope) -> list[str] | None:
    return None if scope.positions is None else [scope.name or HOLE, *scope.positions]


def _slice(known: list[str], rest: str, *, offset: bool) -> list[str]:
    found = _SLICE.match(rest)
    if not found:
        return [HOLE]
    start = int(found.group(1).strip("() \t"))
    if start < 0:
        start += len(known)
    elif offset and start == 0 and HOLE in known[0]:
        # `${@:0}` begins with the name of the shell.
        return [HOLE]
    end = len(known) if found.group(2) is None else start + int(found.group(2))
    return known[max(0, start) : end]
