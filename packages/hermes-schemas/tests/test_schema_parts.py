"""The parts of a schema: what may be where, what is there by default, and what is a secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from hermes_schemas import compile_checker
from hermes_schemas.schema_parts import Outline


@dataclass(frozen=True, slots=True)
class Shape(Outline):
    schema: Mapping[str, Any]


LINK = {
    "type": "object",
    "properties": {"url": {"type": "string"}, "token": {"type": "string", "writeOnly": True}},
    "additionalProperties": False,
}
SHAPE = Shape(
    {
        "$defs": {"link": LINK},
        "type": "object",
        "properties": {
            "main": {"$ref": "#/$defs/link", "default": {"url": "here"}},
            "others": {"type": "array", "items": {"$ref": "#/$defs/link"}},
            "retry": {"anyOf": [{"properties": {"count": {"type": "integer", "default": 3}}}, {"type": "null"}]},
            "labels": {"type": "object", "additionalProperties": {"type": "number"}},
        },
    }
)


def test_parts_are_found_through_references_and_alternatives() -> None:
    assert SHAPE.find(("main", "token")) is not None
    assert (SHAPE.find(("labels", "any")) or {})["type"] == "number"
    assert (SHAPE.find(("retry", "count")) or {})["default"] == 3
    assert SHAPE.find(("main", "tokens")) is None
    assert SHAPE.find(("unknown",)) is None
    assert list(SHAPE.paths()) == [("main", "url"), ("main", "token"), ("others",), ("retry", "count"), ("labels",)]


def test_defaults_are_those_of_objects_and_their_properties() -> None:
    assert SHAPE.defaults() == {"main": {"url": "here"}, "retry": {"count": 3}}
    assert Shape({"$ref": "#"}).defaults() == {}


def test_secrets_are_found_in_a_schema_and_in_a_value() -> None:
    assert [path for path in SHAPE.paths() if SHAPE.is_secret(path)] == [("main", "token")]
    value = {"main": {"url": "u", "token": "a"}, "others": [{"token": "b"}, {"url": "v"}]}
    assert list(SHAPE.find_secrets(value)) == [(("main", "token"), "a"), (("others", "token"), "b")]


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "string"}, " 5 ", " 5 "),
        ({"type": "boolean"}, "off", False),
        ({"type": "boolean"}, "Yes", True),
        ({"type": ["boolean", "integer"]}, "1", 1),
        ({"type": "number"}, "+.inf", float("inf")),
        ({"type": "array", "items": {"type": "integer"}}, "1, 2,", [1, 2]),
        ({"type": "array"}, "[1, 2]", [1, 2]),
        ({"type": "object"}, '{"a": 1}', {"a": 1}),
        ({"type": "integer"}, "many", "many"),
        ({"enum": [1, 2]}, "2", 2),
    ],
)
def test_a_text_is_read_as_the_type_that_is_asked_for(schema: dict[str, Any], text: str, value: Any) -> None:
    assert Shape(schema).read_text(schema, text) == value


def test_an_object_is_open_when_it_allows_other_keys_or_declares_none() -> None:
    assert Shape({"type": "object"}).is_open()
    assert Shape({"properties": {"a": {}}, "patternProperties": {"b": {}}}).is_open()
    assert not Shape({"properties": {"a": {}}}).is_open()
    assert not Shape({"type": "string"}).is_open()


@pytest.mark.parametrize(
    ("value", "steps"),
    [
        ({"jobs": [{}, {"name": 1}]}, ("jobs", 1, "name")),
        ({"jobs": [{"name": "x", 'odd "key"': 1}]}, ("jobs", 0, 'odd "key"')),
        ([], ()),
    ],
)
def test_a_problem_knows_the_steps_to_its_value(value: Any, steps: tuple[str | int, ...]) -> None:
    text = {"type": "string"}
    job = {"type": "object", "properties": {"name": text, 'odd "key"': text}}
    checker = compile_checker({"type": "object", "properties": {"jobs": {"type": "array", "items": job}}})
    assert [found.steps for found in checker.find_problems(value)] == [steps]
