"""One definition has one digest, however it is written and wherever it comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core import Tool, ToolDefinitionError, tool
from hermes_core.plugins.lock.digest import definition_of, digest, encoded, tokens
from hermes_core.tools.readonly import frozen
from hermes_core.tools.spec import ToolSpec

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3) | st.sampled_from(["required", "properties", "enum"]), inner, max_size=4)
    ),
    max_leaves=20,
)
OBJECTS = st.dictionaries(
    st.sampled_from(["type", "properties", "required", "default", "x", "anyOf", "$defs"]), JSON, max_size=5
)


class Store:
    """A service."""


def spec(**fields: Any) -> ToolSpec:
    return ToolSpec(**{"name": "dice", "toolset": "games", "parameters": {"type": "object"}, **fields})


def respelt(value: Any) -> Any:
    """The same JSON in other clothes: keys backwards, tuples for lists, proxies for dicts, floats for integers."""
    if isinstance(value, dict):
        return MappingProxyType({key: respelt(value[key]) for key in reversed(list(value))})
    if isinstance(value, list):
        return tuple(map(respelt, value))
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53:
        return float(value)
    return value


def with_number(value: Any) -> str:
    return digest(definition_of(spec(parameters={"default": value})))


# What is in it


def test_a_bare_tool_is_pinned_by_its_name_toolset_and_parameters() -> None:
    assert definition_of(spec()) == {"name": "dice", "toolset": "games", "parameters": {"type": "object"}}


def test_everything_that_models_see_or_policy_decides_by_is_in_the_definition() -> None:
    definition = definition_of(
        spec(
            description="Roll dice.",
            effects=frozenset({"write", "network", "read"}),
            aliases=("roll", "throw", "cast"),
            argument_aliases={"n": "count"},
            needs=(Store, "clock"),
            requires_env=("DICE_KEY", "A_KEY"),
        )
    )
    assert definition == {
        "name": "dice",
        "toolset": "games",
        "parameters": {"type": "object"},
        "description": "Roll dice.",
        "effects": ["network", "read", "write"],
        "aliases": ["cast", "roll", "throw"],
        "argument_aliases": {"n": "count"},
        "needs": sorted([f"{Store.__module__}.Store", "clock"]),
        "requires_env": ["A_KEY", "DICE_KEY"],
    }


def test_what_only_matters_to_people_and_machines_is_left_out() -> None:
    dressed = spec(emoji="x", timeout=3.0, keywords=("luck",), always_load=True, is_async=True, requires_bin=("ls",))
    assert definition_of(dressed) == definition_of(spec())


def test_required_is_sorted_in_every_schema_and_enum_keeps_its_order() -> None:
    schema = {
        "required": ["b", "a"],
        "properties": {"a": {"required": ["d", "c"], "enum": ["z", "y"]}, "b": {"anyOf": [{"required": ["y", "x"]}]}},
    }
    assert definition_of(spec(parameters=schema))["parameters"] == {
        "required": ["a", "b"],
        "properties": {"a": {"required": ["c", "d"], "enum": ["z", "y"]}, "b": {"anyOf": [{"required": ["x", "y"]}]}},
    }


def test_required_is_only_sorted_where_it_is_a_keyword() -> None:
    schema = {"properties": {"required": {"default": {"required": ["b", "a"]}}}}
    assert definition_of(spec(parameters=schema))["parameters"] == schema


def test_requiring_nothing_is_the_same_as_not_saying_so() -> None:
    assert digest(definition_of(spec(parameters={"type": "object", "required": []}))) == digest(definition_of(spec()))


# One digest


def test_a_live_tool_and_its_manifest_have_one_digest() -> None:
    @tool(toolset="games", effects={"read", "network"}, aliases=["throw"], argument_aliases={"n": "count"})
    def roll(count: int, sides: list[int] | None = None) -> int:
        """Roll dice."""
        return count

    manifest = json.loads(json.dumps(definition_of(roll)))
    read = ToolSpec(**{**manifest, "effects": frozenset(manifest["effects"]), "aliases": tuple(manifest["aliases"])})
    assert digest(definition_of(read)) == digest(definition_of(roll.spec)) == digest(manifest)


@given(OBJECTS)
def test_neither_spelling_nor_container_nor_order_changes_the_digest(schema: dict[str, Any]) -> None:
    plain = digest(definition_of(spec(parameters=schema)))
    assert digest(definition_of(spec(parameters=respelt(schema)))) == plain
    assert digest(definition_of(spec(parameters=frozen(schema)))) == plain
    assert digest(respelt(definition_of(spec(parameters=schema)))) == plain


@given(OBJECTS)
def test_a_definition_survives_being_written_and_read(schema: dict[str, Any]) -> None:
    definition = definition_of(spec(parameters=schema))
    again = json.loads(encoded(json.dumps(definition, ensure_ascii=False)).decode("utf-8"))
    assert again == definition
    assert digest(again) == digest(definition)


@given(JSON, JSON)
def test_different_values_have_different_digests(one: Any, other: Any) -> None:
    same = json.dumps(_plain(one), sort_keys=True) == json.dumps(_plain(other), sort_keys=True)
    assert (with_number(one) == with_number(other)) is same


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(child) for child in value]
    return {key: _plain(child) for key, child in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (0, -0.0), (10**22, 1e22), ([1], (1,))])
def test_equal_values_have_one_digest(one: Any, other: Any) -> None:
    assert with_number(one) == with_number(other)


@pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), (1, "1"), (None, "null"), ([1, 2], [2, 1])])
def test_values_that_only_look_alike_have_two(one: Any, other: Any) -> None:
    assert with_number(one) != with_number(other)


def test_members_of_an_enumeration_count_as_their_values() -> None:
    class Side(StrEnum):
        LEFT = "left"

    assert with_number(Side.LEFT) == with_number("left")


def test_the_digest_is_what_anybody_can_compute() -> None:
    import hashlib

    text = '{"name":"dice","parameters":{"default":"ü","maximum":1,"type":"object"},"toolset":"games"}'
    definition = definition_of(spec(parameters={"type": "object", "maximum": 1.0, "default": "ü"}))
    assert digest(definition) == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude00"])
def test_half_a_character_can_be_pinned_too(text: str) -> None:
    definition = definition_of(spec(description=text))
    again = json.loads(encoded(json.dumps(definition, ensure_ascii=False)).decode("utf-8"))
    assert digest(again) == digest(definition)


# What cannot be pinned


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


def circle() -> dict[str, Any]:
    schema: dict[str, Any] = {}
    schema["items"] = schema
    return schema


def shared() -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(60):
        schema = {"properties": {"a": schema, "b": schema}}
    return schema


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"default": {1, 2}}, "set"),
        ({"default": float("nan")}, "nan"),
        ({"default": float("inf")}, "inf"),
        ({"default": b"x"}, "bytes"),
        ({"properties": {(1, 2): {}}}, "tuple for a key"),
        ({"maximum": 10**5000}, "digits"),
        (nested(10_000), "nested"),
        (circle(), "nested"),
        (shared(), "50,000"),
    ],
)
def test_what_is_no_json_or_has_no_end_is_refused_with_the_tools_name(
    parameters: Mapping[str, Any], reason: str
) -> None:
    with pytest.raises(ToolDefinitionError, match=reason) as caught:
        definition_of(spec(parameters=parameters))
    assert caught.value.tool == "dice"


def test_a_schema_as_deep_as_models_are_shown_can_be_pinned() -> None:
    assert digest(definition_of(spec(parameters=nested(150)))).startswith("sha256:")


# Tokens


def test_tokens_are_a_quarter_of_the_characters_that_a_model_is_sent() -> None:
    definition = definition_of(spec(description="Roll dice."))
    shown = {
        "type": "function",
        "function": {
            "name": "dice",
            "description": "Roll dice.",
            "parameters": {"type": "object", "properties": {}},
        },
    }
    assert tokens(definition) == -(-len(json.dumps(shown, separators=(",", ":"))) // 4)


def test_what_models_are_not_shown_costs_no_tokens() -> None:
    assert tokens(definition_of(spec(effects=frozenset({"read"}), aliases=("throw",)))) == tokens(definition_of(spec()))


def test_a_longer_description_costs_more() -> None:
    assert tokens(definition_of(spec(description="x" * 400))) == tokens(definition_of(spec())) + 100


def test_a_tool_from_a_schema_can_be_pinned() -> None:
    ready = Tool.from_schema({"name": "dice", "parameters": {"type": "object"}}, lambda args: args, toolset="games")
    assert definition_of(ready) == definition_of(spec())
