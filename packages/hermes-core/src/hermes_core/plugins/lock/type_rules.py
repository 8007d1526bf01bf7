"""What becomes of a schema when a keyword changes that speaks of values of one type."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from hermes_core.plugins.lock.alternatives import ANYTHING
from hermes_core.plugins.lock.general_rules import compare_verbatim, is_verbatim
from hermes_core.plugins.lock.object_rules import compare_objects
from hermes_core.plugins.lock.wording import INCOMPARABLE, NARROWED, WIDENED, Path, shown

if TYPE_CHECKING:
    from hermes_core.plugins.lock.comparison import Comparison

Keywords = Mapping[str, Any]

_MAX_SHOWN = 5
"""Values of an enum that are named in one sentence."""

_ABSENT = object()
_LOWER = {"minimum": "exclusiveMinimum", "minLength": "", "minItems": "", "minProperties": ""}
_UPPER = {"maximum": "exclusiveMaximum", "maxLength": "", "maxItems": "", "maxProperties": ""}
_ASSERTIONS = ("pattern", "format", "contentEncoding", "contentMediaType", "dependentRequired")


def compare_type(walk: Comparison, kind: str, before: Keywords, after: Keywords, path: Path) -> None:
    """Compare what is asked of values of one type. Every keyword is a condition more, so each is judged alone."""
    if before.get("integer") != after.get("integer"):
        was, now = ("integer" if side.get("integer") else "number" for side in (before, after))
        walk.note(path, f"type was {was}, is {now}", WIDENED if now == "number" else NARROWED)
    _compare_values(walk, before, after, path)
    for key, exclusive in _LOWER.items():
        _compare_bounds(walk, key, exclusive, 1, before, after, path)
    for key, exclusive in _UPPER.items():
        _compare_bounds(walk, key, exclusive, -1, before, after, path)
    for key in _ASSERTIONS:
        _compare_assertion(walk, key, before, after, path)
    if kind == "number":
        _compare_multiples(walk, before, after, path)
    elif kind == "array":
        _compare_arrays(walk, before, after, path)
    elif kind == "object":
        compare_objects(walk, before, after, path)
    for key in ("contentSchema", "dependentSchemas"):
        compare_verbatim(walk, key, before, after, path)


def _compare_values(walk: Comparison, before: Keywords, after: Keywords, path: Path) -> None:
    was: Mapping[str, Any] | None = before.get("enum")
    now: Mapping[str, Any] | None = after.get("enum")
    if was is None and now is not None:
        walk.note(path, f"only these values are accepted now: {_listed(now)}", NARROWED)
    elif now is None and was is not None:
        walk.note(path, f"other values than {_listed(was)} are accepted now", WIDENED)
    elif was is not None and now is not None:
        if gained := {text: value for text, value in now.items() if text not in was}:
            walk.note(path, f"accepts {_listed(gained)} now", WIDENED)
        if lost := {text: value for text, value in was.items() if text not in now}:
            walk.note(path, f"no longer accepts {_listed(lost)}", NARROWED)


def _listed(values: Mapping[str, Any]) -> str:
    names = [shown(value, 40) for value in list(values.values())[:_MAX_SHOWN]]
    more = len(values) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _compare_bounds(
    walk: Comparison, key: str, exclusive: str, sign: int, before: Keywords, after: Keywords, path: Path
) -> None:
    """Compare one end of a range. Of two bounds at the same end the tighter one counts."""
    was, now = _bound(before, key, exclusive, sign), _bound(after, key, exclusive, sign)
    if was == now:
        return
    tighter = was is None or (now is not None and now > was)
    texts = [_bound_text(side, sign, key) for side in (was, now)]
    walk.note(path, f"{key} was {texts[0]}, is {texts[1]}", NARROWED if tighter else WIDENED)


def _bound(side: Keywords, key: str, exclusive: str, sign: int) -> tuple[float, bool] | None:
    bounds = [(sign * side[word], word == exclusive) for word in (key, exclusive) if word in side]
    if key.startswith("min") and key != "minimum":
        bounds = [bound for bound in bounds if bound[0] > 0]  # nothing has fewer than none
    return max(bounds) if bounds else None


def _bound_text(bound: tuple[float, bool] | None, sign: int, key: str) -> str:
    if bound is None:
        return "0" if key.startswith("min") and key != "minimum" else "not set"
    return shown(sign * bound[0]) + (" (exclusive)" if bound[1] else "")


def _compare_assertion(walk: Comparison, key: str, before: Keywords, after: Keywords, path: Path) -> None:
    if key in after and key not in before:
        walk.note(path, f"{key} is new: {shown(after[key])}", NARROWED)
    elif key in before and key not in after:
        walk.note(path, f"{key} is gone: it was {shown(before[key])}", WIDENED)
    else:
        compare_verbatim(walk, key, before, after, path)


def _compare_multiples(walk: Comparison, before: Keywords, after: Keywords, path: Path) -> None:
    was, now = before.get("multipleOf"), after.get("multipleOf")
    sentence = f"multipleOf was {shown(was)}, is {shown(now)}"
    if isinstance(was, int) and isinstance(now, int) and was > 0 and now > 0 and was != now:
        if now % was == 0:
            walk.note(path, sentence, NARROWED)
        elif was % now == 0:
            walk.note(path, sentence, WIDENED)
        else:
            walk.note(path, sentence, INCOMPARABLE)
    else:
        _compare_assertion(walk, "multipleOf", before, after, path)


def _compare_arrays(walk: Comparison, before: Keywords, after: Keywords, path: Path) -> None:
    was, now = (side.get("uniqueItems") is True for side in (before, after))
    if was != now:
        walk.note(path, f"its elements {'must' if now else 'need not'} differ now", NARROWED if now else WIDENED)
    rest = (before.get("items", ANYTHING), after.get("items", ANYTHING))
    places = zip_longest(before.get("prefixItems", ()), after.get("prefixItems", ()), fillvalue=_ABSENT)
    for at, (one, other) in enumerate(places):
        walk.compare(
            rest[0] if one is _ABSENT else one,
            rest[1] if other is _ABSENT else other,
            (*path, "prefixItems", str(at)),
        )
    walk.compare(*rest, (*path, "items"))
    _compare_contents(walk, before, after, path)


def _compare_contents(walk: Comparison, before: Keywords, after: Keywords, path: Path) -> None:
    if "contains" not in before and "contains" not in after:
        return  # the counts mean nothing without it
    counts = ("minContains", "maxContains")
    if not all(is_verbatim(key, before, after) for key in counts):
        walk.note(path, "what it must contain is different", INCOMPARABLE)
    elif any(key in before for key in counts):
        if not walk.is_same(before.get("contains", ANYTHING), after.get("contains", ANYTHING)):
            walk.note(path, "what it must contain is different", INCOMPARABLE)
    elif "contains" not in before:
        walk.note(path, "it must contain a certain element now", NARROWED)
    elif "contains" not in after:
        walk.note(path, "it need not contain a certain element now", WIDENED)
    else:
        walk.compare(before["contains"], after["contains"], (*path, "contains"))
