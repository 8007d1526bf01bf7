"""Says of a changed schema of arguments whether the tool accepts more, accepts less, or only reads differently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hermes_core.plugins.lock.alternatives import Side
from hermes_core.plugins.lock.comparison import Comparison
from hermes_core.plugins.lock.digest import canonical_schema, compact
from hermes_core.plugins.lock.keywords import TEXTS, subschemas
from hermes_core.plugins.lock.wording import INCOMPARABLE, NARROWED, WIDENED, Path, place_of, shown
from hermes_core.schemas.keywords import ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP

DEFAULT_CHANGED: Final = "default changed"
TEXT_ONLY: Final = "description only"
REWRITTEN: Final = "rewritten"
"""Written differently, and the same in meaning."""

_MAX_DETAILS = 100
"""More sentences than this nobody reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaChanges:
    """How a schema changed.

    Attributes:
        labels: `widened`: it accepts what it refused. `narrowed`: it refuses what it accepted. `changed
            incomparably`: nobody can say. `default changed`. `description only`: nothing but texts. `rewritten`:
            the same in other words. Empty when nothing changed.
        details: A sentence for each change.
    """

    labels: tuple[str, ...] = ()
    details: tuple[str, ...] = ()


def schema_changes(before: object, after: object) -> SchemaChanges:
    """Classify the change of a schema. Takes anything, never raises.

    When `widened` is the only one of the three, whatever was accepted still is; when `narrowed` is, nothing is
    accepted that was not. One licence is taken: a new optional property counts as widened, and one that is gone as
    narrowed, even where properties without a name were allowed.
    """
    try:
        was, now = canonical_schema(before), canonical_schema(after)
    except ValueError as error:
        return SchemaChanges(labels=(INCOMPARABLE,), details=(f"the arguments: a schema {error} ({INCOMPARABLE})",))
    if compact(was) == compact(now):
        return SchemaChanges()
    notes = list(_changed_notes(was, now))
    if compact(_without_texts(was)) == compact(_without_texts(now)):
        return _changes({TEXT_ONLY}, [text for _, text in notes])
    walk = Comparison(Side(was), Side(now))
    walk.run(was, now)
    labels = {*walk.findings.values(), *(label for label, _ in notes if label)}
    sentences = [f"{place_of(path)}: {text} ({label})" for (path, text), label in walk.findings.items()]
    return _changes(labels or {REWRITTEN}, [*sentences, *(text for _, text in notes)])


def _changes(labels: set[str], details: list[str]) -> SchemaChanges:
    if not details:
        details = ["the parameters are written differently, and the same values are accepted"]
    if len(details) > _MAX_DETAILS:
        details = [*details[:_MAX_DETAILS], f"and {len(details) - _MAX_DETAILS} more changes"]
    order = (WIDENED, NARROWED, INCOMPARABLE, DEFAULT_CHANGED, TEXT_ONLY, REWRITTEN)
    return SchemaChanges(
        labels=tuple(label for label in order if label in labels), details=tuple(dict.fromkeys(details))
    )


def _changed_notes(before: Any, after: Any) -> Iterator[tuple[str, str]]:
    """What else is said at the places that both schemas have: texts and defaults, each with its label, if any."""
    places = dict(_places(after))
    for path, was in _places(before):
        now = places.get(path)
        if now is None:
            continue
        for key in sorted(TEXTS | {"default"}):
            if compact(was.get(key)) == compact(now.get(key)) and (key in was) == (key in now):
                continue
            texts = [shown(side[key]) if key in side else "not set" for side in (was, now)]
            label = DEFAULT_CHANGED if key == "default" else ""
            sentence = f"{place_of(path)}: {key} was {texts[0]}, is {texts[1]}"
            yield label, f"{sentence} ({label})" if label else sentence


def _places(schema: Any) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    if not isinstance(schema, Mapping):
        return
    todo: list[tuple[Path, Mapping[str, Any]]] = [((), schema)]
    while todo:
        path, node = todo.pop()
        yield path, node
        todo.extend(((*path, *steps), child) for steps, child in subschemas(node) if isinstance(child, Mapping))


def _without_texts(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    bare: dict[str, Any] = {}
    for key, value in schema.items():
        if key in TEXTS:
            continue
        if key in SCHEMA_MAP and isinstance(value, dict):
            bare[key] = {name: _without_texts(child) for name, child in value.items()}
        elif key in ONE_SCHEMA and isinstance(value, dict):
            bare[key] = _without_texts(value)
        elif key in SCHEMA_LIST and isinstance(value, list):
            bare[key] = [_without_texts(child) for child in value]
        else:
            bare[key] = value
    return bare
