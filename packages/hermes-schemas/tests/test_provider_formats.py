"""What providers get is clean, in their shape, and never at the expense of the tool's own schema."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_schemas.provider_formats import (
    sanitize_parameters,
    strip_pattern_and_format,
    strip_slash_enum,
    use_nullable,
)

EMPTY = {"type": "object", "properties": {}}
KEYWORDS = ["type", "properties", "enum", "required", "items", "default", "title", "pattern", "format", "anyOf", "$ref"]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from(KEYWORDS),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*KEYWORDS, "oneOf", "not", "$defs", "x"]), inner, max_size=5)
    ),
    max_leaves=30,
)


def clean(**properties: object) -> dict[str, Any]:
    """The sanitised properties of a tool with these properties."""
    result = sanitize_parameters({"type": "object", "properties": properties})["properties"]
    assert isinstance(result, dict)
    return result


# The top


@pytest.mark.parametrize("junk", [None, 3, "object", "string", [], True, {}, {"type": "string"}, {"properties": []}])
def test_junk_becomes_an_empty_object_schema(junk: object) -> None:
    assert sanitize_parameters(junk) == EMPTY


def test_the_top_is_forced_to_be_an_object_and_keeps_its_properties() -> None:
    schema = {"properties": {"a": {"type": "string"}}, "required": ["a", "b"], "additionalProperties": False}
    assert sanitize_parameters(schema) == {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert sanitize_parameters({"type": ["object", "null"]}) == EMPTY


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf", "enum", "not"])
def test_combinators_are_stripped_at_the_top_only(keyword: str) -> None:
    value: object = {"type": "string"} if keyword == "not" else [{"type": "string"}, {"type": "integer"}]
    inner = {"type": "object", "properties": {}, keyword: value}
    assert sanitize_parameters({**inner, "properties": {"a": inner}}) == {"type": "object", "properties": {"a": inner}}


def test_a_nullable_object_at_the_top_keeps_its_properties() -> None:
    schema = {"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "null"}]}
    assert sanitize_parameters(schema) == {"type": "object", "properties": {"a": {"type": "string"}}}


# Nodes


def test_bare_strings_become_schemas() -> None:
    assert clean(a="string", b="object", c="whatever", d={"type": "array", "items": "integer"}) == {
        "a": {"type": "string"},
        "b": EMPTY,
        "c": EMPTY,
        "d": {"type": "array", "items": {"type": "integer"}},
    }


def test_other_junk_where_a_schema_is_expected_becomes_an_open_schema() -> None:
    assert clean(a=None, b=3, c=[], d=True) == {"a": {}, "b": {}, "c": {}, "d": {}}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (["string", "null"], {"type": ["string", "null"]}),
        (["null", "integer"], {"type": ["null", "integer"]}),
        (["integer", "string", "integer"], {"type": ["integer", "string"]}),
        (["string", None], {"type": ["string", "null"]}),
        (("string", "null"), {"type": ["string", "null"]}),
        (["object", "null"], {"type": ["object", "null"], "properties": {}}),
        (["null"], {"type": "null"}),
        ([], EMPTY),
        ([3, ["x"]], EMPTY),
        ({"odd": 1}, {}),
        (None, {}),
    ],
)
def test_types_are_strings_or_lists_of_them(kind: object, expected: dict[str, object]) -> None:
    assert clean(a={"type": kind}) == {"a": expected}


def test_object_nodes_get_properties_and_require_only_what_exists() -> None:
    assert clean(
        a={"type": "object"},
        b={"type": "object", "properties": "junk", "required": ["x"]},
        c={"type": "object", "properties": {"x": "string"}, "required": ["x", "y", "x", 3, None]},
        d={"type": "string", "required": True},
    ) == {
        "a": EMPTY,
        "b": EMPTY,
        "c": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
        "d": {"type": "string"},
    }


def test_required_alone_in_a_branch_is_kept() -> None:
    branches = [{"required": ["a"]}, {"required": ["b"]}]
    assert clean(x={"type": "object", "anyOf": branches})["x"]["anyOf"] == branches


def test_every_place_that_holds_schemas_is_visited() -> None:
    loose = {"type": "string", "nullable": True}
    tight = {"type": ["string", "null"]}
    for place in ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"):
        assert clean(a={place: loose})["a"] == {place: tight}
    for place in ("anyOf", "oneOf", "allOf", "prefixItems", "items"):
        assert clean(a={place: [loose, loose]})["a"] == {place: [tight, tight]}
    for place in ("$defs", "definitions", "patternProperties", "dependentSchemas", "properties"):
        assert clean(a={place: {"x": loose}})["a"] == {place: {"x": tight}}
        assert sanitize_parameters({place: {"x": loose}})[place] == {"x": tight}


def test_booleans_stay_where_providers_know_them() -> None:
    assert clean(a={"type": "object", "additionalProperties": False})["a"] == {**EMPTY, "additionalProperties": False}
    assert clean(a={"type": "array", "items": True})["a"] == {"type": "array", "items": {}}
    assert clean(a={"dependencies": {"x": ["y"]}})["a"] == {"dependencies": {"x": ["y"]}}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
@pytest.mark.parametrize("null", [{"type": "null"}, {"type": ["null"]}, {"const": None}, {"enum": [None]}, "null"])
def test_this_or_null_collapses_to_this(keyword: str, null: object) -> None:
    outer = {"title": "A limit", "description": "Most", "default": None, "examples": [3]}
    node = {keyword: [{"type": "integer", "minimum": 1, "description": "inner"}, null], **outer}
    assert clean(a=node) == {"a": {"type": ["integer", "null"], "minimum": 1, **outer}}


def test_nested_nullables_collapse_and_bare_branches_count() -> None:
    assert clean(a={"anyOf": [{"oneOf": ["string", "null"]}, "null"]}) == {"a": {"type": ["string", "null"]}}


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"type": "string", "nullable": "yes"}, {"type": "string"}),
        ({"type": ["string", "integer"], "nullable": True}, {"type": ["string", "integer", "null"]}),
        ({"type": "string", "enum": ["a"], "nullable": True}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"enum": ["a", None], "nullable": True}, {"enum": ["a", None]}),
        ({"const": "a", "nullable": True}, {"enum": ["a", None]}),
        ({"nullable": True, "description": "Anything"}, {"description": "Anything"}),
        (
            {"$ref": "#/$defs/A", "nullable": True, "description": "A"},
            {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "description": "A"},
        ),
        (
            {"type": "string", "not": {"const": "x"}, "nullable": True},
            {"anyOf": [{"type": "string", "not": {"const": "x"}}, {"type": "null"}]},
        ),
        (
            {"type": "object", "properties": {"nullable": {"type": "boolean"}}},
            {"type": "object", "properties": {"nullable": {"type": "boolean"}}},
        ),
    ],
)
def test_nullable_of_openapi_is_shown_as_standard_json_schema(given: dict[str, Any], shown: dict[str, Any]) -> None:
    assert clean(a=given, b={"type": "array", "items": given}) == {"a": shown, "b": {"type": "array", "items": shown}}


def test_providers_that_know_only_nullable_get_it_back() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": ["string", "null"], "enum": ["x", None]},
            "b": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "default": None},
            "c": {"type": ["integer", "string"]},
            "d": {"type": "string"},
        },
    }
    converted, changed = use_nullable(shapes(schema))
    assert changed == 3 * len(converted)
    assert converted == shapes(
        {
            "type": "object",
            "properties": {
                "a": {"type": "string", "enum": ["x"], "nullable": True},
                "b": {"$ref": "#/$defs/A", "default": None, "nullable": True},
                "c": {"type": "integer"},
                "d": {"type": "string"},
            },
        }
    )


def test_real_unions_stay() -> None:
    union = {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}
    assert clean(a=union, b={"anyOf": [{"type": "null"}]}, c={"anyOf": [{"type": "string"}]}) == {
        "a": union,
        "b": {"anyOf": [{"type": "null"}]},
        "c": {"anyOf": [{"type": "string"}]},
    }


def test_a_default_beside_a_reference_is_dropped() -> None:
    reference = {"$ref": "#/$defs/Mode"}
    assert clean(
        a={**reference, "default": "x", "description": "kept"},
        b={"anyOf": [reference, {"type": "null"}], "default": None},
        c={"type": "string", "default": "x"},
    ) == {
        "a": {**reference, "description": "kept"},
        "b": {"anyOf": [reference, {"type": "null"}], "default": None},
        "c": {"type": "string", "default": "x"},
    }


def test_values_are_never_read_as_schemas() -> None:
    value = {"type": ["string", "null"], "properties": "x", "required": ["gone"], "title": "A", "anyOf": ["a", "null"]}
    node = {"type": "object", "properties": {}}
    for keyword, content in {
        "enum": [value],
        "const": value,
        "default": value,
        "examples": [value],
        "x-own": value,
    }.items():
        assert clean(a={**node, keyword: content})["a"] == {**node, keyword: content}


def test_properties_may_be_called_like_keywords() -> None:
    properties = {name: {"type": "string", "description": name} for name in KEYWORDS}
    schema = {"type": "object", "properties": properties, "required": KEYWORDS}
    assert sanitize_parameters(schema) == schema
    assert clean(inner=schema) == {"inner": schema}
    definition = {"type": "function", "function": {"name": "x", "parameters": schema}}
    for strip in (strip_pattern_and_format, strip_slash_enum):
        assert strip([definition]) == ([definition], 0)


# Titles


def test_titles_that_only_repeat_the_name_go() -> None:
    schema = {
        "title": "web_search",
        "type": "object",
        "properties": {
            "max_results": {"title": "Max Results", "type": "integer"},
            "title": {"title": "Title", "type": "string"},
            "mode": {"title": "How to search", "type": "string"},
            "deep": {"type": "object", "properties": {"url": {"title": "url"}}},
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None, "title": "Limit"},
        },
        "$defs": {"Mode": {"title": "Mode", "enum": ["a"]}},
    }
    result = sanitize_parameters(schema, name="web_search")
    assert result == {
        "type": "object",
        "properties": {
            "max_results": {"type": "integer"},
            "title": {"type": "string"},
            "mode": {"title": "How to search", "type": "string"},
            "deep": {"type": "object", "properties": {"url": {}}},
            "limit": {"type": ["integer", "null"], "default": None},
        },
        "$defs": {"Mode": {"enum": ["a"]}},
    }
    assert sanitize_parameters(schema)["title"] == "web_search"
    assert sanitize_parameters({"title": "Search"}, name="web_search")["title"] == "Search"


# Bounds and purity


def nested(levels: int) -> dict[str, object]:
    schema: dict[str, object] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def depth(schema: Any) -> int:
    levels = 0
    while schema.get("properties"):
        schema = schema["properties"]["a"]
        levels += 1
    assert schema == {} or schema == {"type": "string"}
    return levels


def test_a_very_deep_schema_is_cut() -> None:
    assert depth(sanitize_parameters(nested(60))) == 60
    assert depth(sanitize_parameters(nested(100_000))) == 65
    (stripped,), _ = strip_pattern_and_format([{"parameters": nested(100_000)}])
    assert depth(stripped["parameters"]) == 65


def test_very_deep_nullables_and_values_do_not_hang() -> None:
    branch: object = "string"
    value: object = 1
    for _ in range(50_000):
        branch = {"anyOf": [branch, "null"]}
        value = [value]
    assert json.loads(json.dumps(clean(a=branch, b={"default": value})))


def test_a_schema_that_holds_itself_ends() -> None:
    loop: dict[str, object] = {"type": "object"}
    loop["properties"] = {"a": loop, "b": loop, "c": {"anyOf": [loop, {"type": "null"}]}}
    loop["default"] = loop
    knot: dict[str, object] = {}
    knot["anyOf"] = [knot, {"type": "null"}]
    for schema in (loop, knot, {"properties": {"x": loop, "y": knot}}):
        assert json.loads(json.dumps(sanitize_parameters(schema)))["type"] == "object"
        assert json.loads(json.dumps(strip_pattern_and_format([{"parameters": schema}])))[1] == 0


def test_children_that_share_children_do_not_multiply_for_ever() -> None:
    shared: dict[str, object] = {"type": "string"}
    for _ in range(60):
        shared = {"type": "object", "properties": {"a": shared, "b": shared}}
    assert sanitize_parameters(shared)["type"] == "object"


def test_a_wide_schema_is_kept_whole() -> None:
    properties = {f"p{index}": {"type": ["string", "null"]} for index in range(20_000)}
    assert len(clean(**properties)) == 20_000


@given(JSON)
def test_anything_at_all_comes_out_clean_and_goes_in_unharmed(parameters: object) -> None:
    before = copy.deepcopy(parameters)
    result = sanitize_parameters(parameters)
    assert parameters == before
    assert result["type"] == "object"
    assert isinstance(result["properties"], dict)
    assert not result.keys() & {"allOf", "anyOf", "oneOf", "enum", "not"}
    assert sanitize_parameters(result) == result
    json.dumps(result)
    for strip in (strip_pattern_and_format, strip_slash_enum):
        definition = {"parameters": parameters}
        strip([parameters, definition])
        assert definition == {"parameters": before}


def test_the_copy_shares_nothing_with_the_original() -> None:
    schema: dict[str, Any] = {"properties": {"a": {"enum": ["x"], "default": {"k": [1]}, "type": "string"}}}
    result: dict[str, Any] = sanitize_parameters(schema)
    result["properties"]["a"]["enum"].append("y")
    result["properties"]["a"]["default"]["k"].append(2)
    assert schema == {"properties": {"a": {"enum": ["x"], "default": {"k": [1]}, "type": "string"}}}


def test_frozen_schemas_are_read_and_come_out_plain() -> None:
    inner = MappingProxyType({"type": ("string", "null"), "enum": ("a",), "default": MappingProxyType({"k": 1})})
    schema = MappingProxyType({"properties": MappingProxyType({"a": inner}), "required": ("a",)})
    assert json.loads(json.dumps(sanitize_parameters(schema))) == {
        "type": "object",
        "properties": {"a": {"type": ["string", "null"], "enum": ["a"], "default": {"k": 1}}},
        "required": ["a"],
    }


# Stripping


def shapes(schema: object) -> list[dict[str, object]]:
    named: dict[str, object] = {"name": "x", "description": ""}
    function = {**named, "parameters": schema}
    openai: dict[str, object] = {"type": "function", "function": function}
    return [
        openai,
        {"type": "function", **function},
        {**named, "input_schema": schema},
        {**named, "inputSchema": schema},
    ]


def test_pattern_and_format_go_in_every_shape() -> None:
    node = {"type": "string", "pattern": "^a", "format": "uri", "default": {"pattern": "x"}, "enum": ["a/b"]}
    bare = {"type": "string", "default": {"pattern": "x"}, "enum": ["a/b"]}
    schema = {"type": "object", "properties": {"pattern": node, "l": {"type": "array", "items": node}}}
    expected = {"type": "object", "properties": {"pattern": bare, "l": {"type": "array", "items": bare}}}
    given = shapes(schema)
    before = copy.deepcopy(given)
    stripped, removed = strip_pattern_and_format(given)
    assert given == before
    assert removed == 4 * len(given)
    assert stripped == shapes(expected)


def test_only_enums_with_a_slash_go() -> None:
    schema = {
        "type": "object",
        "properties": {
            "model": {"type": "string", "enum": ["plain", "org/name"], "description": "Which"},
            "enum": {"type": "string", "enum": ["a", "b"]},
            "deep": {"anyOf": [{"enum": ["x/y"]}, {"type": "integer", "enum": [1, 2]}]},
            "odd": {"enum": "a/b", "examples": ["a/b"]},
        },
    }
    expected = copy.deepcopy(schema)
    properties: Any = expected["properties"]
    del properties["model"]["enum"]
    properties["deep"]["anyOf"][0] = {}
    stripped, removed = strip_slash_enum(shapes(schema))
    assert removed == 2 * len(stripped)
    assert stripped == shapes(expected)
    assert strip_slash_enum(stripped) == (stripped, 0)


@pytest.mark.parametrize("strip", [strip_pattern_and_format, strip_slash_enum, use_nullable])
def test_junk_definitions_do_no_harm(strip: Callable[[Iterable[object]], tuple[list[dict[str, object]], int]]) -> None:
    assert strip([]) == ([], 0)
    assert strip([None, "x", 3]) == ([], 0)
    odd: list[dict[str, object]] = [{}, {"parameters": None}, {"function": 3}, {"type": "web_search_preview"}]
    assert strip(odd) == (odd, 0)
    loop: dict[str, object] = {"name": "x"}
    loop["function"] = loop
    assert strip([loop]) == ([{"name": "x", "function": {"name": "x"}}], 0)
