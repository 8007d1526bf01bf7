"""A value on the command line has the type that the tool's schema gives it."""

from __future__ import annotations

from typing import Any

import click
import pytest

from hermes_core.cli.arguments import read_words, type_pairs

SCHEMA: dict[str, Any] = {
    "$defs": {"Level": {"enum": [1, 2, 3]}},
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "whole": {"type": "integer"},
        "real": {"type": "number"},
        "flag": {"type": "boolean"},
        "words": {"type": "array", "items": {"type": "string"}},
        "numbers": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]},
        "record": {"type": "object"},
        "maybe": {"type": ["integer", "null"]},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "level": {"$ref": "#/$defs/Level"},
        "mixed": {"enum": ["auto", 1]},
        "anything": {},
        "one_or_more": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    },
    "additionalProperties": {"type": "integer"},
}


@pytest.mark.parametrize(
    ("pair", "value"),
    [
        ("text=3", "3"),
        ("text=true", "true"),
        ("text=", ""),
        ("text=a=b", "a=b"),
        ('text={"a": 1}', '{"a": 1}'),
        ("whole=3", 3),
        ("whole=-3", -3),
        ("whole=3.5", "3.5"),
        ("whole=three", "three"),
        ("whole=" + "9" * 5000, "9" * 5000),
        ("real=3", 3),
        ("real=3.5", 3.5),
        ("real=1e3", 1000),
        ("real=NaN", "NaN"),
        ("flag=true", True),
        ("flag=False", False),
        ("flag=yes", "yes"),
        ("words=[1]", ["1"]),
        ('words=["a", "b"]', ["a", "b"]),
        ("words=a", ["a"]),
        ("words=[a", ["[a"]),
        ("numbers=3", [3]),
        ("numbers=[3, 4]", [3, 4]),
        ("numbers=null", None),
        ('record={"a": 1}', {"a": 1}),
        ("record=a", "a"),
        ("maybe=null", None),
        ("maybe=7", 7),
        ("either=7", "7"),
        ("level=2", 2),
        ("level=9", 9),
        ("mixed=auto", "auto"),
        ("mixed=1", 1),
        ("mixed=x", "x"),
        ("anything=1", "1"),
        ("one_or_more=1", "1"),
        ("unheard_of=4", 4),
        ("alias=5", 5),
    ],
)
def test_one_value(pair: str, value: object) -> None:
    key, _, text = pair.partition("=")
    typed = type_pairs([(key, text)], SCHEMA, {"alias": "whole"})
    assert typed == {key: value}
    assert type(typed[key]) is type(value)


def test_a_repeated_key_makes_an_array_of_typed_items() -> None:
    pairs = [
        ("numbers", "1"),
        ("words", "2"),
        ("numbers", "3"),
        ("words", "4"),
        ("one_or_more", "a"),
        ("one_or_more", "b"),
    ]
    assert type_pairs(pairs, SCHEMA, {}) == {"numbers": [1, 3], "words": ["2", "4"], "one_or_more": ["a", "b"]}


def test_a_schema_that_refers_to_itself_ends() -> None:
    schema = {"properties": {"loop": {"$ref": "#/properties/loop"}}}
    assert type_pairs([("loop", "1")], schema, {}) == {"loop": "1"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": "x', "unterminated JSON: the string that starts at line 1, column 7 is not closed. Close every"),
        ('{"a": "x"', "unterminated JSON: it ends too early, at line 1, column 10. Close every"),
        ('{"a":\n [1,', "unterminated JSON: it ends too early, at line 2, column 5. Close every"),
        ('["a"', "unterminated JSON: it ends too early, at line 1, column 5. Close every"),
        ('{"a": x}', "invalid JSON: Expecting value (line 1, column 7)."),
        ('{"a": 1} b', "invalid JSON: Extra data (line 1, column 10)."),
        ('{"a": NaN}', "invalid JSON: NaN is not JSON."),
    ],
)
def test_broken_json_is_reported_with_its_position(text: str, problem: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        read_words([text])
    assert caught.value.message.startswith(f"The arguments are {problem}")
