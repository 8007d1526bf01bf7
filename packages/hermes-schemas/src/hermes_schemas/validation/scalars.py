"""Rules for single values: their type, the allowed values, texts and numbers."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from types import NoneType
from typing import Any

from hermes_schemas.validation.equality import same
from hermes_schemas.validation.messages import (
    TYPE_WORDS,
    Resolve,
    find_nearest,
    for_example,
    got,
    join_values,
    join_words,
    preview,
)
from hermes_schemas.validation.nodes import Report, Rule
from hermes_schemas.validation.patterns import compile_pattern
from hermes_schemas.validation.type_tables import Fit, Run, Table, accept, only, when


def _whole(value: float, _run: Run) -> bool:
    return value.is_integer()


_TYPES: dict[str, dict[type, Fit]] = {
    "string": {str: accept},
    "integer": {int: accept, float: _whole},
    "number": {int: accept, float: accept},
    "boolean": {bool: accept},
    "null": {NoneType: accept},
    "array": {list: accept, tuple: accept},
    "object": {dict: accept},
}


_MEASURES = frozenset(
    """
    minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf
    """.split()  # noqa: SIM905 - shorter than a list
)


def type_names(schema: Any) -> tuple[str, ...]:
    """Return the declared types in order; empty when none is declared or one of them is unknown."""
    declared = schema.get("type")
    names = declared if isinstance(declared, (list, tuple)) else (declared,)
    if not all(isinstance(name, str) and name in _TYPES for name in names):
        return ()
    return tuple(names)


def type_rule(schema: Any, resolve: Resolve) -> Rule | None:
    names = type_names(schema)
    if not names:
        return None
    entries: dict[type, Fit] = {}
    for name in names:
        for cls, fit in _TYPES[name].items():
            entries[cls] = accept if entries.get(cls) is accept else fit
    expected = join_words([TYPE_WORDS[name] for name in dict.fromkeys(names)])

    def explain(value: object, path: str, report: Report) -> None:
        report.add(path, "type", f"Expected {expected} but {got(value)}.", for_example(schema, resolve))

    return Rule(table=only(entries), explain=explain, stops=True)


def members_table(members: tuple[object, ...]) -> Table:
    """Return a table that accepts only these values, compared as in JSON."""
    texts = frozenset(member for member in members if isinstance(member, str))
    numbers = frozenset(m for m in members if isinstance(m, (int, float)) and not isinstance(m, bool))
    containers = tuple(member for member in members if isinstance(member, (list, tuple, dict)))
    booleans = frozenset(member for member in members if isinstance(member, bool))

    def among_containers(value: object, _run: Run) -> bool:
        return any(same(member, value) for member in containers)

    entries: dict[type, Fit] = {}
    if texts:
        entries[str] = lambda value, _run: value in texts
    if numbers:
        entries[int] = entries[float] = lambda value, _run: value in numbers
    if booleans:
        entries[bool] = accept if len(booleans) == 2 else lambda value, _run: value in booleans
    if any(member is None for member in members):
        entries[NoneType] = accept
    if containers:
        entries[list] = entries[tuple] = entries[dict] = among_containers
    return only(entries)


def enum_rule(members: tuple[object, ...]) -> Rule:
    def explain(value: object, path: str, report: Report) -> None:
        near = find_nearest(value, members)
        choice = f"Send one of: {join_values(members)}." if members else None
        hint = f"Did you mean {preview(near)}? {choice}" if near is not None else choice
        report.add(path, "enum", f"Expected one of the allowed values but {got(value)}.", hint)

    return Rule(table=members_table(members), explain=explain)


def const_rule(member: object) -> Rule:
    def explain(value: object, path: str, report: Report) -> None:
        report.add(path, "const", f"Expected exactly {preview(member)} but {got(value)}.", f"Send {preview(member)}.")

    return Rule(table=members_table((member,)), explain=explain)


def number_of(schema: Any, keyword: str) -> int | float | None:
    """Return the value of a keyword if it is a number."""
    number = schema.get(keyword)
    return number if isinstance(number, (int, float)) and not isinstance(number, bool) else None


def size_rule(keyword: str, bound: float, classes: tuple[type, ...], noun: str) -> Rule:
    """Make the rule for a minimum or maximum size."""
    least = keyword.startswith("min")

    def enough(value: Any, _run: Run) -> bool:
        return len(value) >= bound

    def few_enough(value: Any, _run: Run) -> bool:
        return len(value) <= bound

    def explain(value: Any, path: str, report: Report) -> None:
        size, side = len(value), "at least" if least else "at most"
        message = f"Expected {side} {preview(bound)} {noun} but got {size}: {preview(value)}."
        report.add(path, keyword, message, "Make it longer." if least else "Make it shorter.")

    return Rule(table=when(dict.fromkeys(classes, enough if least else few_enough)), explain=explain)


def pattern_rule(pattern: object) -> Rule | None:
    matches = compile_pattern(pattern)
    if matches is None:
        return None

    def explain(value: str, path: str, report: Report) -> None:
        message = f"Expected text that matches the pattern {preview(pattern)} but got {preview(value)}."
        report.add(path, "pattern", message, f"Send text that matches {preview(pattern, 200)}.")

    return Rule(table=when({str: lambda value, _run: matches(value)}), explain=explain)


def _bound(keyword: str, bound: float, holds: Callable[[Any, Run], bool], words: str) -> Rule:
    def explain(value: object, path: str, report: Report) -> None:
        message = f"Expected a number {words} {preview(bound)} but got {preview(value)}."
        report.add(path, keyword, message, f"Send a number {words} {preview(bound)}.")

    return Rule(table=when({int: holds, float: holds}), explain=explain)


def range_rules(schema: Any) -> list[Rule]:
    """Make the rules for bounds of numbers, including the boolean `exclusive...` of draft 4."""
    least, most = number_of(schema, "minimum"), number_of(schema, "maximum")
    above, below = number_of(schema, "exclusiveMinimum"), number_of(schema, "exclusiveMaximum")
    if schema.get("exclusiveMinimum") is True:
        least, above = None, least
    if schema.get("exclusiveMaximum") is True:
        most, below = None, most
    rules = []
    if least is not None:
        rules.append(_bound("minimum", least, lambda value, _run: value >= least, "of at least"))
    if most is not None:
        rules.append(_bound("maximum", most, lambda value, _run: value <= most, "of at most"))
    if above is not None:
        rules.append(_bound("exclusiveMinimum", above, lambda value, _run: value > above, "greater than"))
    if below is not None:
        rules.append(_bound("exclusiveMaximum", below, lambda value, _run: value < below, "less than"))
    return rules


def _decimal(number: float) -> tuple[int, int]:
    """Split a number exactly into its digits and a power of ten."""
    if isinstance(number, int):
        return number, 0
    mantissa, _, exponent = repr(float(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    return int(whole + fraction), int(exponent or 0) - len(fraction)


def is_multiple(value: Any, step: float) -> bool:
    """Return True when the decimal value is a multiple of the decimal step, as 0.3 is of 0.1."""
    if isinstance(value, float) and not isfinite(value):
        return False
    digits, power = _decimal(value)
    step_digits, step_power = _decimal(step)
    lowest = min(power, step_power)
    return bool(digits * 10 ** (power - lowest) % (step_digits * 10 ** (step_power - lowest)) == 0)


def multiple_rule(step: float) -> Rule | None:
    if not 0 < step < float("inf"):
        return None

    def holds(value: Any, _run: Run) -> bool:
        return is_multiple(value, step)

    return _bound("multipleOf", step, holds, "that is a multiple of")


def scalar_rules(schema: Any, resolve: Resolve) -> list[Rule | None]:
    """Return the rules for the type, the allowed values and the bounds in a schema."""
    rules: list[Rule | None] = [type_rule(schema, resolve)]
    members = schema.get("enum")
    if isinstance(members, (list, tuple)):
        rules.append(enum_rule(tuple(members)))
    if "const" in schema:
        rules.append(const_rule(schema["const"]))
    if _MEASURES.isdisjoint(schema):
        return rules
    for keyword in ("minLength", "maxLength"):
        bound = number_of(schema, keyword)
        if bound is not None:
            rules.append(size_rule(keyword, bound, (str,), "characters"))
    if "pattern" in schema:
        rules.append(pattern_rule(schema["pattern"]))
    rules.extend(range_rules(schema))
    step = number_of(schema, "multipleOf")
    if step is not None:
        rules.append(multiple_rule(step))
    return rules
