"""What a reviewer would say about a tool, rule by rule."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from hermes_core import Tool, hookimpl, tool
from hermes_kit import check_plugin, check_tool


def rules(declared: Tool) -> list[str]:
    return [remark.rule for remark in check_tool(declared)]


def made(name: str = "look_up", **fields: Any) -> Tool:
    schema = {
        "name": name,
        "description": "Look something up in the book.",
        "parameters": {"type": "object", "properties": {"word": {"type": "string", "description": "What to find."}}},
    }
    return Tool.from_schema(schema, lambda args: "", **{"toolset": "book", **fields})


def test_a_well_made_tool_gets_no_remark() -> None:
    @tool(toolset="book", effects=["write"])
    def save_note(
        text: Annotated[str, Field(description="The note.")],
        kind: Annotated[Literal["idea", "task"], Field(description="What kind of note it is.")] = "idea",
    ) -> str:
        """Save a note for later."""
        return text

    assert check_tool(save_note) == []


def test_arguments_explained_in_the_docstring_are_documented() -> None:
    @tool(toolset="book")
    def look_up(word: str) -> str:
        """Look a word up in the book.

        Args:
            word: What to find.
        """
        return word

    assert check_tool(look_up) == []


@pytest.mark.parametrize(
    ("description", "rule"),
    [("", "description.missing"), ("Looks up.", "description.short"), ("word " * 300, "description.long")],
)
def test_a_description_says_neither_too_little_nor_too_much(description: str, rule: str) -> None:
    assert rules(made(description=description)) == [rule]


def test_every_parameter_needs_a_description_and_a_type() -> None:
    parameters = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"description": "Something."}}}
    schema = {"name": "look_up", "description": "Look something up.", "parameters": parameters}
    remarks = check_tool(Tool.from_schema(schema, lambda args: "", toolset="book"))
    assert [(remark.rule, remark.parameter) for remark in remarks] == [
        ("parameter.undocumented", "a"),
        ("parameter.untyped", "b"),
    ]


def test_a_parameter_is_documented_by_the_model_that_it_refers_to() -> None:
    class Place(BaseModel):
        """Where it is."""

        city: str

    @tool(toolset="book")
    def look_up(place: Place) -> str:
        """Look a place up in the book."""
        return place.city

    assert check_tool(look_up) == []


@pytest.mark.parametrize(
    ("name", "effects", "wanted"),
    [
        ("delete_file", [], "delete"),
        ("remove_user", ["read"], "delete"),
        ("deleteFile", ["write"], "delete"),
        ("write_file", [], "write"),
        ("send_mail", ["network"], "message"),
        ("execute_code", [], "exec"),
        ("delete_file", ["delete"], None),
        ("patch", ["write"], None),
        ("update_or_delete", ["delete"], None),
        ("list_deleted_files", [], None),
        ("look_up", [], None),
    ],
)
def test_what_the_name_promises_is_declared(name: str, effects: list[str], wanted: str | None) -> None:
    remarks = [remark for remark in check_tool(made(name, effects=effects)) if remark.rule == "effects.undeclared"]
    assert [f'effects=["{wanted}"]' in remark.remedy for remark in remarks] == ([True] if wanted else [])


@pytest.mark.parametrize(
    ("name", "better"), [("lookUp", "look_up"), ("look-up", "look_up"), ("LookUPWord", "look_up_word")]
)
def test_a_name_in_another_style_is_spelt_better(name: str, better: str) -> None:
    (remark,) = check_tool(made(name))
    assert remark.rule == "name.style"
    assert better in remark.remedy


def test_a_definition_that_fills_the_context_is_too_large() -> None:
    words = {f"word_{number}": {"type": "string", "description": "A word. " * 5} for number in range(100)}
    parameters = {"type": "object", "properties": words}
    schema = {"name": "look_up", "description": "Look something up.", "parameters": parameters}
    (remark,) = check_tool(Tool.from_schema(schema, lambda args: "", toolset="book"))
    assert remark.rule == "schema.large"
    assert "tokens" in remark.message


def test_a_tool_belongs_to_a_toolset() -> None:
    assert rules(made(toolset="default")) == ["toolset.missing"]


def test_a_remark_reads_as_a_sentence_with_a_remedy() -> None:
    (remark,) = check_tool(made("delete_page"))
    assert str(remark).startswith("delete_page: Its name contains 'delete', but it declares no effects")
    assert str(remark).endswith("[effects.undeclared]")


# -- plugins -----------------------------------------------------------------------------------------------------


def test_a_plugin_is_judged_by_all_its_tools() -> None:
    class Book:
        @hookimpl
        def hermes_tools(self) -> list[Tool]:
            return [made(), made("lookUp"), made("delete_page"), made()]

    assert [(remark.subject, remark.rule) for remark in check_plugin(Book())] == [
        ("lookUp", "name.style"),
        ("delete_page", "effects.undeclared"),
        ("look_up", "name.twice"),
    ]


def test_a_plugin_without_hooks_brings_nothing() -> None:
    class Empty:
        pass

    assert [(remark.subject, remark.rule) for remark in check_plugin(Empty())] == [("Empty", "plugin.empty")]


def test_a_plugin_that_cannot_be_loaded_is_one_remark() -> None:
    class Broken:
        @hookimpl
        def hermes_tools(self) -> list[Tool]:
            raise OSError("the book is lost")

    (remark,) = check_plugin(Broken(), name="book")
    assert (remark.rule, remark.subject) == ("plugin.broken", "book")
    assert "the book is lost" in remark.message


def test_a_plugin_is_reviewed_by_the_value_of_its_entry_point() -> None:
    (remark,) = check_plugin("no_such_module.plugin")
    assert (remark.rule, remark.subject) == ("plugin.broken", "no_such_module.plugin")
    assert "no_such_module" in remark.remedy
    assert [remark.rule for remark in check_plugin("json:JSONEncoder")] == ["plugin.empty"]


def test_text_that_is_cleaned_for_models_is_reported() -> None:
    schema = {
        "name": "look_up",
        "description": "Look a word up.<|im_start|>",
        "parameters": {"type": "object", "properties": {"word": {"type": "string", "description": "The\u200b word"}}},
    }
    remarks = check_tool(Tool.from_schema(schema, lambda args: "{}", toolset="words"))
    assert [(remark.rule, remark.parameter) for remark in remarks] == [("text.unclean", None), ("text.unclean", "word")]
    assert "\\u200b" in remarks[1].message
