"""What becomes of a schema when a keyword changes that speaks of values of every type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hermes_core.plugins.lock.digest import compact
from hermes_core.plugins.lock.wording import INCOMPARABLE, NARROWED, WIDENED, Path, shown

if TYPE_CHECKING:
    from hermes_core.plugins.lock.comparison import Comparison

_CONDITION = ("if", "then", "else")
_KNOWN = frozenset({"allOf", "anyOf", "oneOf", "not", *_CONDITION})


def compare_general(walk: Comparison, before: Mapping[str, Any], after: Mapping[str, Any], path: Path) -> None:
    """Compare the keywords that hold whatever the type of the value."""
    if not before and not after:
        return
    walk.pairs(
        before.get("allOf", []),
        after.get("allOf", []),
        path,
        gained=("one more of allOf must hold", NARROWED),
        lost=("one less of allOf must hold", WIDENED),
    )
    for key in ("anyOf", "oneOf", "not"):
        if key in before and key in after:
            _compare_present(walk, key, before[key], after[key], path)
        elif key in after:
            walk.note(path, f"{key} is new", NARROWED)
        elif key in before:
            walk.note(path, f"{key} is gone", WIDENED)
    if not all(_is_same_part(walk, key, before, after) for key in _CONDITION):
        walk.note(path, "its conditions (if, then, else) are different", INCOMPARABLE)
    for key in sorted({*before, *after} - _KNOWN):
        compare_verbatim(walk, key, before, after, path)


def compare_verbatim(
    walk: Comparison, key: str, before: Mapping[str, Any], after: Mapping[str, Any], path: Path
) -> None:
    """Compare a keyword of which nothing is known but how it is written."""
    if not is_verbatim(key, before, after):
        was, now = (shown(side[key]) if key in side else "not set" for side in (before, after))
        walk.note(path, f"{key} was {was}, is {now}", INCOMPARABLE)


def is_verbatim(key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether a keyword is written alike on both sides, and leads to nothing that may differ."""
    if (key in before) != (key in after):
        return False
    if key not in before:
        return True
    text = compact(before[key])
    return text == compact(after[key]) and 'ef"' not in text  # $ref, $dynamicRef, $recursiveRef


def _compare_present(walk: Comparison, key: str, before: Any, after: Any, path: Path) -> None:
    if key == "anyOf":
        walk.compare({"anyOf": before}, {"anyOf": after}, path)
    elif key == "oneOf":
        if len(before) != len(after) or not all(map(walk.is_same, before, after)):
            walk.note(path, "oneOf is different", INCOMPARABLE)
    elif not walk.is_same(before, after):
        walk.note(path, "what it must not be is different", INCOMPARABLE)


def _is_same_part(walk: Comparison, key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    if (key in before) != (key in after):
        return False
    return key not in before or walk.is_same(before[key], after[key])
