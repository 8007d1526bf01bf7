"""A declaration that can never work fails when it is written, naming the tool and the remedy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from hermes_core import Tool, ToolDefinitionError, tool

SCHEMA: dict[str, Any] = {"name": "weather", "parameters": {"type": "object", "properties": {"city": {}, "days": {}}}}


def answer(args: dict[str, Any], **info: Any) -> str:
    return ""


def refused(**fields: Any) -> ToolDefinitionError:
    """Both forms must refuse the field, with the same words."""

    def weather(city: str, days: int = 1) -> str:
        """The weather."""
        return city

    with pytest.raises(ToolDefinitionError) as explicit:
        Tool.from_schema(SCHEMA, answer, **fields)
    with pytest.raises(ToolDefinitionError) as typed:
        tool(**fields)(weather)
    assert str(explicit.value) == str(typed.value)
    error = explicit.value
    assert f"{error.tool!r}" in str(error)
    assert error.remedy
    assert error.remedy in str(error)
    return error


@pytest.mark.parametrize("name", ["", " ", "bad name", "ü", "a" * 65, "a.b", "a\n", "-/-"])
def test_a_name_that_model_apis_refuse(name: object) -> None:
    assert "is not a name" in str(refused(name=name))
    assert "is not a name" in str(refused(aliases=["ok", "not ok"]))


@pytest.mark.parametrize("name", ["a", "a" * 64, "A-b_9", "_", "-"])
def test_a_name_that_model_apis_accept(name: str) -> None:
    assert Tool.from_schema(SCHEMA, answer, name=name).name == name


@pytest.mark.parametrize(("effect", "near"), [("netwrok", "network"), ("writes", "write"), ("exe", "exec")])
def test_an_effect_that_does_not_exist_suggests_the_nearest(effect: str, near: str) -> None:
    error = refused(effects=["read", effect])
    assert f"Did you mean '{near}'?" in str(error)
    assert "privileged" in str(error)


@pytest.mark.parametrize(
    "field", ["requires_env", "requires_bin", "requires_extra", "aliases", "keywords", "calls", "effects"]
)
@pytest.mark.parametrize("value", ["read", 3, [3], [""], ["  "], [None], b"read"])
def test_a_list_of_words_must_be_one(field: str, value: object) -> None:
    error = refused(**{field: value})
    assert field in str(error)
    assert error.tool == "weather"


@pytest.mark.parametrize("field", ["timeout", "max_result_size_chars"])
@pytest.mark.parametrize("value", [0, -1, -0.5, math.nan, -math.inf, True, False, "5", [5], 10**400])
def test_an_amount_must_be_a_number_above_zero(field: str, value: object) -> None:
    error = refused(**{field: value})
    assert field in str(error)
    assert "above 0" in str(error)


@pytest.mark.parametrize("field", ["check", "assess", "dynamic_schema"])
@pytest.mark.parametrize("value", [True, "name", {}])
def test_code_must_be_callable(field: str, value: object) -> None:
    error = refused(**{field: value})
    assert "not a function" in str(error)
    assert "without calling it" in str(error)


@pytest.mark.parametrize("handler", [None, "weather", 5])
def test_a_handler_must_be_callable(handler: Any) -> None:
    with pytest.raises(ToolDefinitionError, match="handler is a .*, not a function"):
        Tool.from_schema(SCHEMA, handler)
    with pytest.raises(ToolDefinitionError, match="handler is a .*, not a function"):
        Tool(name="weather", toolset="t", parameters=SCHEMA["parameters"], handler=handler)


@pytest.mark.parametrize("toolset", ["", "  ", None, 5])
def test_a_toolset_must_have_a_name(toolset: object) -> None:
    assert "has no toolset" in str(refused(toolset=toolset))


@pytest.mark.parametrize("toolset", ["all", "*"])
def test_no_toolset_may_be_called_like_all_of_them(toolset: str) -> None:
    assert "every tool" in str(refused(toolset=toolset))


def test_an_argument_alias_must_stand_for_a_parameter() -> None:
    error = refused(argument_aliases={"town": "citi"})
    assert error.parameter == "town"
    assert "Did you mean 'city'?" in str(error)


def test_an_argument_alias_cannot_be_a_parameter() -> None:
    assert refused(argument_aliases={"days": "city"}).parameter == "days"


@pytest.mark.parametrize("value", ["town", ["town"], {"town": 3}, {3: "city"}, {"town": ["city"]}])
def test_argument_aliases_must_be_a_mapping_of_names(value: object) -> None:
    assert "argument_aliases" in str(refused(argument_aliases=value))


def test_a_tool_cannot_be_its_own_alias() -> None:
    assert "its own name" in str(refused(aliases=["weather"]))


@pytest.mark.parametrize("value", [3, [3], [None]])
def test_a_service_is_needed_by_type_or_name(value: object) -> None:
    assert "by type or by name" in str(refused(needs=value))


@pytest.mark.parametrize(("field", "value"), [("emoji", 5), ("description", 5), ("always_load", "yes")])
def test_a_field_of_another_type_is_refused(field: str, value: object) -> None:
    assert field in str(refused(**{field: value}))


@pytest.mark.parametrize(
    ("field", "near"),
    [("efects", "effects"), ("toolsett", "toolset"), ("require_env", "requires_env"), ("asynch", None)],
)
def test_an_unknown_field_suggests_the_nearest(field: str, near: str | None) -> None:
    error = refused(**{field: ["read"]})
    assert f"has no field {field!r}" in str(error)
    assert near is None or f"Did you mean {near!r}?" in str(error)
    assert "max_result_size_chars" in str(error)


def circle() -> dict[str, Any]:
    """A schema that holds itself twice, so that walking it without care would never end."""
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {"a": schema, "b": schema}
    return schema


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ([], "parameters are a list"),
        ("object", "parameters are a str"),
        ({"type": "array"}, "always an object"),
        ({"type": ["object", "null"]}, "always an object"),
        ({"properties": ["city"]}, "properties"),
        ({"properties": {1: {}}}, "properties"),
        ({"required": "city"}, "'required'"),
        ({"required": [1]}, "'required'"),
        ({"properties": {"a": {"default": math.nan}}}, "not JSON"),
        ({"properties": {"a": {"default": math.inf}}}, "not JSON"),
        ({"properties": {"a": {"enum": {1, 2}}}}, "not JSON"),
        ({"properties": {"a": {"default": object()}}}, "not JSON"),
        ({"properties": {"a": {"default": b"x"}}}, "not JSON"),
        (circle(), "contain themselves"),
    ],
)
def test_parameters_that_are_no_schema_of_an_object(parameters: Any, reason: str) -> None:
    with pytest.raises(ToolDefinitionError, match=reason) as caught:
        Tool.from_schema({"name": "weather", "parameters": parameters}, answer)
    assert caught.value.tool == "weather"
    assert caught.value.remedy


def test_a_default_that_is_not_json_names_its_parameter() -> None:
    with pytest.raises(ToolDefinitionError) as caught:
        Tool.from_schema({"name": "x", "parameters": {"properties": {"a": {}, "b": {"default": math.nan}}}}, answer)
    assert caught.value.parameter == "b"


@pytest.mark.parametrize("schema", [None, [], "weather", 5, {}, {"name": ""}, {"name": 5}, {"description": "x"}])
def test_a_schema_must_be_a_mapping_with_a_name(schema: Any) -> None:
    with pytest.raises(ToolDefinitionError, match=r"schema (is a|has no name)") as caught:
        Tool.from_schema(schema, answer)
    assert "name" in (caught.value.remedy or "")


def test_the_wrapped_part_of_a_schema_must_be_a_mapping() -> None:
    with pytest.raises(ToolDefinitionError, match="'function' part"):
        Tool.from_schema({"type": "function", "function": "weather"}, answer)


def declared(parameters: Any) -> Tool:
    return Tool.from_schema({"name": "weather", "parameters": parameters}, answer)


CITY = {"properties": {"city": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (None, "its schema is null"),
        (5, "its schema is a int"),
        (["string"], "its schema is a "),
        ("str", "'str' is not a type of JSON. Did you mean 'string'?"),
        ({"type": "int"}, "'int' is not a type of JSON. Did you mean 'integer'?"),
        ({"type": "String"}, "Did you mean 'string'?"),
        ({"type": "whatever"}, "'whatever' is not a type"),
        ({"type": 5}, "5 is not a type"),
        ({"type": {"a": 1}}, "is not a type"),
        ({"type": ["string", "nul"]}, "Did you mean 'null'?"),
        ({"enum": []}, "its enum is empty"),
        ({"enum": ()}, "its enum is empty"),
        ({"$ref": "#/$defs/nowhere"}, "'#/$defs/nowhere' leads nowhere"),
        ({"$ref": "#/$defs/pair/anyOf/2"}, "leads nowhere"),
        ({"$ref": "#/$defs/pair/anyOf/x"}, "leads nowhere"),
        ({"type": "array", "items": {"type": "str"}}, "items: 'str' is not a type"),
        ({"type": "array", "items": "str"}, "items: 'str' is not a type"),
        ({"anyOf": [{"type": "string"}, {"enum": []}]}, "anyOf/1: its enum is empty"),
        ({"properties": {"a": {"properties": {"b": 5}}}}, "properties/a/properties/b: its schema is a int"),
        ({"additionalProperties": {"$ref": "#/nowhere"}}, "additionalProperties: its $ref"),
        (
            {"properties": {"a_b": {}}, "required": ["aB"], "additionalProperties": False},
            "'aB' is required but not declared",
        ),
    ],
)
def test_a_parameter_whose_schema_nobody_can_follow_is_named(schema: Any, reason: str) -> None:
    with pytest.raises(ToolDefinitionError) as caught:
        declared({"properties": {"fine": {}, "city": schema}, "$defs": {"pair": {"anyOf": [{}, {}]}}})
    assert (caught.value.tool, caught.value.parameter) == ("weather", "city")
    assert reason in str(caught.value)
    assert caught.value.remedy


def test_a_definition_that_nobody_can_follow_is_named_by_its_place() -> None:
    with pytest.raises(ToolDefinitionError, match=r"\$defs/place: 'str' is not a type") as caught:
        declared({**CITY, "$defs": {"place": {"type": "str"}}})
    assert caught.value.parameter is None


def test_a_required_parameter_must_be_declared_where_no_other_is_allowed() -> None:
    with pytest.raises(ToolDefinitionError, match="Did you mean 'city'") as caught:
        declared({**CITY, "required": ["citi"], "additionalProperties": False})
    assert caught.value.parameter == "citi"
    for others in ({}, {"additionalProperties": True}, {"additionalProperties": {"type": "string"}}):
        declared({**CITY, "required": ["town"], **others})
    declared({**CITY, "required": ["x_1"], "additionalProperties": False, "patternProperties": {"^x_": {}}})


@pytest.mark.parametrize(
    "schema",
    [
        True,
        False,
        {},
        "string",
        {"type": ["string", "null"]},
        {"type": ["string", None]},
        {"type": None},
        {"type": "string", "nullable": True},
        {"type": "array", "items": "string"},
        {"type": "array", "items": ["string", {"type": "integer"}]},
        {"$ref": "#"},
        {"$ref": "#/$defs/a~1b"},
        {"$ref": "#/$defs/a%20c/anyOf/0"},
        {"$ref": "#anchor"},
        {"$ref": "https://example.com/schema.json#/nowhere"},
        {"$id": "https://example.com/x", "$defs": {"y": {}}, "items": {"$ref": "#/$defs/y"}},
        {"$id": "https://example.com/x", "$defs": {"y": {}}, "$ref": "#/$defs/y"},
        {"not": {"enum": []}},
        {"default": {"type": "str", "enum": []}, "examples": [{"$ref": "#/nowhere"}]},
        {"enum": [[]], "const": []},
        {"properties": {"type": {"type": "string"}, "enum": {"type": "array"}, "$ref": {"type": "string"}}},
    ],
)
def test_what_can_be_mended_or_is_elsewhere_is_no_mistake(schema: Any) -> None:
    found = declared({"properties": {"x": schema}, "$defs": {"a/b": {}, "a c": {"anyOf": [{}]}}})
    assert found.parameters["properties"]["x"] == schema


def test_a_schema_that_is_shared_is_checked_once() -> None:
    shared: dict[str, Any] = {"type": "string"}
    for _ in range(12):
        shared = {"anyOf": [shared, shared]}
    assert "shared" in declared({"properties": {"shared": shared}}).parameters["properties"]


# Code that could never be called


def nothing() -> str:
    return ""


def by_name_only(*, args: dict[str, Any]) -> str:
    return ""


def takes_two(args: Any, ctx: Any) -> None: ...


class Box:
    def check(self) -> bool:
        return True

    def handle(self, args: dict[str, Any]) -> str:
        return ""


@pytest.mark.parametrize("handler", [nothing, by_name_only, Box().check])
def test_a_handler_must_take_the_arguments(handler: Any) -> None:
    with pytest.raises(ToolDefinitionError, match=r"handler cannot be called as handler\(args\)") as caught:
        Tool.from_schema(SCHEMA, handler)
    assert "def handler(args, **info)" in (caught.value.remedy or "")


@pytest.mark.parametrize("handler", [answer, takes_two, Box().handle, lambda *args: "", dict, str, print, max])
def test_a_handler_may_take_more_and_may_keep_what_it_takes_to_itself(handler: Callable[..., object]) -> None:
    assert Tool.from_schema(SCHEMA, handler).handler is handler


@pytest.mark.parametrize("assess", [nothing, lambda args: None, lambda args, ctx, more: None, by_name_only])
def test_assess_must_take_the_arguments_and_the_context(assess: Any) -> None:
    error = refused(assess=assess)
    assert "assess(args, ctx)" in str(error)


@pytest.mark.parametrize("field", ["check", "dynamic_schema"])
@pytest.mark.parametrize("function", [takes_two, by_name_only, Box.check, lambda ctx: True])
def test_what_is_asked_without_a_call_takes_nothing(field: str, function: Any) -> None:
    assert f"{field} cannot be called as {field}()" in str(refused(**{field: function}))


def test_code_that_can_be_called_is_accepted_whatever_it_is() -> None:
    made = Tool.from_schema(SCHEMA, answer, check=Box().check, assess=lambda *_: None, dynamic_schema=dict)
    assert made.check is not None
    Tool.from_schema(SCHEMA, answer, check=lambda most=3: True, assess=lambda args, ctx, more=1: None)
