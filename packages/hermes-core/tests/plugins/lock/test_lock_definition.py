"""One definition has one text and one digest, however it is written and wherever it comes from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core import Tool, ToolDefinitionError, tool
from hermes_core.plugins.lock import define, digest, estimate_tokens
from hermes_core.tools.tool_spec import ToolSpec
from hermes_schemas.readonly import frozen

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


def text(tool: ToolSpec) -> list[str]:
    return define(tool, plugin="games", distribution="hermes-tools-games")


def pinned(**fields: Any) -> str:
    return digest(text(spec(**fields)))


def with_value(value: Any) -> str:
    return pinned(parameters={"default": value})


# What is in it


def test_a_bare_tool_is_pinned_by_its_name_source_toolset_and_parameters() -> None:
    assert text(spec()) == [
        'name: "dice"',
        'plugin: "games"',
        'distribution: "hermes-tools-games"',
        'toolset: "games"',
        'parameters.type: "object"',
    ]


def test_everything_that_models_see_or_policy_decides_by_is_in_the_definition() -> None:
    tool = spec(
        description="Roll dice.",
        effects=frozenset({"write", "network", "read"}),
        aliases=("roll", "throw", "cast"),
        argument_aliases={"n": "count"},
        needs=(Store, "clock"),
        requires_env=("DICE_KEY", "A_KEY"),
        parameters={"type": "object", "properties": {"a b": {"enum": ["z", {"y": []}], "default": {}}}},
    )
    services = sorted([f"{Store.__module__}.Store", "clock"])
    assert text(tool)[4:] == [
        'effects: ["network", "read", "write"]',
        'requires_env: ["A_KEY", "DICE_KEY"]',
        f'needs: ["{services[0]}", "{services[1]}"]',
        'aliases: ["cast", "roll", "throw"]',
        'argument_aliases.n: "count"',
        'description: "Roll dice."',
        'parameters.properties."a b".default: {}',
        'parameters.properties."a b".enum[0]: "z"',
        'parameters.properties."a b".enum[1].y: []',
        'parameters.type: "object"',
    ]


def test_what_only_matters_to_people_and_machines_is_left_out() -> None:
    dressed = spec(emoji="x", timeout=3.0, keywords=("luck",), always_load=True, is_async=True, requires_bin=("ls",))
    assert text(dressed) == text(spec())


def test_long_texts_are_split_after_lines_and_sentences() -> None:
    first, second = "Rolls as many dice as you like. ", "Then tells you what they show, one after the other; "
    lines = text(spec(description=f"{first}{second}all of them.\nAnd \n\nmore"))
    assert lines[4:9] == [
        'description: "Rolls as many dice as you like. "',
        'description: "Then tells you what they show, one after the other; "',
        'description: "all of them.\\n"',
        'description: "And \\n"',
        'description: "\\n"',
    ]


@pytest.mark.parametrize(
    "char",
    ["\x00", "\x1b", "\x7f", "\x9b", "\xad", "\u200b", "\u202e", "\u2800", "\u3164", "\ufe0f", "\U000e0041", "\ud800"],
)
def test_control_and_invisible_characters_are_visible_in_every_part(char: str) -> None:
    lines = text(spec(description=f"a{char}b", parameters={"properties": {f"c{char}d": {"default": f"e{char}f"}}}))
    assert all(line.isascii() for line in lines)
    escaped = json.dumps(char)[1:-1]
    assert [line.count(escaped) for line in lines if "\\u" in line] == [1, 2]


def test_a_character_and_its_escape_are_told_apart() -> None:
    assert pinned(description="a\u200bb") != pinned(description="a\\u200bb")


# One digest


def test_a_live_tool_and_its_manifest_have_one_digest() -> None:
    @tool(toolset="games", effects={"read", "network"}, aliases=["throw"], argument_aliases={"n": "count"})
    def roll(count: int, sides: list[int] | None = None) -> int:
        """Roll dice."""
        return count

    fields = {name: getattr(roll.spec, name) for name in ("name", "toolset", "description", "aliases", "effects")}
    parameters, aliases = (
        json.loads(json.dumps(value, default=dict)) for value in (roll.spec.parameters, roll.spec.argument_aliases)
    )
    assert text(ToolSpec(**fields, parameters=parameters, argument_aliases=aliases)) == text(roll.spec) == text(roll)


@given(OBJECTS)
def test_neither_spelling_nor_container_nor_order_changes_the_digest(schema: dict[str, Any]) -> None:
    plain = pinned(parameters=schema)
    assert pinned(parameters=respelt(schema)) == plain
    assert pinned(parameters=frozen(schema)) == plain
    assert pinned(parameters=json.loads(json.dumps(schema))) == plain


@given(JSON, JSON)
def test_different_values_have_different_digests(one: Any, other: Any) -> None:
    same = json.dumps(_plain(one), sort_keys=True) == json.dumps(_plain(other), sort_keys=True)
    assert (with_value(one) == with_value(other)) is same


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(child) for child in value]
    return {key: _plain(child) for key, child in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (0, -0.0), (10**22, 1e22), ([1], (1,))])
def test_equal_values_have_one_digest(one: Any, other: Any) -> None:
    assert with_value(one) == with_value(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        (1, "1"),
        (None, "null"),
        ([1, 2], [2, 1]),
        (["a", "b"], "ab"),
        ([], {}),
        ("{}", {}),
        ("[]", []),
        (["a, b"], ["a", "b"]),
    ],
)
def test_values_that_only_look_alike_have_two(one: Any, other: Any) -> None:
    assert with_value(one) != with_value(other)


def test_members_of_an_enumeration_count_as_their_values() -> None:
    class Side(StrEnum):
        LEFT = "left"

    assert with_value(Side.LEFT) == with_value("left")


def test_the_digest_is_what_anybody_can_compute() -> None:
    lines = text(spec(parameters={"default": "ü"}))
    assert digest(lines) == "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()


def test_two_halves_of_a_character_are_that_character() -> None:
    assert pinned(description="\ud83d\ude00") == pinned(description="😀")


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
        ({"default": float("nan")}, "float values"),
        ({"default": float("inf")}, "float values"),
        ({"default": b"x"}, "bytes"),
        ({"properties": {(1, 2): {}}}, "tuple for a key"),
        ({"maximum": 10**5000}, "digits"),
        (nested(10_000), "nested"),
        (circle(), "nested"),
        (shared(), "too many characters"),
        ({"default": "x" * 2_000_001}, "too many characters"),
        ({"properties": {1: {}, "1": {}}}, "one key twice"),
    ],
)
def test_what_is_no_json_or_has_no_end_is_refused_with_the_tools_name(
    parameters: Mapping[str, Any], reason: str
) -> None:
    with pytest.raises(ToolDefinitionError, match=reason) as caught:
        text(spec(parameters=parameters))
    assert caught.value.tool == "dice"


def test_a_schema_as_deep_as_models_are_shown_can_be_pinned() -> None:
    assert pinned(parameters=nested(150)).startswith("sha256:")


# Tokens


def test_tokens_are_a_quarter_of_the_characters_that_a_model_is_sent() -> None:
    shown = {
        "type": "function",
        "function": {
            "name": "dice",
            "description": "Roll dice.",
            "parameters": {"type": "object", "properties": {}},
        },
    }
    cost = -(-len(json.dumps(shown, separators=(",", ":"))) // 4)
    assert estimate_tokens(spec(description="Roll dice.")) == cost


def test_what_models_are_not_shown_costs_no_tokens() -> None:
    assert estimate_tokens(spec(effects=frozenset({"read"}), aliases=("throw",))) == estimate_tokens(spec())


def test_a_longer_description_costs_more() -> None:
    assert estimate_tokens(spec(description="x" * 400)) == estimate_tokens(spec()) + 100


def test_a_tool_from_a_schema_can_be_pinned() -> None:
    ready = Tool.from_schema({"name": "dice", "parameters": {"type": "object"}}, lambda args: args, toolset="games")
    assert text(ready.spec) == text(spec())
