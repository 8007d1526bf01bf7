"""Reading what a search compares out of definitions, good ones and junk."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_search.ranking.stems import stem
from hermes_search.ranking.tool_fields import FIELDS, read_fields


def _words(definition: object, field: str) -> set[str]:
    fields = read_fields(definition)
    assert fields is not None
    return set(fields.words[FIELDS.index(field)])


def test_wrapped_and_flat_definitions_read_the_same() -> None:
    flat = {"name": "send_mail", "description": "Send mail. To anybody.", "parameters": {"properties": {"to": {}}}}
    assert read_fields(flat) == read_fields({"type": "function", "function": flat})


def test_the_first_sentence_is_the_summary() -> None:
    definition = {"name": "x", "description": "Sends letters. Needs stamps."}
    assert _words(definition, "summary") == {stem("sends"), stem("letters")}
    assert stem("stamps") in _words(definition, "description")


def test_parameters_are_read_through_objects_lists_and_alternatives() -> None:
    inner = {"type": "object", "properties": {"zipcode": {"description": "Postal area", "enum": ["north"]}}}
    schema = {
        "properties": {"address": inner, "rows": {"items": {"properties": {"cell": {}}}}, "any": {"anyOf": [inner]}}
    }
    definition = {"name": "x", "parameters": schema}
    assert {stem("address"), stem("zipcode"), stem("cell")} <= _words(definition, "parameters")
    assert {stem("postal"), stem("north")} <= _words(definition, "parameter descriptions")


def test_parameters_in_a_list_are_read_by_their_names() -> None:
    listed = [{"name": "zipcode", "description": "Postal area"}, {"name": 5}, None, "loose"]
    for parameters in (listed, {"type": "object", "properties": listed}):
        definition = {"name": "x", "parameters": parameters}
        assert _words(definition, "parameters") == {stem("zipcode")}
        assert stem("postal") in _words(definition, "parameter descriptions")


def test_an_mcp_tool_as_its_server_sends_it_is_read_too() -> None:
    definition = {"name": "x", "inputSchema": {"properties": {"zipcode": {}}}}
    assert _words(definition, "parameters") == {stem("zipcode")}


def test_keywords_come_from_the_definition_and_from_outside() -> None:
    fields = read_fields({"name": "x", "keywords": ["invoice"]}, {"x": ["receipt"], "y": ["other"]})
    assert fields is not None
    assert fields.words[FIELDS.index("keywords")] == [stem("invoice"), stem("receipt")]


@pytest.mark.parametrize("junk", [None, 3, "text", [], {}, {"name": ""}, {"name": " "}, {"name": 5}, {"function": {}}])
def test_what_has_no_name_has_no_fields(junk: object) -> None:
    assert read_fields(junk) is None


def test_a_schema_that_contains_itself_is_read_once_and_ended() -> None:
    schema: dict[str, Any] = {"properties": {}}
    schema["properties"]["child"] = schema
    assert _words({"name": "x", "parameters": schema}, "parameters") == {stem("child")}


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["name", "description", "parameters", "keywords", "function"]), _JSON))
def test_no_junk_raises(junk: dict[str, Any]) -> None:
    fields = read_fields(junk)
    assert fields is None or fields.name.strip()


@given(_JSON, _JSON, _JSON)
def test_junk_beside_a_name_costs_nothing_but_itself(description: Any, parameters: Any, keywords: Any) -> None:
    fields = read_fields({"name": "tea", "description": description, "parameters": parameters, "keywords": keywords})
    assert fields is not None
    assert fields.words[0] == ["tea"]


def test_parameters_that_are_defined_beside_the_schema_are_read() -> None:
    schema = {
        "properties": {
            "to": {"$ref": "#/$defs/Address"},
            "labels": {"additionalProperties": {"properties": {"hue": {}}}},
        },
        "$defs": {"Address": {"properties": {"zipcode": {}}}},
    }
    assert {stem("zipcode"), "hue"} <= _words({"name": "x", "parameters": schema}, "parameters")


def test_alternatives_within_alternatives_are_read_no_further_than_to_a_bound() -> None:
    schema: dict[str, Any] = {"properties": {"leaf": {}}}
    for _ in range(7):
        schema = {"anyOf": [schema] * 8, "oneOf": [schema] * 8, "allOf": [schema] * 8}
    looked: list[str] = []

    class Counting(dict[str, Any]):
        def get(self, key: str, default: Any = None) -> Any:
            looked.append(key)
            return super().get(key, default)

    def counting(node: Any, depth: int) -> Any:
        if not isinstance(node, dict) or depth == 3:
            return node
        return Counting({key: [counting(node[key][0], depth + 1)] * 8 for key in node})

    read_fields({"name": "x", "parameters": counting(schema, 0)})
    assert len(looked) < 20_000
