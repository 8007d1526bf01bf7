"""Conditions about one argument, each compiled into a function.

In doubt, a rule takes the stricter side. Each matcher is compiled for one of two places: `strict` where a match makes
the rule apply to more (`match` of deny and ask, `unless` of allow), not strict where it lets the call go (the other
two). In a strict place, a list or an object matches when any value in it does, otherwise only when every value does; a
value that cannot be judged, as a text too long for a regular expression, matches in a strict place only. The argument
`*` is all arguments together: where every value must match, true, false and null are left out for matchers of texts and
sizes, numbers are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hermes_approval.matchers.globs import compile_glob
from hermes_approval.matchers.hosts import compile_host
from hermes_approval.matchers.paths import compile_under
from hermes_approval.matchers.regexes import compile_regex
from hermes_approval.matchers.rule_error import RuleError, quote
from hermes_schemas import nearest

Holds = Callable[[Any], bool]
Scalar = str | int | float | bool | None

MISSING: Any = object()
"""The value of an argument that was not given."""

_MAX_VALUES = 1_000_000
"""How many values within one argument are examined."""

_EXAMPLE = 'args: {command: {glob: "git push*"}}'


class _TooManyError(Exception):
    """Raised when an argument has too many values."""


def compile_matcher(data: object, *, strict: bool, anywhere: bool = False) -> Holds:
    """Return a function that judges the value of an argument, or `MISSING`.

    Args:
        data: A scalar, an object of matchers that must all match, or a list of which one must.
        strict: Whether a doubtful value matches.
        anywhere: Whether the value is all arguments together, at any depth.

    Raises:
        RuleError: the data is not a matcher.
    """
    if isinstance(data, list | tuple):
        if not data:
            raise RuleError("is an empty list, which nothing matches.", example=_EXAMPLE)
        return _any_of([_compile(item, strict, anywhere, index) for index, item in enumerate(data)])
    return _compile(data, strict, anywhere)


def _compile(data: object, strict: bool, anywhere: bool, *steps: int) -> Holds:
    try:
        if not isinstance(data, Mapping):
            return _spread(_equals(data), strict)
        if not data:
            raise RuleError("is an empty object, without any condition.", example=_EXAMPLE)
        tests = [_one(key, expected, strict, anywhere) for key, expected in data.items()]
    except RuleError as error:
        raise error.below(*steps) from None
    return tests[0] if len(tests) == 1 else lambda value: all(test(value) for test in tests)


def _one(key: object, expected: object, strict: bool, anywhere: bool) -> Holds:
    if not isinstance(key, str) or key not in MATCHERS:
        known = f" The matchers are {', '.join(MATCHERS)}."
        near = nearest(str(key), MATCHERS)
        raise RuleError("there is no such matcher." + ("" if near else known), steps=(key,), nearest=near)
    try:
        if key == "missing":
            return _missing(expected, anywhere)
        if key in ("over", "below"):
            return _sized(key, expected, strict, anywhere)
        if key == "in":
            return _spread(_in(expected), strict)
        return _spread(_texts(key, expected, strict), strict, aside=anywhere)
    except RuleError as error:
        raise error.below(key) from None


def _texts(key: str, expected: object, strict: bool) -> Holds:
    build = MATCHERS[key]
    assert build is not None
    if not isinstance(expected, list | tuple):
        test = build(expected, strict)
    elif not expected:
        raise RuleError("is an empty list, which nothing matches.")
    else:
        test = _any_of([build(item, strict) for item in expected])
    return lambda value: isinstance(value, str) and test(value)


def _any_of(tests: list[Holds]) -> Holds:
    return tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)


def _glob(expected: object, _strict: bool) -> Holds:
    return compile_glob(expected)


def _regex(expected: object, strict: bool) -> Holds:
    return compile_regex(_text(expected, 'regex: "^git push"'), strict=strict)


def _under(expected: object, strict: bool) -> Holds:
    return compile_under(_text(expected, "under: ~/.ssh"), strict=strict)


def _host(expected: object, strict: bool) -> Holds:
    return compile_host(expected, strict=strict)


def _contains(expected: object, _strict: bool) -> Holds:
    part = _text(expected, "contains: --force")
    return lambda text: part in text


def _text(expected: object, example: str) -> str:
    if not isinstance(expected, str) or not expected:
        raise RuleError(f"is {quote(expected)}, not a text.", example=f"{{{example}}}")
    return expected


def _in(expected: object) -> Holds:
    if not isinstance(expected, list | tuple) or not expected:
        raise RuleError(f"is {quote(expected)}, not a list of values.", example="{in: [main, master]}")
    return _any_of([_equals(item) for item in expected])


def _equals(expected: object) -> Holds:
    """Compare JSON: `1` and `1.0` are equal, `1`, `true` and `"1"` are not."""
    if expected is not None and not isinstance(expected, str | int | float):
        raise RuleError(f"is {quote(expected)}, not a value or a matcher.", example=_EXAMPLE)
    if isinstance(expected, bool) or expected is None:
        return lambda value: value is expected
    if isinstance(expected, str):
        return lambda value: isinstance(value, str) and value == expected
    return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and value == expected


def _missing(expected: object, anywhere: bool) -> Holds:
    if not isinstance(expected, bool) or anywhere:
        where = ", where an argument has to be named" if anywhere else ""
        raise RuleError(f"is {quote(expected)}{where}.", example="args: {branch: {missing: true}}")
    return lambda value: (value is MISSING or value is None) is expected


def _sized(key: str, expected: object, strict: bool, anywhere: bool) -> Holds:
    if isinstance(expected, bool) or not isinstance(expected, int | float) or math.isnan(expected):
        raise RuleError(f"is {quote(expected)}, not a number.", example="{over: 100}")
    bound: float = expected

    def holds(value: Any) -> bool:
        if isinstance(value, str | list | tuple | Mapping):
            value = len(value)
        elif isinstance(value, bool) or not isinstance(value, int | float):
            return False
        if value != value:  # noqa: PLR0124 - only NaN, which has no order
            return strict
        return bool(value > bound if key == "over" else value < bound)

    return _spread(holds, strict, aside=True) if anywhere else holds


MATCHERS: Mapping[str, Callable[[object, bool], Holds] | None] = {
    "glob": _glob,
    "regex": _regex,
    "under": _under,
    "host": _host,
    "contains": _contains,
    "in": None,
    "missing": None,
    "over": None,
    "below": None,
}
"""The matchers by name; those without a function are not about texts."""


def _spread(leaf: Holds, strict: bool, *, aside: bool = False) -> Holds:
    """Apply a test to all values within a value; `aside` leaves out true, false and null where all must match."""

    def holds(value: Any) -> bool:
        if not isinstance(value, list | tuple | Mapping):
            return value is not MISSING and leaf(value)
        try:
            if strict:
                return any(leaf(item) for item in _values(value, keys=True))
            items = (item for item in _values(value, keys=False) if not (aside and _is_constant(item)))
            found = False
            for item in items:
                if not leaf(item):
                    return False
                found = True
            return found
        except _TooManyError:
            return strict

    return holds


def _is_constant(item: Any) -> bool:
    return item is None or isinstance(item, bool)


def _values(value: Any, *, keys: bool) -> Iterator[Any]:
    """Yield every value within, at any depth, and with `keys` the keys of objects."""
    seen = 0
    waiting = [value]
    while waiting:
        item = waiting.pop()
        seen += 1
        if seen > _MAX_VALUES:
            raise _TooManyError
        if isinstance(item, Mapping):
            waiting.extend(item.values())
            if keys:
                yield from item
        elif isinstance(item, list | tuple):
            waiting.extend(item)
        else:
            yield item
