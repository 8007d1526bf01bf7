"""A changed schema is told in words: wider, narrower, both, neither, or only told differently."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_core.plugins.lock.schema_changes import schema_changes

INTEGER = {"type": "integer"}
STRING = {"type": "string"}
NULL = {"type": "null"}


def arguments(required: tuple[str, ...] = (), **properties: object) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def of_one(before: object, after: object) -> tuple[str, ...]:
    """The labels for a parameter that was this and is that."""
    return schema_changes(arguments(x=before), arguments(x=after)).labels


def ranged(**bounds: object) -> dict[str, Any]:
    return {"type": "integer", **bounds}


def array(items: object, **more: object) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


WIDER: list[tuple[object, object]] = [
    (ranged(maximum=10), ranged(maximum=100)),
    (ranged(maximum=10), ranged()),
    (ranged(minimum=1), ranged(minimum=0)),
    (ranged(exclusiveMinimum=1), ranged(minimum=1)),
    (ranged(multipleOf=4), ranged(multipleOf=2)),
    (INTEGER, {"type": "number"}),
    (STRING, {"type": ["string", "null"]}),
    (STRING, {"anyOf": [STRING, NULL]}),
    (STRING, {}),
    (STRING, True),
    (False, STRING),
    ({"type": "string", "minLength": 3}, {"type": "string", "minLength": 1}),
    ({"type": "string", "maxLength": 3}, {"type": "string", "maxLength": 4}),
    ({"type": "string", "pattern": "^a"}, STRING),
    ({"type": "string", "format": "uri"}, STRING),
    ({"enum": ["a"]}, {"enum": ["b", "a"]}),
    ({"const": "a"}, {"enum": ["a", "b"]}),
    ({"type": "string", "enum": ["a"]}, STRING),
    ({"enum": ["a"]}, {"anyOf": [{"enum": ["a"]}, NULL]}),
    (array(INTEGER), array({"type": "number"})),
    (array(INTEGER, maxItems=3), array(INTEGER, maxItems=4)),
    (array(INTEGER, uniqueItems=True), array(INTEGER)),
    (array(INTEGER, prefixItems=[STRING]), array(INTEGER, prefixItems=[{"type": ["string", "integer"]}])),
    (array({}, contains=INTEGER), array({}, contains={"type": "number"})),
    (arguments(("a",), a=STRING), arguments(a=STRING)),
    (arguments(a=STRING), arguments(a=STRING, b=STRING)),
    ({**arguments(), "additionalProperties": False}, {**arguments(), "additionalProperties": True}),
    ({**arguments(), "additionalProperties": False}, arguments()),
    ({**arguments(), "additionalProperties": INTEGER}, {**arguments(), "additionalProperties": {"type": "number"}}),
    ({"anyOf": [arguments(("a",), a=STRING)]}, {"anyOf": [arguments(("a",), a=STRING), arguments(("b",), b=STRING)]}),
    ({"allOf": [{"minLength": 3}, {"maxLength": 5}]}, {"allOf": [{"minLength": 3}]}),
    ({"allOf": [{"minLength": 3}, {"minLength": 1}]}, {"allOf": [{"minLength": 1}]}),
    ({"type": "string", "not": {"enum": ["a"]}}, STRING),
]


@pytest.mark.parametrize(("before", "after"), WIDER)
def test_what_accepts_more_is_widened_and_backwards_narrowed(before: object, after: object) -> None:
    assert of_one(before, after) == ("widened",)
    assert of_one(after, before) == ("narrowed",)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (STRING, INTEGER),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}),
        (ranged(minimum=1, maximum=5), ranged(minimum=3, maximum=9)),
        (arguments(("a",), a=STRING), arguments(("b",), b=STRING)),
        ({**arguments(), "additionalProperties": False}, {**arguments(("a",), a={}), "additionalProperties": False}),
    ],
)
def test_what_accepts_more_and_less_is_both(before: object, after: object) -> None:
    assert of_one(before, after) == ("widened", "narrowed")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "^b"}),
        ({"type": "string", "format": "uri"}, {"type": "string", "format": "date"}),
        ({"not": STRING}, {"not": INTEGER}),
        ({"oneOf": [{"minimum": 1}, {"maximum": 3}]}, {"oneOf": [{"minimum": 1}, {"maximum": 4}]}),
        ({"if": STRING, "then": {"minLength": 1}}, {"if": STRING, "then": {"minLength": 2}}),
        ({"type": "string", "x-mystery": 1}, {"type": "string", "x-mystery": 2}),
        (STRING, {"type": "string", "nullable": True}),
        ({"$ref": "https://example.org/a"}, {"$ref": "https://example.org/b"}),
        ({"type": "string", "minLength": "three"}, STRING),
        (ranged(multipleOf=2), ranged(multipleOf=3)),
        ({"patternProperties": {"^a": STRING}}, {"patternProperties": {"^b": STRING}}),
        ({"unevaluatedProperties": False}, {"unevaluatedProperties": False, "properties": {"a": {}}}),
        ({"$id": "https://example.org/a", "type": "string"}, {"$id": "https://example.org/a", "type": "integer"}),
        (array({}, contains=STRING, maxContains=2), array({}, contains=INTEGER, maxContains=2)),
    ],
)
def test_what_nobody_can_judge_is_incomparable_in_both_directions(before: object, after: object) -> None:
    assert of_one(before, after) == ("changed incomparably",)
    assert of_one(after, before) == ("changed incomparably",)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"type": ["string", "null"]}, {"anyOf": [STRING, NULL]}),
        ({"type": ["string", "null"]}, {"oneOf": [NULL, STRING]}),
        ({"type": ["string", "null"], "minLength": 2}, {"anyOf": [{"type": "string", "minLength": 2}, NULL]}),
        ({"type": ["integer", "number"]}, {"type": "number"}),
        ({"const": "a"}, {"enum": ["a"]}),
        ({"enum": ["a", None]}, {"anyOf": [{"enum": ["a"]}, NULL]}),
        ({"enum": ["a", "b"]}, {"enum": ["b", "a"]}),
        ({"type": "boolean"}, {"enum": [True, False]}),
        (STRING, {"allOf": [STRING]}),
        ({}, True),
        ({**arguments(), "additionalProperties": True}, arguments()),
        ({"type": "string", "minLength": 0}, STRING),
        ({"anyOf": [STRING, {"anyOf": [INTEGER, NULL]}]}, {"type": ["null", "string", "integer"]}),
        ({"anyOf": [STRING, STRING]}, STRING),
        ({"anyOf": [STRING, {"type": "string", "minLength": 3}]}, STRING),
        ({"allOf": [STRING, {"minLength": 3}]}, {"type": "string", "minLength": 3}),
    ],
)
def test_other_words_for_the_same_are_only_rewritten(before: object, after: object) -> None:
    assert of_one(before, after) == ("rewritten",)
    assert of_one(after, before) == ("rewritten",)


def test_nothing_changed_is_nothing_said() -> None:
    assert schema_changes(arguments(x=STRING), arguments(x={"type": "string"})).labels == ()
    assert schema_changes({"maximum": 1, "enum": [1]}, {"enum": (1.0,), "maximum": 1.0}).details == ()


def test_keywords_that_change_each_others_meaning_are_not_put_together() -> None:
    apart = {"allOf": [{"properties": {"a": {}}}, {"additionalProperties": False}]}  # has no property at all
    assert "widened" in of_one(apart, {"properties": {"a": {}}, "additionalProperties": False})


def test_a_new_name_that_a_pattern_may_have_spoken_of_is_incomparable() -> None:
    closed = {"patternProperties": {"^a": INTEGER}, "additionalProperties": False}
    assert of_one(closed, {**closed, "properties": {"ab": STRING}}) == ("changed incomparably",)


# Parameters


def test_a_new_optional_parameter_is_widened() -> None:
    changes = schema_changes(arguments(a=STRING), arguments(a=STRING, b=INTEGER))
    assert changes.labels == ("widened",)
    assert changes.details == ("parameter 'b': is new and optional (widened)",)


def test_a_new_required_parameter_is_narrowed() -> None:
    changes = schema_changes({"type": "object"}, arguments(("b",), b=INTEGER))
    assert changes.labels == ("narrowed",)
    assert changes.details == ("parameter 'b': is new and required (narrowed)",)


def test_a_parameter_that_is_gone_is_narrowed() -> None:
    changes = schema_changes(arguments(a=STRING, b=INTEGER), arguments(a=STRING))
    assert changes.details == ("parameter 'b': is gone (narrowed)",)


def test_a_parameter_that_becomes_required_is_narrowed() -> None:
    changes = schema_changes(arguments(a=STRING), arguments(("a",), a=STRING))
    assert changes.labels == ("narrowed",)
    assert changes.details == ("parameter 'a': is required now (narrowed)",)


def test_an_object_that_could_hold_anything_is_narrowed_by_naming_a_property() -> None:
    assert of_one({"type": "object"}, {"type": "object", "properties": {"a": INTEGER}}) == ("narrowed",)


# Sentences


def test_a_sentence_says_where_what_was_and_what_is() -> None:
    changes = schema_changes(arguments(count=ranged(maximum=10)), arguments(count=ranged(maximum=100)))
    assert changes.details == ("parameter 'count': maximum was 10, is 100 (widened)",)


def test_deep_places_are_named_as_people_write_them() -> None:
    before = arguments(a=array(arguments(b={"type": "object", "additionalProperties": STRING})))
    after = arguments(a=array(arguments(b={"type": "object", "additionalProperties": NULL})))
    assert any(
        line.startswith("other properties of parameter 'a[].b': type was string") for line in _details(before, after)
    )


def test_long_and_unprintable_values_are_made_harmless() -> None:
    (line,) = _details(arguments(a={"description": "x"}), arguments(a={"description": "\u202e\x1b[2J" + "y" * 500}))
    assert line.isprintable()
    assert len(line) < 150


def test_a_flood_of_changes_is_cut_with_a_count() -> None:
    before = {"properties": {f"p{at}": STRING for at in range(300)}}
    after = {"properties": {f"p{at}": {"type": ["string", "null"]} for at in range(300)}}
    details = _details(before, after)
    assert len(details) == 101
    assert details[-1] == "and 200 more changes"


def _details(before: object, after: object) -> tuple[str, ...]:
    return schema_changes(before, after).details


# Texts and defaults


def test_texts_alone_are_description_only() -> None:
    before = arguments(a={"type": "string", "description": "One.", "title": "A", "examples": ["x"]})
    after = arguments(a={"type": "string", "description": "Two.", "examples": ["y"]})
    changes = schema_changes(before, after)
    assert changes.labels == ("description only",)
    assert 'parameter \'a\': description was "One.", is "Two."' in changes.details
    assert len(changes.details) == 3


def test_a_parameter_called_description_is_no_text() -> None:
    assert schema_changes(arguments(description=STRING), arguments(description=INTEGER)).labels == (
        "widened",
        "narrowed",
    )


def test_a_changed_default_is_its_own_kind() -> None:
    assert of_one({"type": "string", "default": "a"}, {"type": "string", "default": "b"}) == ("default changed",)
    assert of_one({"type": "string", "default": None}, STRING) == ("default changed",)
    assert of_one({"type": "string", "default": 1, "description": "x"}, {"type": "integer", "default": 2}) == (
        "widened",
        "narrowed",
        "default changed",
    )


def test_a_text_beside_a_change_is_told_but_not_the_only_thing() -> None:
    changes = schema_changes(arguments(a={"description": "x", **STRING}), arguments(a={"description": "y"}))
    assert changes.labels == ("widened",)
    assert len(changes.details) == 2
