"""Expands arrays: their elements by key, and the words of `"${name[@]...}"`."""

from collections.abc import Callable, Iterable
from typing import Protocol

from hermes_guard import lazy_re as re
from hermes_guard.shell.scope import Scope
from hermes_guard.shell.word import HOLE

_ALL = re.compile(r"([A-Za-z_]\w*)\[[@*]\]|[@*]")
_KEYED = re.compile(r"\[([^\[\]]{0,100})\]\+?=", re.DOTALL)

Array = dict[str, str]
"""Elements by key. `values` returns those with numeric keys in order."""


class Expansion(Protocol):
    """Expands the parts of an expansion."""

    @property
    def scope(self) -> Scope:
        """The scope with the variables."""

    def value(self, source: str) -> str:
        """Return the text of a part, with holes."""

    def arithmetic(self, expression: str) -> str:
        """Return the value of an arithmetic expression, or a hole."""

    def key(self, name: str, source: str) -> str:
        """Return the key of an array element."""


def subscript(text: str, start: int) -> int:
    """Return the end of the subscript that begins at `start`; `start` itself when there is none."""
    depth = 0
    for index in range(start, len(text)):
        if text[index] == "[":
            depth += 1
        elif text[index] == "]":
            depth -= 1
        if not depth:
            return index + 1 if index > start else start
    return start


def bounds(rest: str, words: Expansion) -> tuple[int, int | None] | None:
    """Return the numbers of `:offset:length`; None when they are uncertain. An omitted length is None."""
    offset, colon, length = rest[1:].partition(":")
    numbers = [words.arithmetic(text) if text.strip() else "0" for text in ([offset, length] if colon else [offset])]
    if HOLE in numbers:
        return None
    return int(numbers[0]), int(numbers[1]) if colon else None


def values(array: Array) -> list[str]:
    """Return the elements in numeric order; those of an associative array in the order of assignment."""
    if all(key.isdigit() for key in array):
        return [array[key] for key in sorted(array, key=int)]
    return list(array.values())


def extended(array: Array, given: Iterable[str], sources: Iterable[str]) -> Array:
    """Return an array with additional elements, written as `value` or `[key]=value`."""
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
    """Return one element; None when it is unknown."""
    if key.startswith("-") and key[1:].isdigit() and len(key) < 8:
        found = values(array)
        return found[int(key)] if int(key[1:]) <= len(found) else None
    return array.get(key)


def elements(inside: str, words: Expansion, operate: Callable[[str, str], str]) -> list[str] | None:
    """Return the words of `${inside}` if it expands to all elements or positions; otherwise None.

    Args:
        inside: The text between the braces.
        words: Resolves arrays.
        operate: Applies a trailing operator, such as `#prefix`, to one element.
    """
    whole = _ALL.match(inside)
    if not whole:
        return None
    scope = words.scope
    name, rest = whole.group(1), inside[whole.end() :]
    scope.use(name or "@")
    known = _positions(scope) if name is None else _known(name, scope)
    if rest[:1] == ":" and rest[1:2] not in {"-", "=", "+", "?"}:
        numbers = bounds(rest, words)
        return [HOLE] if known is None or numbers is None else _slice(known, *numbers, offset=name is None)
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


def _slice(known: list[str], start: int, length: int | None, *, offset: bool) -> list[str]:
    if start < 0:
        start += len(known)
    elif offset and start == 0 and HOLE in known[0]:
        # `${@:0}` begins with `$0`.
        return [HOLE]
    end = len(known) if length is None else start + length
    return known[max(0, start) : end] if end >= 0 else [HOLE]
