"""Expands parameters, `${name...}`, where the result is certain."""

import fnmatch

from hermes_guard import lazy_re as re
from hermes_guard.shell.arrays import Expansion, bounds, element, subscript, values
from hermes_guard.shell.word import HOLE

_NAME = re.compile(r"[A-Za-z_]\w*|\d+|[@*#?$!-]")
_VARIABLE = re.compile(r"[A-Za-z_]\w*(?:\[.*\])?\Z|\d+\Z", re.DOTALL)
#: The maximum length of values that patterns are tried on.
_LIMIT = 4096


def parameter(inside: str, words: Expansion) -> str:
    """Return the value of `${inside}`; a hole where it is unknown. `words` expands its parts."""
    scope = words.scope
    if inside.startswith("#") and len(inside) > 1:
        scope.use(inside[1:])
        value = scope.lookup(inside[1:])
        return HOLE if value is None or HOLE in value else str(len(value))
    if inside.startswith("!"):
        scope.use(inside[1:])
        name = scope.lookup(inside[1:])
        # The name may be an element, whose subscript is calculated.
        return parameter(name, words) if name is not None and _VARIABLE.match(name) else HOLE
    found = _NAME.match(inside)
    if not found:
        words.value(inside)
        return HOLE
    name, end = found.group(), found.end()
    scope.use(name)
    value = scope.lookup(name)
    if inside[end : end + 1] == "[":
        start, end = end, subscript(inside, end)
        if end == start:
            words.value(inside)
            return HOLE
        value = _element(name, inside[start + 1 : end - 1], words)
    rest = inside[end:]
    return _operate(name, value, rest, words) if rest else _or_hole(value)


def operated(value: str, rest: str, words: Expansion) -> str:
    """Apply an operator, such as `#prefix`, to a value."""
    return _operate("_", value, rest, words)


def _operate(name: str, value: str | None, rest: str, words: Expansion) -> str:
    scope, expand = words.scope, words.value
    colon = rest.startswith(":") and rest[1:2] in {"-", "=", "+", "?"}
    operator = rest[1] if colon else rest[0]
    if operator in "-=+?":
        word = expand(rest[2 if colon else 1 :])
        if name in scope.removed and not value:
            value = None if operator != "+" else ""
            colon = True
        if operator == "+":
            return HOLE if value is None or value == HOLE else word if value or not colon else ""
        if value is None or (colon and not value):
            if operator == "?":
                return HOLE
            # The variable may be unset, so the default is what a reader expects.
            if operator == "=":
                scope.assign(name, word)
            return word
        return value
    pattern = expand(rest[2:] if rest[:2] in {"##", "%%"} else rest[1:]) if rest[0] in "#%" else ""
    if rest[0] == ":":
        numbers = bounds(rest, words)
        return HOLE if value is None or numbers is None else _slice(value, *numbers)
    if value is None:
        if rest[0] in "/^,":
            expand(rest)
        return HOLE
    if HOLE in value or len(value) > _LIMIT or HOLE in pattern:
        return HOLE
    if rest[0] in "#%":
        return _strip(value, pattern, rest[0], long=rest[:2] in {"##", "%%"})
    if rest[0] == "/":
        return _replace(value, rest, words)
    if rest == "@P":
        # A prompt runs the substitutions in its text.
        return expand('"' + value.replace('"', '\\"') + '"')
    if rest in {"^^", ",,", "@U", "@L"}:
        return value.upper() if rest in {"^^", "@U"} else value.lower()
    if rest in {"^", ","}:
        return (value[:1].upper() if rest == "^" else value[:1].lower()) + value[1:]
    return HOLE


def _element(name: str, index: str, words: Expansion) -> str | None:
    scope = words.scope
    array = scope.arrays.get(scope.references.get(name, name))
    key = index if index in {"@", "*"} else words.key(name, index)
    if array is None:
        return scope.lookup(name) if key in {"0", "@", "*"} else None
    return " ".join(values(array)) if key in {"@", "*"} else element(array, key)


def _slice(value: str, start: int, length: int | None) -> str:
    certain = value.split(HOLE, 1)[0]
    if start < 0:
        if HOLE in value:
            return HOLE
        start = max(0, len(value) + start)
    if length is None:
        return value[start:] if start <= len(certain) else HOLE
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


def _replace(value: str, rest: str, words: Expansion) -> str:
    every = rest.startswith("//")
    body = rest[2:] if every else rest[1:]
    old, _, new = body.partition("/")
    old, new = words.value(old), words.value(new)
    if HOLE in old or HOLE in new or not old or any(char in old for char in "*?["):
        return HOLE
    if old[0] == "#" and not every:
        return new + value[len(old) - 1 :] if value.startswith(old[1:]) else value
    if old[0] == "%" and not every:
        return value[: len(value) - len(old) + 1] + new if value.endswith(old[1:]) else value
    return value.replace(old, new) if every else value.replace(old, new, 1)


def _or_hole(value: str | None) -> str:
    return HOLE if value is None else value
