"""What a rule asks of one argument, compiled once into a function.

A rule in doubt takes the stricter side. Every matcher is compiled for one of two places: `strict` where holding makes
the rule bite (`match` of deny and ask, `unless` of allow), not strict where holding lets the call go (the other two).
A list or an object holds in a strict place when anything within does, else only when everything does; what cannot be
judged, as a text that is too long for a regular expression, holds in a strict place only. The argument `*` is all of
them together: where everything must hold, true, false and null are set aside by matchers of texts and sizes, which they
cannot be, and numbers are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hermes_approval.matchers.globs import compile_glob
from hermes_approval.matchers.hosts import compile_host
from hermes_approval.matchers.paths import compile_under
from hermes_approval.matchers.problem import Mistake, shown
from hermes_approval.matchers.regexes import compile_regex
from hermes_schemas import nearest

Holds = Callable[[Any], bool]
Scalar = str | int | float | bool | None

MISSING: Any = object()
"""The value of an argument that was not given."""

_MAX_VALUES = 1_000_000
"""So many values within one argument are looked at."""

_EXAMPLE = 'args: {command: {glob: "git push*"}}'


class _TooManyError(Exception):
    """Raised when an argument holds more values than anybody would write."""


def compile_matcher(data: object, *, strict: bool, anywhere: bool = False) -> Holds:
    """A function that judges the value of an argument, or `MISSING`.

    Args:
        data: A scalar, an object of matchers that must all hold, or a list of which one must.
        strict: Which side a doubt falls on.
        anywhere: Whether the value is all arguments together, at any depth.

    Raises:
        Mistake: the data is not a matcher.
    """
    if isinstance(data, list | tuple):
        if not data:
            raise Mistake("is an empty list, which nothing fits.", example=_EXAMPLE)
        return _any_of([_compile(item, strict, anywhere, index) for index, item in enumerate(data)])
    return _compile(data, strict, anywhere)


def _compile(data: object, strict: bool, anywhere: bool, *steps: int) -> Holds:
    try:
        if not isinstance(data, Mapping):
            return _spread(_equals(data), strict)
        if not data:
            raise Mistake("is an empty object, which says nothing.", example=_EXAMPLE)
        tests = [_one(key, wanted, strict, anywhere) for key, wanted in data.items()]
    except Mistake as mistake:
        raise mistake.below(*steps) from None
    return tests[0] if len(tests) == 1 else lambda value: all(test(value) for test in tests)


def _one(key: object, wanted: object, strict: bool, anywhere: bool) -> Holds:
    if not isinstance(key, str) or key not in MATCHERS:
        known = f" The matchers are {', '.join(MATCHERS)}."
        near = nearest(str(key), MATCHERS)
        raise Mistake("there is no such matcher." + ("" if near else known), steps=(key,), nearest=near)
    try:
        if key == "missing":
            return _missing(wanted, anywhere)
        if key in ("over", "below"):
            return _sized(key, wanted, strict, anywhere)
        if key == "in":
            return _spread(_in(wanted), strict)
        return _spread(_texts(key, wanted, strict), strict, aside=anywhere)
    except Mistake as mistake:
        raise mistake.below(key) from None


def _texts(key: str, wanted: object, strict: bool) -> Holds:
    """A matcher of texts; a list of wanted texts means any of them."""
    build = MATCHERS[key]
    assert build is not None
    if not isinstance(wanted, list | tuple):
        test = build(wanted, strict)
    elif not wanted:
        raise Mistake("is an empty list, which nothing fits.")
    else:
        test = _any_of([build(item, strict) for item in wanted])
    return lambda value: isinstance(value, str) and test(value)


def _any_of(tests: list[Holds]) -> Holds:
    return tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)


# -- the kinds of matchers ---------------------------------------------------------------------------------------


def _glob(wanted: object, _strict: bool) -> Holds:
    return compile_glob(wanted)


def _regex(wanted: object, strict: bool) -> Holds:
    return compile_regex(_text(wanted, 'regex: "^git push"'), strict=strict)


def _under(wanted: object, strict: bool) -> Holds:
    return compile_under(_text(wanted, "under: ~/.ssh"), strict=strict)


def _host(wanted: object, strict: bool) -> Holds:
    return compile_host(wanted, strict=strict)


def _contains(wanted: object, _strict: bool) -> Holds:
    part = _text(wanted, "contains: --force")
    return lambda text: part in text


def _text(wanted: object, example: str) -> str:
    if not isinstance(wanted, str) or not wanted:
        raise Mistake(f"is {shown(wanted)}, not a text.", example=f"{{{example}}}")
    return wanted


def _in(wanted: object) -> Holds:
    if not isinstance(wanted, list | tuple) or not wanted:
        raise Mistake(f"is {shown(wanted)}, not a list of values.", example="{in: [main, master]}")
    return _any_of([_equals(item) for item in wanted])


def _equals(wanted: object) -> Holds:
    """Equality of JSON: `1` and `1.0` are the same, `1`, `true` and `"1"` are not."""
    if wanted is not None and not isinstance(wanted, str | int | float):
        raise Mistake(f"is {shown(wanted)}, not a value or a matcher.", example=_EXAMPLE)
    if isinstance(wanted, bool) or wanted is None:
        return lambda value: value is wanted
    if isinstance(wanted, str):
        return lambda value: isinstance(value, str) and value == wanted
    return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and value == wanted


def _missing(wanted: object, anywhere: bool) -> Holds:
    if not isinstance(wanted, bool) or anywhere:
        where = ", where an argument has to be named" if anywhere else ""
        raise Mistake(f"is {shown(wanted)}{where}.", example="args: {branch: {missing: true}}")
    return lambda value: (value is MISSING or value is None) is wanted


def _sized(key: str, wanted: object, strict: bool, anywhere: bool) -> Holds:
    if isinstance(wanted, bool) or not isinstance(wanted, int | float) or math.isnan(wanted):
        raise Mistake(f"is {shown(wanted)}, not a number.", example="{over: 100}")
    bound: float = wanted

    def holds(value: Any) -> bool:
        if isinstance(value, str | list | tuple | Mapping):
            value = len(value)
        elif isinstance(value, bool) or not isinstance(value, int | float):
            return False
        if value != value:  # noqa: PLR0124 - only NaN, which nobody can compare
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


# -- values within values ----------------------------------------------------------------------------------------


def _spread(leaf: Holds, strict: bool, *, aside: bool = False) -> Holds:
    """A test of one value as a test of all values within; `aside` spares true, false and null where all must hold."""

    def holds(value: Any) -> bool:
        if not isinstance(value, list | tuple | Mapping):
            return value is not MISSING and leaf(value)
        try:
            if strict:
                return any(leaf(item) for item in _values(value, keys=True))
            items = (item for item in _values(value, keys=False) if not (aside and _says_nothing(item)))
            found = False
            for item in items:
                if not leaf(item):
                    return False
                found = True
            return found
        except _TooManyError:
            return strict

    return holds


def _says_nothing(item: Any) -> bool:
    return item is None or isinstance(item, bool)


def _values(value: Any, *, keys: bool) -> Iterator[Any]:
    """Every value within, at any depth, and the keys of objects where they count."""
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
