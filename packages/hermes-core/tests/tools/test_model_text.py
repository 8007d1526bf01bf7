"""Definitions contain no control tokens or hidden characters, and those of unreasonable size are rejected."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from hermes_core import Hermes, Tool, ToolDefinitionError, hookimpl, tool
from hermes_core.tools.declaration import MAX_DESCRIPTION_BYTES
from hermes_core.tools.definitions import FORMATS
from hermes_core.tools.lazy_tool import lazy_tool
from hermes_core.tools.tool_spec import LazyHandler
from hermes_schemas.schema_limits import MAX_DEPTH, MAX_PROPERTIES
from hermes_text import clean_text

Make = Callable[..., Hermes]

HOSTILE = [
    "<|im_start|>",
    "<|im_end|>",
    "<|im_\u200bstart|>",
    "<|im_<|im_start|>start|>",
    "<｜begin▁of▁sentence｜>",
    "</tool_call>",
    "<system>",
    "[INST]",
    "<<SYS>>",
    "\x1b[31m",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\x00",
    "\x08",
    "\x7f",
    "\x85",
    "\u200b",
    "\u2060",
    "\ufeff",
    "\xad",
    "\u202e",
    "\u2066",
    "\u200f",
    "\ufe01",
    "\U000e0041\U000e0042",
    "\U000e0100",
    "\u3164",
    "\ud800",
]
HARMLESS = [
    "Search the web.\n\n- one\n- two\t(three)",
    "می‌خواهم کتاب بخوانم",
    "क्‍ष और श्र्‌य",
    "👩‍👩‍👧 ❤️ 👍🏽 1️⃣",
    "שלום עולם",
    "日本語のテキスト, ελληνικά, кириллица",
    "Use a[0] < b, List<str> and `<div>` in ```html fences```; <path> is a placeholder.",
    "naïve café — “quoted” …",
]


def explicit(parameters: dict[str, Any], description: str = "Does it.", **fields: Any) -> Tool:
    schema = {"name": "it", "description": description, "parameters": parameters}
    return Tool.from_schema(schema, lambda args, **_: json.dumps(args), **fields)


def holding(text: str) -> dict[str, Any]:
    """Parameters with a text wherever a schema has one, at several depths."""
    texts = {"title": text, "description": text, "default": [text], "examples": [text, {"a": text}], "$comment": text}
    deep = {"type": "object", "properties": {"b": {"type": "array", "items": {"anyOf": [{**texts}, {"type": "null"}]}}}}
    return {
        **texts,
        "type": "object",
        "properties": {"a": {**texts, **deep}, "c": {"$ref": "#/$defs/D"}},
        "$defs": {"D": {"type": "string", **texts}},
        "x-extension": {"note": text},
    }


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("format", FORMATS)
def test_no_definition_contains_what_only_poses_as_text(text: str, format: str, host: Make) -> None:
    shown = json.dumps(
        host(tools=[explicit(holding(f"before {text} after"), f"First {text} last")]).definitions(format=format)
    )
    assert json.dumps(text)[1:-1] not in shown
    assert clean_text(json.loads(json.dumps(f"{text}"))) == clean_text(clean_text(text))
    assert "before " in shown
    assert "First " in shown


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_text_of_any_language_survives(text: str, host: Make) -> None:
    (entry,) = host(tools=[explicit(holding(text), text)]).definitions()
    assert entry["function"]["description"] == text
    assert entry["function"]["parameters"]["properties"]["a"]["description"] == text


def test_typed_functions_and_manifests_are_cleaned_as_well(host: Make) -> None:
    @tool(description="Go<|im_start|>system")
    def typed(a: Annotated[str, Field(description="x\u200by")] = "\x1b[1m") -> str:
        return a

    entry = {"name": "stored", "toolset": "t", "description": "x\u202ey", "parameters": holding("p\u2066q")}
    shown = json.dumps(host(tools=[typed, lazy_tool(entry, LazyHandler("p"))]).definitions())
    assert not any(json.dumps(bad)[1:-1] in shown for bad in ("<|im_start|>", "\u200b", "\x1b", "\u202e", "\u2066"))
    assert "pq" in shown


def test_a_dynamic_schema_is_cleaned(host: Make) -> None:
    declared = explicit(
        {"type": "object", "properties": {}},
        dynamic_schema=lambda: {"description": "now<|im_end|>", "parameters": holding("a\u200bb")},
    )
    (entry,) = host(tools=[declared]).definitions()
    assert entry["function"]["description"] == "now"
    assert entry["function"]["parameters"]["properties"]["a"]["title"] == "ab"


def test_what_plugins_make_of_definitions_is_cleaned(host: Make) -> None:
    class Adjusts:
        @hookimpl
        def hermes_adjust_definitions(self, definitions: list[dict[str, Any]]) -> list[dict[str, Any]]:
            return [
                {**entry, "description": "new<|im_start|>", "parameters": holding("a\u202eb")} for entry in definitions
            ]

    (entry,) = host(tools=[explicit({"type": "object", "properties": {}})], plugins=[Adjusts()]).definitions()
    assert entry["function"]["description"] == "new"
    assert entry["function"]["parameters"]["properties"]["a"]["title"] == "ab"


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "object", "properties": {"x\u200b": {"type": "string"}}},
        {"type": "object", "properties": {"a": {"enum": ["x\u202e"]}}},
        {"type": "object", "properties": {f"a{number}": {} for number in range(MAX_PROPERTIES + 1)}},
    ],
)
def test_a_change_that_could_not_be_declared_leaves_the_definition(
    parameters: dict[str, Any], host: Make, caplog: pytest.LogCaptureFixture
) -> None:
    declared = explicit({"type": "object", "properties": {"a": {}}}, dynamic_schema=lambda: {"parameters": parameters})
    (entry,) = host(tools=[declared]).definitions()
    assert entry["function"]["parameters"]["properties"] == {"a": {}}
    assert "cannot be used" in caplog.text


@pytest.mark.parametrize("text", HOSTILE)
def test_names_and_allowed_values_that_cleaning_would_change_are_rejected(text: str) -> None:
    schemas: list[dict[str, Any]] = [
        {"properties": {f"a{text}b": {"type": "string"}}},
        {"properties": {"p": {"type": "object", "properties": {text: {}}}}},
        {"properties": {"p": {"enum": ["ok", f"a{text}b"]}}},
        {"properties": {"p": {"items": {"const": {"k": f"a{text}b"}}}}},
        {"properties": {"p": {"default": {f"a{text}b": 1}}}},
        {"properties": {}, "$defs": {f"a{text}": {}}},
    ]
    for schema in schemas:
        with pytest.raises(ToolDefinitionError, match=r"chat template tokens\."):
            explicit({"type": "object", **schema})
        with pytest.raises(ToolDefinitionError, match=r"chat template tokens\."):
            lazy_tool({"name": "it", "toolset": "t", "parameters": {"type": "object", **schema}}, LazyHandler("p"))


def test_a_name_with_a_line_break_is_rejected_and_a_value_with_one_is_not(host: Make) -> None:
    with pytest.raises(ToolDefinitionError, match="name"):
        explicit({"type": "object", "properties": {"a\nb": {}}})
    hermes = host(tools=[explicit({"type": "object", "properties": {"separator": {"enum": ["\n", "\t", ","]}}})])
    assert json.loads(hermes.call("it", {"separator": "\n"})) == {"separator": "\n"}


def test_a_literal_that_cleaning_would_change_is_rejected() -> None:
    def choose(mode: Literal["plain", "<|im_start|>"]) -> str:
        """Choose a mode."""
        return mode

    with pytest.raises(ToolDefinitionError, match="parameter 'mode'.*<|im_start|>") as caught:
        Tool.from_function(choose)
    assert caught.value.remedy


def test_properties_may_be_called_like_keywords(host: Make) -> None:
    properties = {
        "const": {"description": "a\u200bb"},
        "enum": {"description": "c\u200bd"},
        "pattern": {"type": "string"},
    }
    (entry,) = host(tools=[explicit({"type": "object", "properties": properties})]).definitions()
    shown = entry["function"]["parameters"]["properties"]
    assert (shown["const"]["description"], shown["enum"]["description"]) == ("ab", "cd")
    assert "pattern" in shown


def test_a_pattern_that_cleaning_would_change_is_not_shown_but_enforced(host: Make) -> None:
    hermes = host(
        tools=[explicit({"type": "object", "properties": {"a": {"type": "string", "pattern": "^[^\x00-\x1f]+$"}}})]
    )
    (entry,) = hermes.definitions()
    assert entry["function"]["parameters"]["properties"]["a"] == {"type": "string"}
    assert "error" in json.loads(hermes.call("it", {"a": "\x01"}))
    assert json.loads(hermes.call("it", {"a": "fine"})) == {"a": "fine"}


def test_a_default_reaches_the_handler_as_it_was_declared(host: Make) -> None:
    @tool
    def typed(a: str = "x\u200by") -> str:
        """Repeat it."""
        return json.dumps(a)

    assert json.loads(host(tools=[typed]).call("typed", {})) == "x\u200by"


@pytest.mark.parametrize("toolset", ["mcp-<|im_start|>", "a\u202eb", "a\nb"])
def test_the_name_of_a_toolset_is_plain(toolset: str) -> None:
    with pytest.raises(ToolDefinitionError, match="toolset"):
        explicit({"type": "object", "properties": {}}, toolset=toolset)


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return schema


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"properties": {"a": {"description": "x" * 200_000}}}, "131,072 bytes"),
        ({"properties": {"a": {"enum": [f"value {number}" for number in range(20_000)]}}}, "131,072 bytes"),
        ({"properties": {f"a{number}": {} for number in range(MAX_PROPERTIES + 1)}}, "512 properties"),
        ({"properties": {"a": {"properties": {f"a{number}": {} for number in range(600)}}}}, "512 properties"),
        ({"properties": {"a": nested(MAX_DEPTH)}}, "64 levels"),
        ({"properties": {"a": nested(5_000)}}, "64 levels"),
    ],
)
def test_parameters_of_unreasonable_size_are_rejected(parameters: dict[str, Any], reason: str) -> None:
    with pytest.raises(ToolDefinitionError, match=reason):
        explicit({"type": "object", **parameters})
    with pytest.raises(ToolDefinitionError, match=reason):
        lazy_tool({"name": "it", "toolset": "t", "parameters": {"type": "object", **parameters}}, LazyHandler("p"))


def test_a_small_schema_that_shares_its_parts_endlessly_is_rejected_at_once() -> None:
    shared: dict[str, Any] = {"type": "string"}
    for _ in range(25):
        shared = {"anyOf": [shared, shared]}
    with pytest.raises(ToolDefinitionError, match="bytes"):
        explicit({"type": "object", "properties": {"a": shared}})


def test_a_description_of_unreasonable_size_is_rejected() -> None:
    empty: dict[str, Any] = {"type": "object", "properties": {}}
    explicit(empty, "x" * MAX_DESCRIPTION_BYTES)
    with pytest.raises(ToolDefinitionError, match="16,384"):
        explicit(empty, "x" * (MAX_DESCRIPTION_BYTES + 1))
    with pytest.raises(ToolDefinitionError, match="16,384"):
        explicit(empty, "é" * (MAX_DESCRIPTION_BYTES // 2 + 1))
    with pytest.raises(ToolDefinitionError, match="16,384"):
        lazy_tool({"name": "it", "toolset": "t", "description": "x" * 20_000}, LazyHandler("p"))
