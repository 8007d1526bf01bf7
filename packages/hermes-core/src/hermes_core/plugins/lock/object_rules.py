"""What becomes of an object's schema when its properties change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hermes_core.plugins.lock.alternatives import ANYTHING
from hermes_core.plugins.lock.wording import INCOMPARABLE, NARROWED, WIDENED, Path

if TYPE_CHECKING:
    from hermes_core.plugins.lock.comparison import Comparison

Keywords = Mapping[str, Any]


def compare_objects(walk: Comparison, before: Keywords, after: Keywords, path: Path) -> None:
    """Compare what is asked of an object's properties: those it names, those it requires, all others."""
    was, now = before.get("properties", {}), after.get("properties", {})
    has_patterns = _compare_patterns(walk, before, after, path)
    for name in sorted({*was, *now}):
        there = (*path, "properties", name)
        if name in was and name in now:
            walk.compare(was[name], now[name], there)
        elif has_patterns:
            walk.note(there, "is new" if name in now else "is gone", INCOMPARABLE)
        elif name in now:
            _compare_new(walk, name, before, after, there)
        else:
            _compare_gone(walk, name, before, after, there)
    _compare_required(walk, before, after, path)
    others = (before.get("additionalProperties", ANYTHING), after.get("additionalProperties", ANYTHING))
    walk.compare(*others, (*path, "additionalProperties"))
    names = (before.get("propertyNames", ANYTHING), after.get("propertyNames", ANYTHING))
    walk.compare(*names, (*path, "propertyNames"))


def _compare_patterns(walk: Comparison, before: Keywords, after: Keywords, path: Path) -> bool:
    was, now = before.get("patternProperties", {}), after.get("patternProperties", {})
    for pattern in sorted({*was, *now}):
        there = (*path, "patternProperties", pattern)
        if pattern in was and pattern in now:
            walk.compare(was[pattern], now[pattern], there)
        else:
            walk.note(there, "is a new pattern" if pattern in now else "is no pattern any more", INCOMPARABLE)
    return bool(was or now)


def _compare_new(walk: Comparison, name: str, before: Keywords, after: Keywords, path: Path) -> None:
    """Compare a property that was not named before.

    Strictly, an object that allows properties it does not name took this one with any value. But nobody told the
    model so, and to a reader a new parameter is one more thing that the tool takes: that is what counts.
    """
    others = before.get("additionalProperties", ANYTHING)
    is_required = name in after.get("required", ())
    if others is False:
        walk.note(path, "is new", WIDENED)
    elif _says_something(others) or _is_free(before, path):
        walk.compare(others, after["properties"][name], path)
    else:
        walk.note(path, "is new and required" if is_required else "is new and optional", _new_label(is_required))


def _new_label(is_required: bool) -> str:
    return NARROWED if is_required else WIDENED


def _compare_gone(walk: Comparison, name: str, before: Keywords, after: Keywords, path: Path) -> None:
    """Compare a property that is no longer named; with the same licence as a new one."""
    others = after.get("additionalProperties", ANYTHING)
    if others is not False and (_says_something(others) or _is_free(after, path)):
        walk.compare(before["properties"][name], others, path)
    else:
        walk.note(path, "is gone", NARROWED)


def _compare_required(walk: Comparison, before: Keywords, after: Keywords, path: Path) -> None:
    was, now = set(before.get("required", ())), set(after.get("required", ()))
    for name in sorted(was ^ now):
        there = (*path, "properties", name)
        if name in was:
            walk.note(there, "is no longer required", WIDENED)
        elif (there, "is new and required") not in walk.findings:
            walk.note(there, "is required now", NARROWED)


def _says_something(others: object) -> bool:
    return isinstance(others, Mapping) and bool(others)


def _is_free(side: Keywords, path: Path) -> bool:
    """Whether an object names no properties because it may have any; arguments without any have none."""
    return "properties" not in side and len(path) > 2
