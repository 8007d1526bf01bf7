"""A manifest made from code says what the code says, and every difference between the two is named."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from hermes_core import Tool, Toolset, ToolSpec, hookimpl
from hermes_core.plugins.contributions import Contribution
from hermes_core.plugins.generated_manifest import describe_tool, differences, make_manifest, manifest_text
from hermes_core.plugins.manifest import Manifest, read_manifest
from hermes_core.plugins.plugin_import import load
from hermes_core.plugins.plugin_records import Candidate
from hermes_core.tools.lazy_tool import TOOL_KEYS, lazy_tool
from hermes_core.tools.tool_spec import EFFECTS, SPEC_FIELDS, LazyHandler


class TodoStore:
    """A service of the application."""


class Table(BaseModel):
    """The settings of a table."""

    seats: int = 4
    name: str = "round"


def handler(args: dict[str, Any]) -> dict[str, Any]:
    return args


SCHEMA = {
    "name": "roll",
    "description": "Roll a die.",
    "parameters": {"type": "object", "properties": {"sides": {"type": "integer", "default": 6}}, "required": ["sides"]},
}
FULL = Tool.from_schema(
    SCHEMA,
    handler,
    toolset="dice",
    is_async=True,
    requires_env=["KEY"],
    requires_bin=["git"],
    requires_extra=["dice-tools[fast]"],
    effects=["read", "network"],
    emoji="🎲",
    max_result_size_chars=math.inf,
    timeout=2.5,
    argument_aliases={"n": "sides"},
    aliases=["throw"],
    always_load=True,
    needs=["clock", TodoStore],
    keywords=["chance"],
    calls=["count"],
    check=lambda: True,
    assess=lambda _args, _ctx: None,
    dynamic_schema=lambda: None,
)


class Full:
    """A plugin with everything."""

    hermes_api = ">=1.0,<1.5"

    @hookimpl
    def hermes_tools(self) -> list[Tool]:
        return [FULL, Tool.from_schema({"name": "bare"}, handler, toolset="dice")]

    @hookimpl
    def hermes_toolsets(self) -> list[Toolset]:
        return [
            Toolset("games", description="Games.", tools=["roll"], includes=["web"], aliases=["play"]),
            Toolset("bare", tools=["bare"]),
        ]

    @hookimpl
    def hermes_settings(self) -> dict[str, Any]:
        return {"table": Table, "chair": {"type": "object", "properties": {"legs": {"type": "integer", "default": 4}}}}

    @hookimpl
    def hermes_commands(self) -> list[click.Command]:
        return [click.Command("shuffle", help="Shuffle the cards.\n\nTwice."), click.Command("bare")]

    @hookimpl
    def hermes_providers(self) -> dict[str, Any]:
        return {"engine": {"b": object, "a": object}, "empty": {}}

    @hookimpl
    def hermes_post_tool_call(self, record: Any) -> None: ...


def brought_by(plugin: object) -> Contribution:
    return load(Candidate(name="dice", origin="test", load=lambda: plugin))


def made_by(plugin: object) -> dict[str, Any]:
    return make_manifest("dice", brought_by(plugin))


def read(made: dict[str, Any]) -> Manifest:
    found = read_manifest("dice", manifest_text(made).encode(), "dice.json")
    assert found is not None
    return found


def test_a_manifest_holds_everything_that_can_be_known_without_code() -> None:
    made = made_by(Full())
    assert list(made) == [
        "manifest",
        "plugin",
        "api",
        "hooks",
        "tools",
        "toolsets",
        "settings",
        "commands",
        "providers",
    ]
    assert made["manifest"] == 1
    assert (made["plugin"], made["api"]) == ("dice", ">=1.0,<1.5")
    assert set(made["hooks"]) == {name for name in vars(Full) if name.startswith("hermes_")} - {"hermes_api"}
    bare, roll = made["tools"]
    assert bare == {"name": "bare", "toolset": "dice", "parameters": {"type": "object", "properties": {}}}
    assert roll == {
        "name": "roll",
        "toolset": "dice",
        "parameters": SCHEMA["parameters"],
        "description": "Roll a die.",
        "is_async": True,
        "requires_env": ["KEY"],
        "requires_bin": ["git"],
        "requires_extra": ["dice-tools[fast]"],
        "effects": ["network", "read"],
        "emoji": "🎲",
        "max_result_size_chars": "unlimited",
        "timeout": 2.5,
        "argument_aliases": {"n": "sides"},
        "aliases": ["throw"],
        "always_load": True,
        "needs": ["clock", f"{__name__}.TodoStore"],
        "keywords": ["chance"],
        "calls": ["count"],
        "code": ["check", "assess", "dynamic_schema"],
    }
    assert made["toolsets"] == [
        {"name": "bare", "tools": ["bare"]},
        {"name": "games", "description": "Games.", "tools": ["roll"], "includes": ["web"], "aliases": ["play"]},
    ]
    assert [section["name"] for section in made["settings"]] == ["chair", "table"]
    assert made["settings"][1]["schema"]["properties"]["seats"]["default"] == 4
    assert made["commands"] == [{"name": "bare", "help": ""}, {"name": "shuffle", "help": "Shuffle the cards."}]
    assert made["providers"] == {"empty": [], "engine": ["a", "b"]}


def test_a_tool_entry_knows_every_field_of_a_tool() -> None:
    optional = {"source", "in_every_scope"}  # which no tool with effects can have
    assert describe_tool(FULL).keys() | optional == TOOL_KEYS == {*SPEC_FIELDS, "code", "source"}


def test_a_plugin_without_anything_has_a_short_manifest() -> None:
    made = made_by(object())
    assert made == {"manifest": 1, "plugin": "dice", "api": ">=1.0,<2"}
    assert differences(read(made), made) == []


def test_a_fresh_manifest_does_not_differ_from_its_code() -> None:
    made = made_by(Full())
    assert differences(read(made), made_by(Full())) == []


def test_the_text_is_the_same_each_time_and_for_people() -> None:
    text = manifest_text(made_by(Full()))
    assert text == manifest_text(made_by(Full()))
    assert "🎲" in text
    assert text.endswith("}\n")
    assert json.loads(text) == made_by(Full())


# There and back


def comparable(spec: ToolSpec) -> dict[str, Any]:
    return {field: getattr(spec, field) for field in SPEC_FIELDS}


def there_and_back(tool: Tool) -> Tool:
    return lazy_tool(json.loads(json.dumps(describe_tool(tool))), LazyHandler("dice"))


def test_a_tool_from_a_manifest_has_every_field_of_the_real_one() -> None:
    real = comparable(FULL.spec)
    real["needs"] = ("clock", f"{__name__}.TodoStore")
    assert comparable(there_and_back(FULL).spec) == real


word = st.text("abcdefgh_", min_size=1, max_size=8)
words = st.lists(word, max_size=3, unique=True)
kind = st.fixed_dictionaries({"type": st.sampled_from(["string", "integer"])})
amount = st.integers(1, 10**6) | st.floats(0.001, 10**6) | st.just(math.inf)


@settings(max_examples=150, deadline=None)
@given(
    fields=st.fixed_dictionaries(
        {},
        optional={
            "description": st.text(st.characters(codec="utf-8"), max_size=40),
            "is_async": st.just(True),
            "requires_env": words,
            "requires_bin": words,
            "requires_extra": words,
            "effects": st.sets(st.sampled_from(sorted(EFFECTS))),
            "emoji": st.text(st.characters(codec="utf-8"), max_size=3),
            "max_result_size_chars": amount,
            "timeout": st.none() | amount,
            "argument_aliases": st.dictionaries(word, st.just("Sides"), max_size=2),
            "aliases": words,
            "always_load": st.booleans(),
            "needs": words,
            "keywords": words,
            "calls": words,
        },
    ),
    properties=st.dictionaries(
        word, st.fixed_dictionaries({"type": st.sampled_from(["string", "integer"])}), max_size=3
    ),
)
def test_any_tool_comes_back_as_it_was(fields: dict[str, Any], properties: dict[str, Any]) -> None:
    for alias in fields.get("argument_aliases", ()):
        properties.pop(alias, None)
    schema = {
        "name": "The-Tool",
        "parameters": {"type": "object", "properties": {**properties, "Sides": {}}},
    }
    real = Tool.from_schema(schema, handler, toolset="dice", **fields)
    back = there_and_back(real)
    assert comparable(back.spec) == comparable(real.spec)
    assert describe_tool(back) == describe_tool(real)


def test_a_typed_function_comes_back_as_it_was() -> None:
    def search(query: str, *, limit: int = 5, tags: list[str] | None = None) -> str:
        """Search the web.

        Args:
            query: What to look for.
            limit: How many answers.
            tags: Only with these.
        """
        return query

    real = Tool.from_function(search, toolset="web", effects=["network"])
    assert comparable(there_and_back(real).spec) == comparable(real.spec)


# Differences

Change = Callable[[dict[str, Any]], Any]


def tool_field(field: str, value: Any) -> Change:
    def change(made: dict[str, Any]) -> None:
        made["tools"][1][field] = value

    return change


def drop(*path: Any) -> Change:
    def change(made: dict[str, Any]) -> None:
        inside: Any = made
        for step in path[:-1]:
            inside = inside[step]
        del inside[path[-1]]

    return change


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("toolset", "other"),
        ("parameters", {"type": "object", "properties": {"sides": {"type": "number"}}}),
        ("description", "Other."),
        ("is_async", False),
        ("requires_env", ["KEY", "OTHER"]),
        ("requires_bin", ["hg"]),
        ("requires_extra", ["dice-tools[slow]"]),
        ("effects", ["read"]),
        ("emoji", "x"),
        ("max_result_size_chars", 5),
        ("timeout", 3),
        ("argument_aliases", {"m": "sides"}),
        ("aliases", ["cast"]),
        ("always_load", False),
        ("needs", ["clock"]),
        ("keywords", ["luck"]),
        ("calls", ["other"]),
        ("code", ["check"]),
    ],
)
def test_every_field_of_a_tool_that_changed_is_named(field: str, value: Any) -> None:
    made = made_by(Full())
    tool_field(field, value)(made)
    assert differences(read(made), made_by(Full())) == [f"tool 'roll' differs in its {field}."]
    del made["tools"][1][field]
    if field != "toolset":
        assert differences(read(made), made_by(Full())) == [f"tool 'roll' differs in its {field}."]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda made: made.update(api=">=1.0,<2"), "it declares API '>=1.0,<2', but the code '>=1.0,<1.5'."),
        (drop("tools", 0), "tool 'bare' is not in it."),
        (
            lambda made: made["tools"].append({**made["tools"][0], "name": "old"}),
            "tool 'old' is in it, but not in the code.",
        ),
        (drop("toolsets", 1), "toolset 'games' is not in it."),
        (lambda made: made["toolsets"].append({"name": "old"}), "toolset 'old' is in it, but not in the code."),
        (drop("toolsets", 1, "tools"), "toolset 'games' differs in its tools."),
        (drop("toolsets", 1, "includes"), "toolset 'games' differs in its includes."),
        (drop("toolsets", 1, "aliases"), "toolset 'games' differs in its aliases."),
        (drop("toolsets", 1, "description"), "toolset 'games' differs in its description."),
        (drop("settings", 0), "section 'chair' is not in it."),
        (
            lambda made: made["settings"].append({"name": "old", "schema": {}}),
            "section 'old' is in it, but not in the code.",
        ),
        (drop("settings", 1, "schema", "properties", "seats"), "section 'table' differs in its schema."),
        (drop("commands", 0), "command 'bare' is not in it."),
        (lambda made: made["commands"].append({"name": "old"}), "command 'old' is in it, but not in the code."),
        (drop("commands", 1, "help"), "command 'shuffle' differs in its help."),
        (drop("hooks", 0), "hook hermes_tools is not in it."),
        (
            lambda made: made["hooks"].append("hermes_session_end"),
            "hook hermes_session_end is in it, but not in the code.",
        ),
        (drop("providers", "engine"), "it lists other providers than the code."),
        (lambda made: made["providers"]["engine"].append("old"), "it lists other providers than the code."),
        (drop("providers"), "it lists other providers than the code."),
    ],
)
def test_every_other_part_that_changed_is_named(change: Change, sentence: str) -> None:
    made = made_by(Full())
    change(made)
    assert differences(read(made), made_by(Full())) == [sentence]


def test_several_fields_of_one_tool_are_named_together() -> None:
    made = made_by(Full())
    made["tools"][1].update(timeout=3, effects=["read"])
    assert differences(read(made), made_by(Full())) == ["tool 'roll' differs in its effects and timeout."]


def test_the_order_of_providers_does_not_matter() -> None:
    made = made_by(Full())
    made["providers"]["engine"].reverse()
    assert differences(read(made), made_by(Full())) == []
