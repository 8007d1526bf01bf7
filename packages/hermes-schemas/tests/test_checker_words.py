"""What the checker tells a model: short, true, and enough to send the right thing next."""

from __future__ import annotations

import dataclasses

import pytest

from hermes_schemas.checker import Problem, compile_checker


def only(schema: object, value: object) -> Problem:
    (found,) = compile_checker(schema).find_problems(value)
    return found


SEARCH = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What to look for."},
        "max_results": {"type": "integer", "minimum": 1},
        "mode": {"enum": ["fast", "thorough"]},
    },
    "required": ["query"],
    "additionalProperties": False,
}


def test_a_wrong_type_says_what_was_sent_and_what_to_send() -> None:
    found = only(SEARCH, {"query": "x", "max_results": "many"})
    assert found.path == "max_results"
    assert found.message == 'Expected an integer but got a string: "many".'
    assert found.hint == "Send an integer, for example 1."


def test_a_missing_property_comes_with_its_description_and_an_example() -> None:
    found = only(SEARCH, {})
    assert (found.path, found.rule) == ("query", "required")
    assert found.hint == 'Add "query" ("What to look for."), for example {"query": "text"}.'


def test_a_misspelt_property_names_the_one_that_was_meant() -> None:
    found = only(SEARCH, {"query": "x", "max_result": 3})
    assert found.rule == "additionalProperties"
    assert found.hint == 'Did you mean "max_results"? Otherwise remove it.'


def test_an_unknown_property_lists_the_known_ones() -> None:
    found = only(SEARCH, {"query": "x", "zzz": 3})
    assert found.hint == 'Remove it. The known properties are "query", "max_results", "mode".'


def test_a_wrong_choice_names_the_nearest_and_all_allowed_ones() -> None:
    found = only(SEARCH, {"query": "x", "mode": "thorogh"})
    assert found.hint == 'Did you mean "thorough"? Send one of: "fast", "thorough".'


def test_a_union_is_explained_by_the_branch_the_value_was_meant_for() -> None:
    shapes = {
        "oneOf": [
            {"properties": {"kind": {"const": "url"}, "url": {"type": "string"}}, "required": ["kind", "url"]},
            {"properties": {"kind": {"const": "file"}, "path": {"type": "string"}}, "required": ["kind", "path"]},
        ]
    }
    assert [found.path for found in compile_checker(shapes).find_problems({"kind": "file"})] == ["path"]
    optional = {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}
    assert [found.path for found in compile_checker(optional).find_problems([1, "x"])] == ["[1]"]


def test_a_union_nothing_points_into_lists_its_branches() -> None:
    found = only({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x")
    assert found.message == 'Expected an integer or null but got a string: "x".'


@pytest.mark.parametrize(
    "value",
    ["x" * 100_000, ["y"] * 100_000, {"k" * 100_000: 1}, 10**10_000, object(), [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]],
    ids=["text", "array", "key", "integer", "object", "depth"],
)
def test_large_and_strange_values_are_shown_in_short(value: object) -> None:
    found = only({"type": "boolean"}, value)
    assert len(found.message) < 150
    assert found.message.isprintable()


def test_no_more_problems_are_listed_than_asked_for() -> None:
    checker = compile_checker({"items": {"type": "string"}})
    assert len(checker.find_problems(list(range(1000)))) == 5
    assert len(checker.find_problems(list(range(1000)), limit=2)) == 2
    assert checker.find_problems([1], limit=0) == ()


def test_one_fault_is_told_once_even_when_many_parts_of_the_schema_see_it() -> None:
    part = {"required": ["a"]}
    assert len(compile_checker({"allOf": [part, part, {"required": ["a"]}]}).find_problems({})) == 1


def test_a_problem_is_a_value_and_reads_as_a_sentence() -> None:
    found = only(SEARCH, {"query": 1})
    assert str(found) == 'query: Expected a string but got an integer: 1. Send a string, for example "text".'
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.path = "elsewhere"  # type: ignore[misc]
