"""Parameter expansion: `${name...}` where its outcome is certain."""

import fnmatch
import re
from collections.abc import Callable

from hermes_guard.shell.arrays import element, values
from hermes_guard.shell.scope import Scope
from hermes_guard.shell.word import HOLE

_NAME = re.compile(r"([A-Za-z_]\w*|\d+|[@*#?$!-])(\[[^\]]*\])?")
_SLICE = re.compile(r":\s*(\d+|\s-\d+|\(-\d+\))\s*(?::\s*(-?\d+)\s*)?$")
#: Patterns are only tried on values up to this size.
_LIMIT = 4096

Expand = Callable[[str], str]


def parameter(inside: str, scope: Scope, expand: Expand) -> str:
    """The value of `${inside}`; a hole where it is unknown. `expand` resolves words inside of it."""
    if inside.startswith("#") and len(inside) > 1:
        value = scope.lookup(inside[1:])
        return HOLE if value is None or HOLE in value else str(len(value))
    if inside.startswith("!"):
        name = scope.lookup(inside[1:])
        if name is None or not name.isidentifier():
            return HOLE
        return _or_hole(scope.lookup(name))
    found = _NAME.match(inside)
    if not found:
        expand(inside)
        return HOLE
    name, index = found.group(1), found.group(2)
    value = _element(scope, name, index, expand) if index else scope.lookup(name)
    rest = inside[found.end() :]
    if not rest:
        return _or_hole(value)
    return _operate(name, value, rest, scope, expand)


def operated(value: str, rest: str, scope: Scope, expand: Expand) -> str:
    """What an operator, such as `#prefix`, makes of a value."""
    return _operate("_", value, rest, scope, expand)


def _operate(name: str, value: str | None, rest: str, scope: Scope, expand: Expand) -> str:
    colon = rest.startswith(":") and rest[1:2] in {"-", "=", "+", "?"}
    operator = rest[1] if colon else rest[0]
    if operator in "-=+?":
        word = expand(rest[2 if colon else 1 :])
        if operator == "+":
            return HOLE if value is None or value == HOLE else word if value or not colon else ""
        if value is None or (colon and not value):
            if operator == "?":
                return HOLE
            # Nothing says that the variable is set, so the default is what a reader expects.
            if operator == "=":
                scope.assign(name, word)
            return word
        return value
    pattern = expand(rest[2:] if rest[:2] in {"##", "%%"} else rest[1:]) if rest[0] in "#%" else ""
    if value is None:
        if rest[0] in "/^,":
            expand(rest)
        return HOLE
    if rest[0] == ":":
        return _slice(value, rest)
    if HOLE in value or len(value) > _LIMIT or HOLE in pattern:
        return HOLE
    if rest[0] in "#%":
        return _strip(value, pattern, rest[0], long=rest[:2] in {"##", "%%"})
    if rest[0] == "/":
        return _replace(value, rest, expand)
    if rest == "@P":
        # A prompt runs the substitutions that its text holds.
        return expand('"' + value.replace('"', '\\"') + '"')
    if rest in {"^^", ",,"}:
        return value.upper() if rest == "^^" else value.lower()
    if rest in {"^", ","}:
        return (value[:1].upper() if rest == "^" else value[:1].lower()) + value[1:]
    return HOLE


def _element(scope: Scope, name: str, index: str, expand: Expand) -> str | None:
    array = scope.arrays.get(scope.references.get(name, name))
    key = expand(index[1:-1]) if index[1:-1] not in "@*" else index[1:-1]
    if array is None:
        return scope.lookup(name) if key in {"0", "@", "*"} else None
    return " ".join(values(array)) if key in {"@", "*"} else element(array, key)


def _slice(value: str, rest: str) -> str:
    found = _SLICE.match(rest)
    if not found:
        return HOLE
    start = int(found.group(1).strip("() "))
    certain = value.split(HOLE, 1)[0]
    if start < 0:
        if HOLE in value:
            return HOLE
        start = max(0, len(value) + start)
    if found.group(2) is None:
        return value[start:] if start <= len(certain) else HOLE
    length = int(found.group(2))
    end = start + length if length >= 0 else len(value) + length
    if HOLE in value and (length < 0 or end > len(certain)):
        return HOLE
    return value[start:end]


def _strip(value: str, pattern: str, side: str, *, long: bool) -> str:
    if not any(char in pattern for char in "*?["):
        if side == "#":
            return value.removeprefix(pattern)
        return value.removesuffix(pattern)
    if len(value) > 128 or len(pattern) > 64 or pattern.count("*") > 2:
        return HOLE
    matches = re.compile(fnmatch.translate(pattern)).match
    cuts = range(len(value) + 1)
    order = cuts if (side == "#") != long else reversed(cuts)
    for cut in order:
        if matches(value[:cut] if side == "#" else value[cut:]):
            return value[cut:] if side == "#" else value[:cut]
    return value


def _replace(value: str, rest: str, expand: Expand) -> str:
    every = rest.startswith("//")
    body = rest[2:] if every else rest[1:]
    old, _, new = body.partition("/")
    old, new = expand(old), expand(new)
    if HOLE in old or HOLE in new or not old or any(char in old for char in "*?[") or old[0] in "#%":
        return HOLE
    return value.replace(old, new) if every else value.replace(old, new, 1)


def _or_hole(value: str | None) -> str:
    return HOLE if value is None else value
