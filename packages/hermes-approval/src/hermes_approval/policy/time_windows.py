"""Time windows of rules: hours that may wrap midnight, and days of the week."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime

from hermes_approval.matchers.rule_error import RuleError, quote
from hermes_schemas import nearest

_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAYS = tuple(name[:3] for name in _NAMES)
_KEYS = ("after", "before", "days")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_EXAMPLE = 'time: {after: "22:00", before: "06:00", days: [fri, sat]}'
_MIDNIGHT = 24 * 60


def compile_time(data: object) -> Callable[[datetime], bool]:
    """Return a function that checks whether a local time is within a window: from `after` until `before`.

    If `before` is earlier than `after`, the window wraps midnight. `days` are the days on which it begins: the hours
    after Friday's midnight belong to Friday.

    Raises:
        RuleError: it is not a time window.
    """
    if not isinstance(data, Mapping) or not data:
        raise RuleError(f"is {quote(data)}, not a time window.", example=_EXAMPLE)
    for key in data:
        if key not in _KEYS:
            near = nearest(str(key), _KEYS)
            raise RuleError("there is no such key.", steps=(key,), nearest=near, example=_EXAMPLE)
    after = _minutes(data, "after", 0)
    before = _minutes(data, "before", _MIDNIGHT)
    if after == before:
        raise RuleError("begins when it ends, so it never applies.", example=_EXAMPLE)
    days = _days(data["days"]) if "days" in data else frozenset(range(7))
    wraps = after > before

    def is_within(when: datetime) -> bool:
        minute = when.hour * 60 + when.minute
        if not wraps:
            return after <= minute < before and when.weekday() in days
        if minute >= after:
            return when.weekday() in days
        return minute < before and (when.weekday() - 1) % 7 in days

    return is_within


def _minutes(data: Mapping[str, object], key: str, default: int) -> int:
    if key not in data:
        return default
    value = data[key]
    if isinstance(value, str) and value == "24:00" and key == "before":
        return _MIDNIGHT
    match = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        advice = ""
        if isinstance(value, int) and not isinstance(value, bool):
            advice = " YAML reads an unquoted 22:00 as a number, so put it in quotes."
        raise RuleError(f"is {quote(value)}, not a time of day.{advice}", steps=(key,), example=_EXAMPLE)
    return int(match[1]) * 60 + int(match[2])


def _days(value: object) -> frozenset[int]:
    words = value if isinstance(value, list | tuple) else [value]
    if not words:
        raise RuleError("names no day, so the rule never applies.", steps=("days",), example=_EXAMPLE)
    found = set()
    for word in words:
        lower = word.lower() if isinstance(word, str) else ""
        day = next((number for number, name in enumerate(_NAMES) if lower in (name, name[:3])), None)
        if day is None:
            near = nearest(str(word), DAYS)
            raise RuleError(f"{quote(word)} is not a day.", steps=("days",), nearest=near, example=_EXAMPLE)
        found.add(day)
    return frozenset(found)
