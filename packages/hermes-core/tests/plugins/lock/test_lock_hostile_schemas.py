"""References are followed, also in circles, and no schema is too hostile to be compared or given up."""

from __future__ import annotations

import time
from typing import Any

import pytest

from hermes_core.plugins.lock.schema_changes import schema_changes

INTEGER = {"type": "integer"}
STRING = {"type": "string"}
NULL = {"type": "null"}


def arguments(required: tuple[str, ...] = (), **properties: object) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def ranged(**bounds: object) -> dict[str, Any]:
    return {"type": "integer", **bounds}


def array(items: object, **more: object) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


# References


def tree(leaf: object, name: str = "Node") -> dict[str, Any]:
    again = {"$ref": f"#/$defs/{name}"}
    node = arguments(
        value=leaf, next={"anyOf": [again, NULL]}, all=array(again), one={"oneOf": [again, {"minimum": 1}]}
    )
    return {**arguments(root={**again, "description": "The root."}), "$defs": {name: node}}


def test_a_definition_may_move_without_a_change_of_meaning() -> None:
    assert schema_changes(tree(STRING), tree(STRING, "Other")).labels == ("rewritten",)
    inline = {**arguments(a={"$ref": "#/$defs/A"}), "$defs": {"A": STRING}}
    assert schema_changes(inline, arguments(a=STRING)).labels == ("rewritten",)
    older = {**arguments(a={"allOf": [{"$ref": "#/definitions/A"}]}), "definitions": {"A": STRING}}
    assert schema_changes(inline, older).labels == ("rewritten",)


def test_a_change_behind_a_reference_in_a_circle_is_found() -> None:
    labels = schema_changes(tree(STRING), tree({"type": ["string", "null"]})).labels
    assert "widened" in labels
    assert "narrowed" not in labels


def test_a_change_elsewhere_says_nothing_of_an_unchanged_circle() -> None:
    before, after = tree(STRING), tree(STRING)
    after["properties"]["new"] = INTEGER
    assert schema_changes(before, after).details == ("parameter 'new': is new and optional (widened)",)


def test_keywords_beside_a_reference_count() -> None:
    before = {**arguments(a={"$ref": "#/$defs/A"}), "$defs": {"A": STRING}}
    after = {**arguments(a={"$ref": "#/$defs/A", "minLength": 3}), "$defs": {"A": STRING}}
    assert schema_changes(before, after).labels == ("narrowed",)


def test_what_a_reference_leads_to_counts_where_directions_do_not() -> None:
    def holding(leaf: object, **more: object) -> dict[str, Any]:
        return {"properties": {"a": {"$ref": "#/$defs/A"}, **more}, "$defs": {"A": leaf}}

    negated = {"not": {"$ref": "#/$defs/A"}}
    assert schema_changes(holding(INTEGER, b=negated), holding({"type": "number"}, b=negated)).labels == (
        "widened",
        "changed incomparably",
    )
    depending = {"dependentSchemas": {"a": {"$ref": "#/$defs/A"}}}
    assert schema_changes(holding(INTEGER, b=depending), holding({"type": "number"}, b=depending)).labels == (
        "widened",
        "changed incomparably",
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b", "title": "x"}, "b": {"$ref": "#/$defs/a"}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, {"not": {"$ref": "#"}}]}}},
        {"$ref": "#/nowhere"},
        {"$ref": 3},
        {"properties": {"a": {"$ref": "#"}}, "not": {"$ref": "#"}},
    ],
)
def test_references_that_lead_nowhere_or_in_circles_end(schema: dict[str, Any]) -> None:
    assert schema_changes(schema, {"properties": {"a": schema}, **schema, "maximum": 3}).labels
    assert schema_changes(schema, arguments(a=STRING)).labels
    assert schema_changes(arguments(a=STRING), schema).labels


# Hostile schemas


def nested(levels: int, leaf: object = None) -> dict[str, Any]:
    schema: Any = {} if leaf is None else leaf
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
    return schema  # type: ignore[no-any-return]


def bomb(leaf: object) -> dict[str, Any]:
    """Forty definitions, each of which opens the next one three times."""
    steps = {}
    for at in range(40):
        below = {"$ref": f"#/$defs/a{at + 1}"}
        steps[f"a{at}"] = {"anyOf": [below, below, array(below)]}
    return {**arguments(a={"$ref": "#/$defs/a0"}), "$defs": {**steps, "a40": leaf}}


def test_what_is_too_deep_is_incomparable() -> None:
    assert schema_changes(nested(10_000), nested(10_001)).labels == ("changed incomparably",)
    assert schema_changes(nested(90, STRING), nested(90, INTEGER)).labels == ("changed incomparably",)
    circle: dict[str, Any] = {}
    circle["properties"] = {"a": circle}
    assert schema_changes(circle, {}).labels == ("changed incomparably",)


def test_depth_that_models_can_follow_is_compared() -> None:
    assert schema_changes(nested(50, INTEGER), nested(50, {"type": "number"})).labels == ("widened",)


def test_a_schema_that_explodes_is_given_up_in_time() -> None:
    start = time.process_time()
    assert schema_changes(bomb(STRING), bomb(INTEGER)).labels == ("changed incomparably",)
    assert time.process_time() - start < 5  # it would take longer than the sun has; a slow machine needs one second


def test_the_time_grows_with_the_size_and_not_faster() -> None:
    def seconds(size: int) -> float:
        options = [arguments(("kind",), kind={"const": at}, value=ranged(maximum=at)) for at in range(size)]
        other = [arguments(("kind",), kind={"const": at}, value=ranged(maximum=at + 1)) for at in range(size)]
        start = time.process_time()
        assert schema_changes(arguments(a={"anyOf": options}), arguments(a={"anyOf": other})).labels == ("widened",)
        return time.process_time() - start

    few = min(seconds(100) for _ in range(3))
    assert min(seconds(1000) for _ in range(2)) < 40 * few  # ten times the work; a hundred times if it were squared


@pytest.mark.parametrize("junk", [None, 3, "string", "junk", [], [1], {"properties": 3}, {"type": 3}, {"anyOf": {}}])
def test_junk_is_compared_without_an_error(junk: object) -> None:
    assert schema_changes(junk, arguments(a=STRING)).labels
    assert schema_changes(arguments(a=junk), arguments(a=STRING)).labels
    assert schema_changes(junk, junk).labels == ()


def test_what_is_no_json_is_incomparable() -> None:
    assert schema_changes({"default": {1, 2}}, {}).labels == ("changed incomparably",)
