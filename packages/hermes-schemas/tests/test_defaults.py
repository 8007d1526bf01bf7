"""Arguments are completed with the defaults of their schema, at every depth, and nothing is changed in place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_schemas.defaults import Defaults, find_default_values

FORCE = {"type": "object", "properties": {"force": {"type": "boolean", "default": True}, "name": {"type": "string"}}}
NESTED = {
    "type": "object",
    "properties": {
        "options": {"$ref": "#/$defs/Options"},
        "perhaps": {"anyOf": [{"$ref": "#/$defs/Options"}, {"type": "null"}]},
        "many": {"type": "array", "items": {"$ref": "#/$defs/Options"}},
        "either": {"anyOf": [{"$ref": "#/$defs/Options"}, {"type": "object", "properties": {"x": {"default": 1}}}]},
        "list": {"type": "array", "default": ["a"]},
        "nothing": {"type": ["string", "null"], "default": None},
    },
    "$defs": {
        "Options": {
            "type": "object",
            "properties": {"mode": {"default": "fast"}, "inner": {"$ref": "#/$defs/Options"}},
        }
    },
}


@pytest.mark.parametrize(
    ("schema", "args", "expected"),
    [
        (FORCE, {}, {"force": True}),
        (FORCE, {"force": False}, {"force": False}),
        (FORCE, {"force": None}, {"force": None}),
        (FORCE, {"name": "x"}, {"name": "x", "force": True}),
        (NESTED, {}, {"list": ["a"]}),
        (NESTED, {"list": [], "options": {}}, {"list": [], "options": {"mode": "fast"}}),
        (NESTED, {"list": [], "perhaps": {}}, {"list": [], "perhaps": {"mode": "fast"}}),
        (NESTED, {"list": [], "perhaps": None}, {"list": [], "perhaps": None}),
        (
            NESTED,
            {"list": [], "many": [{}, {"mode": "slow"}]},
            {"list": [], "many": [{"mode": "fast"}, {"mode": "slow"}]},
        ),
        (NESTED, {"list": [], "either": {}}, {"list": [], "either": {}}),
        (
            NESTED,
            {"list": [], "options": {"inner": {"inner": {}}}},
            {"list": [], "options": {"mode": "fast", "inner": {"mode": "fast", "inner": {"mode": "fast"}}}},
        ),
        ({}, {"a": 1}, {"a": 1}),
        ({"properties": {"a": True, "b": {"$ref": "elsewhere"}, "c": {"$ref": "#/no/where"}}}, {"b": {}}, {"b": {}}),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, {"a": {}}, {"a": {}}),
        ({"properties": {"me": {"$ref": "#"}, "d": {"default": 1}}}, {"me": {}}, {"me": {"d": 1}, "d": 1}),
    ],
)
def test_what_is_not_given_is_filled_in(schema: dict[str, Any], args: dict[str, Any], expected: dict[str, Any]) -> None:
    assert Defaults(schema).completed(args) == expected


def test_nothing_is_changed_in_place_and_nothing_is_shared() -> None:
    defaults = Defaults(NESTED)
    args: dict[str, Any] = {"options": {}}
    first, second = defaults.completed(args), defaults.completed(args)
    first["list"].append("b")
    first["options"]["mode"] = "other"
    assert args == {"options": {}}
    assert second == {"options": {"mode": "fast"}, "list": ["a"]}


def test_arguments_that_lack_nothing_cost_nothing() -> None:
    args = {"force": False}
    assert Defaults(FORCE).completed(args) is args
    assert not Defaults({"type": "object", "properties": {"a": {"type": "string"}}})


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["options", "perhaps", "many", "either", "list", "inner", "mode"]), inner)
        ),
    )
)
def test_any_data_can_be_completed(value: Any) -> None:
    once = Defaults(NESTED).completed(value)
    assert Defaults(NESTED).completed(once) == once


def test_arguments_that_equal_their_default_are_found() -> None:
    schema = {"properties": {"a": {"default": 1}, "b": {"default": [{"x": None}]}, "c": {}, "d": {"default": 0}}}
    assert find_default_values(schema, {"a": 1.0, "b": [{"x": None}], "c": 1, "d": False, "e": 2}) == {"a", "b"}
    assert find_default_values({}, {"a": 1}) == frozenset()
