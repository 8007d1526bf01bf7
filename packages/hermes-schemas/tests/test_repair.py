"""Arguments that nearly fit are made to fit; what cannot be repaired without guessing stays as it was sent."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest

from hermes_schemas.repair import Repair, Repaired, Repairer, repair_arguments

INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
BOOLEAN = {"type": "boolean"}
STRING = {"type": "string"}
ARRAY = {"type": "array"}
OBJECT = {"type": "object"}
NULL = {"type": "null"}


def tool(_required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(_required)}


def kinds(repaired: Repaired) -> list[tuple[str, str]]:
    return [(repair.path, repair.kind) for repair in repaired.repairs]


def same_and_same_type(left: object, right: object) -> bool:
    return left == right and repr(left) == repr(right)


# What upstream coerces, and how. Required, so that a null is kept.
UPSTREAM: list[tuple[dict[str, Any], object, object]] = [
    (INTEGER, "42", 42),
    (INTEGER, "-7", -7),
    (INTEGER, "0", 0),
    (INTEGER, "3.0", 3),
    (INTEGER, "3.5", "3.5"),
    (NUMBER, "3.5", 3.5),
    (NUMBER, "3.0", 3),
    (NUMBER, "42", 42),
    (INTEGER, "123456789012345678901234567890", 123456789012345678901234567890),
    (INTEGER, "1e3", 1000),
    (NUMBER, "1.5e-3", 0.0015),
    (NUMBER, "inf", "inf"),
    (NUMBER, "-inf", "-inf"),
    (NUMBER, "nan", "nan"),
    (INTEGER, "inf", "inf"),
    (BOOLEAN, "true", True),
    (BOOLEAN, " TRUE ", True),
    (BOOLEAN, "False", False),
    (BOOLEAN, "1", "1"),
    (BOOLEAN, "0", "0"),
    (BOOLEAN, "yes", "yes"),
    (INTEGER, "", ""),
    (BOOLEAN, "", ""),
    (INTEGER, "many", "many"),
    ({"type": ["integer", "boolean"]}, "true", True),
    ({"type": ["boolean", "integer"]}, "5", 5),
    ({"type": ["integer", "string"]}, "5", "5"),
    ({"type": ["integer", "string"]}, "word", "word"),
    (ARRAY, '["a", "b"]', ["a", "b"]),
    (ARRAY, "['a','b']", ["a", "b"]),
    (OBJECT, '{"a": 1}', {"a": 1}),
    (OBJECT, "[1]", "[1]"),
    (OBJECT, "{broken", "{broken"),
    (ARRAY, '{"a": 1}', ['{"a": 1}']),
    (ARRAY, "[broken", ["[broken"]),
    (ARRAY, "https://a.com", ["https://a.com"]),
    (ARRAY, 5, [5]),
    (ARRAY, {"a": 1}, [{"a": 1}]),
    (ARRAY, None, None),
    (INTEGER, None, None),
    (ARRAY, ["1"], ["1"]),
    ({"type": ["array", "null"]}, "null", None),
    ({"type": "object", "nullable": True}, "null", None),
    ({"anyOf": [OBJECT, NULL]}, "null", None),
    ({}, "5", "5"),
]


@pytest.mark.parametrize(("schema", "sent", "expected"), UPSTREAM)
def test_every_coercion_of_upstream_holds(schema: dict[str, Any], sent: object, expected: object) -> None:
    repaired = repair_arguments(tool(("x",), x=schema), {"x": sent})
    assert same_and_same_type(repaired.args, {"x": expected})
    assert bool(repaired.repairs) is not same_and_same_type(sent, expected)


BETTER: list[tuple[dict[str, Any], object, object, list[tuple[str, str]]]] = [
    # Numbers: exact, and only what is written in plain digits.
    (INTEGER, " 12 ", 12, [("x", "string_to_integer")]),
    (INTEGER, "9007199254740993.0", 9007199254740993, [("x", "string_to_integer")]),
    (NUMBER, "123456789012345678901234567890", 123456789012345678901234567890, [("x", "string_to_number")]),
    (INTEGER, "1e4000", 10**4000, [("x", "string_to_integer")]),
    (INTEGER, "1e999999999", "1e999999999", []),
    (INTEGER, "9" * 5000, "9" * 5000, []),
    (NUMBER, "1e400", "1e400", []),
    (NUMBER, "1e300", 1e300, [("x", "string_to_number")]),
    (NUMBER, "1e-400", "1e-400", []),
    (INTEGER, "1,000", "1,000", []),
    (INTEGER, "1_000", "1_000", []),
    (INTEGER, "0x1f", "0x1f", []),
    (INTEGER, "１２", "１２", []),
    (INTEGER, ".", ".", []),
    (NUMBER, "e5", "e5", []),
    (NUMBER, "Infinity", "Infinity", []),
    ({"type": "integer", "minimum": 10}, "5", 5, [("x", "string_to_integer")]),
    # No float takes the place of a number that it does not hold.
    (NUMBER, "0.1", 0.1, [("x", "string_to_number")]),
    (NUMBER, "3.50", 3.5, [("x", "string_to_number")]),
    (NUMBER, "1e-7", 1e-7, [("x", "string_to_number")]),
    (NUMBER, "-.25", -0.25, [("x", "string_to_number")]),
    (NUMBER, "0.12345678901234566", 0.12345678901234566, [("x", "string_to_number")]),
    (NUMBER, "0.25000000000000000000000000000", 0.25, [("x", "string_to_number")]),
    (NUMBER, "2.2250738585072014e-308", 2.2250738585072014e-308, [("x", "string_to_number")]),
    (NUMBER, "5e-324", 5e-324, [("x", "string_to_number")]),
    (NUMBER, "4.9e-324", "4.9e-324", []),
    (NUMBER, "12345678901234567890.5", "12345678901234567890.5", []),
    (NUMBER, "0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827", []),
    (NUMBER, "123456789012345.678901", "123456789012345.678901", []),
    (NUMBER, "9007199254740993.1", "9007199254740993.1", []),
    (NUMBER, "12345678901234567891e3", "12345678901234567891e3", []),
    # Text is made of numbers and truth values only where nothing but text is wanted.
    (STRING, 7030, "7030", [("x", "number_to_string")]),
    (STRING, 2.50, "2.5", [("x", "number_to_string")]),
    (STRING, True, "true", [("x", "boolean_to_string")]),
    (STRING, float("nan"), float("nan"), []),
    (STRING, ["a"], ["a"], []),
    (STRING, {"a": 1}, {"a": 1}, []),
    ({"enum": ["1", "2"]}, 2, "2", [("x", "number_to_string")]),
    ({"enum": ["1", "2"]}, 3, 3, []),
    ({"const": "1"}, 1, "1", [("x", "number_to_string")]),
    ({"const": "1"}, 2, 2, []),
    ({"type": "string", "enum": []}, 2, 2, []),
    # Not where text has a form: the digits of a number are no date that somebody meant.
    *[
        ({"type": "string", "format": form}, 1700000000, 1700000000, [])
        for form in ("date", "date-time", "time", "duration", "uuid", "uri", "email", "ipv4", "binary", "anything")
    ],
    ({"type": "string", "format": "date-time"}, 17.5, 17.5, []),
    ({"type": "string", "format": "date-time"}, True, True, []),
    ({"type": ["string", "null"], "format": "date"}, 5, 5, []),
    ({"anyOf": [{"type": "string", "format": "date"}, NULL]}, 5, 5, []),
    ({"anyOf": [{"type": "string", "format": "date"}, STRING]}, 5, 5, []),
    ({"allOf": [STRING, {"format": "date"}]}, 5, 5, []),
    ({"allOf": [STRING], "format": "date"}, 5, 5, []),
    ({"type": "string", "$ref": "#/$defs/day"}, 5, 5, []),
    ({"$ref": "#/$defs/day"}, 5, 5, []),
    ({"anyOf": [STRING, {"type": "integer", "format": "int32"}]}, 2.5, "2.5", [("x", "number_to_string")]),
    ({"type": "array", "items": {"type": "string", "format": "date"}}, [5], [5], []),
    ({"type": "string", "pattern": "^[0-9]{4}$"}, 7030, "7030", [("x", "number_to_string")]),
    ({"type": "string", "pattern": "^[0-9]{4}$"}, 70301, 70301, []),
    ({"allOf": [STRING, {"pattern": "^[a-z]+$"}]}, 7030, 7030, []),
    ({"type": "string", "maxLength": 2}, 7030, "7030", [("x", "number_to_string")]),
    # Containers in text.
    (ARRAY, "```json\n[1, 2]\n```", [1, 2], [("x", "json_text_to_array")]),
    (
        OBJECT,
        "```\n{'a': None, 'b': (1, 2.5), 'c': True}\n```",
        {"a": None, "b": [1, 2.5], "c": True},
        [("x", "json_text_to_object")],
    ),
    (OBJECT, "{1: 'a'}", "{1: 'a'}", []),
    (OBJECT, "{'a': __import__('os')}", "{'a': __import__('os')}", []),
    (OBJECT, '{"a": NaN}', '{"a": NaN}', []),
    # A name that comes twice: nothing is lost only where both say the same.
    (OBJECT, '{"a": 1, "a": 2}', '{"a": 1, "a": 2}', []),
    (OBJECT, '{"a": 1, "a": true}', '{"a": 1, "a": true}', []),
    (OBJECT, '{"b": [{"a": 1, "a": 2}]}', '{"b": [{"a": 1, "a": 2}]}', []),
    (OBJECT, "{'b': {'a': 1, 'a': 2}}", "{'b': {'a': 1, 'a': 2}}", []),
    (OBJECT, "{'a': None, 'a': None, 'b': 1}", {"a": None, "b": 1}, [("x", "json_text_to_object")]),
    (OBJECT, '{"a": [1], "a": [1]}', {"a": [1]}, [("x", "json_text_to_object")]),
    (
        {"type": "array", "items": INTEGER},
        '["1", "x"]',
        [1, "x"],
        [("x", "json_text_to_array"), ("x[0]", "string_to_integer")],
    ),
    ({"type": "array", "items": INTEGER}, "5", [5], [("x", "wrapped_in_array"), ("x[0]", "string_to_integer")]),
    (
        {"type": "array", "items": OBJECT},
        '{"a": 1}',
        [{"a": 1}],
        [("x", "wrapped_in_array"), ("x[0]", "json_text_to_object")],
    ),
    ({"type": "array", "items": {"type": "array", "items": INTEGER}}, 5, 5, []),
    # An item is never wrapped: here it could be an array of the array as well as an array of arrays.
    ({"type": "array", "items": {"type": "array", "items": INTEGER}}, [1, 2], [1, 2], []),
    ({"type": "array", "items": {"type": "array", "items": INTEGER}}, ["1"], ["1"], []),
    ({"type": "array", "items": {"anyOf": [{"type": "array", "items": INTEGER}, NULL]}}, [1], [1], []),
    ({"type": "array", "items": {"$ref": "#/$defs/numbers"}}, [1], [1], []),
    ({"prefixItems": [{"type": "array"}, INTEGER]}, [1, "2"], [1, 2], [("x[1]", "string_to_integer")]),
    (
        {"type": "array", "items": {"type": "array", "items": INTEGER}},
        ["[1]"],
        [[1]],
        [("x[0]", "json_text_to_array")],
    ),
    ({"type": "array", "items": tool((), a=ARRAY)}, [{"a": 1}], [{"a": [1]}], [("x[0].a", "wrapped_in_array")]),
    (
        {"type": "array", "items": {"additionalProperties": ARRAY}},
        [{"a": 1}],
        [{"a": [1]}],
        [("x[0].a", "wrapped_in_array")],
    ),
    ({"type": "array", "items": INTEGER}, ("1", 2), [1, 2], [("x[0]", "string_to_integer")]),
    (
        {"prefixItems": [INTEGER, BOOLEAN]},
        ["1", "true", "z"],
        [1, True, "z"],
        [("x[0]", "string_to_integer"), ("x[1]", "string_to_boolean")],
    ),
    # Null.
    ({"anyOf": [INTEGER, NULL]}, "None", None, [("x", "text_to_null")]),
    ({"type": ["string", "null"]}, "null", "null", []),
    # Choices.
    ({"enum": ["fast", "slow"]}, " FAST ", "fast", [("x", "matched_choice")]),
    ({"enum": ["read-only", "read write"]}, "READ_ONLY", "read-only", [("x", "matched_choice")]),
    ({"const": "On"}, "on", "On", [("x", "matched_choice")]),
    ({"enum": ["a", "A"]}, " a", " a", []),
    ({"enum": ["fast", "slow"]}, "quick", "quick", []),
    ({"enum": [1, 2]}, "2", 2, [("x", "string_to_integer")]),
    ({"type": "string", "enum": ["a", None], "nullable": True}, "null", None, [("x", "text_to_null")]),
    # Unions: no change before any change, then the first branch that fits.
    ({"anyOf": [INTEGER, STRING]}, "5", "5", []),
    ({"anyOf": [BOOLEAN, INTEGER]}, "5", 5, [("x", "string_to_integer")]),
    ({"oneOf": [{"type": "integer", "minimum": 9}, NUMBER]}, "5", 5, [("x", "string_to_number")]),
    ({"anyOf": [{"type": "integer", "minimum": 9}, BOOLEAN]}, "5", "5", []),
    (
        {"anyOf": [{"type": "array", "items": INTEGER}, NULL]},
        '["1", "x"]',
        [1, "x"],
        [("x", "json_text_to_array"), ("x[0]", "string_to_integer")],
    ),
    ({"allOf": [INTEGER, {"minimum": 3}]}, "5", 5, [("x", "string_to_integer")]),
    ({"allOf": [INTEGER, STRING]}, "5", "5", []),
    # Objects within objects.
    ({"$ref": "#/$defs/pair"}, {"a": "1", "b": "hopeless"}, {"a": 1, "b": "hopeless"}, [("x.a", "string_to_integer")]),
    ({"additionalProperties": INTEGER}, {"odd key": "1"}, {"odd key": 1}, [('x["odd key"]', "string_to_integer")]),
    (
        {"patternProperties": {"^n_": INTEGER}},
        {"n_a": "1", "m": "1"},
        {"n_a": 1, "m": "1"},
        [("x.n_a", "string_to_integer")],
    ),
    (
        {**tool(("a_b",), a_b=INTEGER)},
        {"aB": "1"},
        {"a_b": 1},
        [("x.a_b", "renamed_argument"), ("x.a_b", "string_to_integer")],
    ),
]


@pytest.mark.parametrize(("schema", "sent", "expected", "repairs"), BETTER, ids=range(len(BETTER)))
def test_what_is_meant_without_doubt_is_repaired_and_named(
    schema: dict[str, Any], sent: Any, expected: object, repairs: list[tuple[str, str]]
) -> None:
    shared = {
        "pair": tool((), a=INTEGER, b=INTEGER),
        "day": {"type": "string", "format": "date"},
        "numbers": {"type": "array", "items": INTEGER},
    }
    parameters = {**tool(("x",), x=schema), "$defs": shared}
    before = copy.deepcopy(sent)
    repaired = repair_arguments(parameters, {"x": sent})
    if isinstance(expected, int) and expected > 10**4000:
        assert repaired.args["x"] == expected
    else:
        assert same_and_same_type(repaired.args["x"], expected) or (expected != expected and not repaired.repairs)
    assert kinds(repaired) == repairs
    assert repr(sent) == repr(before), "what was sent is never changed"
    again = repair_arguments(parameters, repaired.args)
    assert again.args is repaired.args
    assert again.repairs == ()


def test_a_value_that_fits_is_never_touched() -> None:
    args = {"n": 3.0, "s": "5", "l": ["1"], "any": '{"a": 1}', "extra": "7"}
    parameters = {
        **tool((), n=INTEGER, s=STRING, l={"type": "array", "items": STRING}, any={}),
        "additionalProperties": True,
    }
    repaired = repair_arguments(parameters, args)
    assert repaired.args is args
    assert repaired.repairs == ()


SEARCH = tool(("query",), query=STRING, max_results=INTEGER, site=STRING)


@pytest.mark.parametrize(
    ("sent", "expected", "repairs"),
    [
        ('{"query": "x"}', {"query": "x"}, [("", "json_text_to_object")]),
        ("", {}, [("", "empty_to_object")]),
        ("  ", {}, [("", "empty_to_object")]),
        (None, {}, [("", "empty_to_object")]),
        ([1], [1], []),
        (5, 5, []),
        ("words", "words", []),
        ({"arguments": {"query": "x"}}, {"query": "x"}, [("", "unwrapped_arguments")]),
        ({"input": '{"query": "x"}'}, {"query": "x"}, [("", "unwrapped_arguments")]),
        ({"parameters": {"kwargs": {"query": "x"}}}, {"query": "x"}, [("", "unwrapped_arguments")]),
        ({"arguments": "words"}, {"arguments": "words"}, []),
        ({"data": {"query": "x"}}, {"data": {"query": "x"}}, []),
        ({"query": "x", "max_results": None}, {"query": "x"}, [("max_results", "null_dropped")]),
        ({"query": None}, {"query": None}, []),
        ({"query": "x", "maxResults": 3}, {"query": "x", "max_results": 3}, [("max_results", "renamed_argument")]),
        ({"QUERY": "x"}, {"query": "x"}, [("query", "renamed_argument")]),
        (
            {"query": "x", "max-results": "3"},
            {"query": "x", "max_results": 3},
            [("max_results", "renamed_argument"), ("max_results", "string_to_integer")],
        ),
        ({"query": "x", "max_results": 1, "maxResults": 3}, {"query": "x", "max_results": 1, "maxResults": 3}, []),
        ({"query": "x", "maxResults": 1, "MaxResults": 3}, {"query": "x", "maxResults": 1, "MaxResults": 3}, []),
        (
            {"query": "x", "maxResults": 3, "MaxResults": 3},
            {"query": "x", "max_results": 3},
            [("max_results", "renamed_argument"), ("MaxResults", "dropped_duplicate")],
        ),
        ({"q": "x", "site": "y"}, {"query": "x", "site": "y"}, [("query", "renamed_argument")]),
        ({"q": "x", "term": "y"}, {"q": "x", "term": "y"}, []),
        ({"term": True, "q": 1}, {"term": True, "q": 1}, []),
        ({"q": "x", "term": "x"}, {"query": "x"}, [("query", "renamed_argument"), ("term", "dropped_duplicate")]),
        ({"q": "x", "Query": "y"}, {"q": "x", "Query": "y"}, []),
        ({"Query": "y", "q": "x"}, {"Query": "y", "q": "x"}, []),
        ({"q": "x", "Query": "x"}, {"query": "x"}, [("query", "renamed_argument"), ("Query", "dropped_duplicate")]),
        (
            {"q": "x", "term": "y", "maxResults": "3"},
            {"q": "x", "term": "y", "max_results": 3},
            [("max_results", "renamed_argument"), ("max_results", "string_to_integer")],
        ),
        ('{"query": "x", "query": "y"}', '{"query": "x", "query": "y"}', []),
        ({"q": "x", "query": "x"}, {"query": "x"}, [("q", "dropped_duplicate")]),
        ({"q": "y", "query": "x"}, {"q": "y", "query": "x"}, []),
        ({"q": 1, "query": True}, {"q": 1, "query": "true"}, [("query", "boolean_to_string")]),
    ],
)
def test_the_arguments_as_a_whole_are_put_in_order(
    sent: object, expected: object, repairs: list[tuple[str, str]]
) -> None:
    repairer = Repairer(SEARCH, {"q": "query", "term": "query"})
    repaired = repairer.repair(sent)
    assert same_and_same_type(repaired.args, expected)
    assert kinds(repaired) == repairs
    assert repairer.repair(repaired.args).repairs == ()


def test_a_null_is_kept_unless_it_may_be_taken_as_not_given() -> None:
    sent = {"query": "x", "max_results": None}
    kept = repair_arguments(SEARCH, sent)
    assert kept.args is sent
    assert kept.repairs == ()
    assert Repairer(SEARCH).repair(sent).args == {"query": "x"}


def test_a_wrapper_that_is_declared_is_an_argument_like_any_other() -> None:
    args = {"input": {"a": 1}}
    assert repair_arguments(tool((), input=OBJECT, a=INTEGER), args).args is args


@pytest.mark.parametrize("parameters", [{"$ref": "#/$defs/args"}, {"allOf": [{"$ref": "#/$defs/args"}, {}]}])
def test_names_declared_behind_a_reference_are_declared(parameters: dict[str, Any]) -> None:
    parameters = {**parameters, "$defs": {"args": tool(("n",), input=OBJECT, n=INTEGER)}}
    assert repair_arguments(parameters, {"input": {"n": 1}}).repairs == ()
    assert repair_arguments(parameters, {"arguments": {"n": "1"}}).args == {"n": 1}
    assert repair_arguments(parameters, {"number": "1"}, aliases={"number": "n"}).args == {"n": 1}


def test_an_object_that_welcomes_any_name_keeps_its_names() -> None:
    parameters = {**tool((), max_results=INTEGER), "additionalProperties": True}
    args = {"maxResults": 3, "other": 1}
    assert repair_arguments(parameters, args).args is args


def test_a_name_that_an_object_welcomes_stands_for_nothing_but_itself() -> None:
    parameters = {**tool((), query=STRING), "additionalProperties": True}
    repaired = repair_arguments(parameters, {"q": "x", "QUERY": "y"}, aliases={"q": "query"})
    assert repaired.args == {"query": "x", "QUERY": "y"}


def test_several_misspellings_in_an_object_within_are_told_apart_by_their_values() -> None:
    parameters = tool((), filter={**tool((), max_age=INTEGER), "additionalProperties": False})
    differing = {"filter": {"maxAge": 1, "MaxAge": 2}}
    assert repair_arguments(parameters, differing).args is differing
    assert repair_arguments(parameters, {"filter": {"maxAge": 1, "MaxAge": 1}}).args == {"filter": {"max_age": 1}}


def test_an_alias_never_takes_a_declared_name_nor_leads_to_an_unknown_one() -> None:
    args = {"site": "a", "where": "b"}
    aliases = {"site": "query", "where": "place"}
    assert repair_arguments(SEARCH, args, aliases=aliases).args is args


def test_a_null_is_kept_where_another_part_of_the_schema_requires_the_property() -> None:
    parameters = {"allOf": [tool((), a=INTEGER, b=INTEGER), {"required": ["a"]}]}
    assert Repairer(parameters).repair({"a": None, "b": None}).args == {"a": None}


def test_one_hopeless_value_does_not_undo_the_repair_of_another() -> None:
    parameters = tool((), a=INTEGER, b=INTEGER, c={"type": "array", "items": INTEGER})
    repaired = repair_arguments(parameters, {"a": "1", "b": "x", "c": ["1", "y", "3"]})
    assert repaired.args == {"a": 1, "b": "x", "c": [1, "y", 3]}


def test_a_repair_reads_as_a_sentence_and_shows_only_the_beginning_of_large_values() -> None:
    parameters = tool((), n=INTEGER, l=ARRAY, o=OBJECT)
    text = "[" + ", ".join(["1"] * 1000) + "]"
    repaired = Repairer(parameters).repair({"n": "3", "l": text, "o": None})
    assert [str(repair) for repair in repaired.repairs][0::2] == [
        'n: "3" became 3 (string to integer).',
        "o: null became not given (null dropped).",
    ]
    assert all(len(repair.before) <= 85 and len(repair.after) <= 85 for repair in repaired.repairs)
    assert repaired.repairs[1].after.startswith("[1, 1, 1")


def test_repairs_are_values() -> None:
    (repair,) = repair_arguments(tool((), n=INTEGER), {"n": "3"}).repairs
    assert repair == Repair(path="n", kind="string_to_integer", before='"3"', after="3")
    with pytest.raises(dataclasses.FrozenInstanceError):
        repair.kind = "other"  # type: ignore[misc]


def test_a_repairer_brings_the_checker_of_the_same_schema() -> None:
    repairer = Repairer(SEARCH, {"q": "query"})
    repaired = repairer.repair({"q": "x", "max_results": "3"})
    assert not repairer.checker.fits({"q": "x", "max_results": "3"})
    assert repairer.checker.fits(repaired.args)


def test_a_schema_changed_between_two_calls_is_seen_in_the_second() -> None:
    parameters: dict[str, Any] = tool((), x={"const": 1}, y=dict(INTEGER))
    assert repair_arguments(parameters, {"x": "true", "y": "1"}).args == {"x": "true", "y": 1}
    parameters["properties"]["x"]["const"] = True  # equal to 1 in Python, but not in JSON
    assert repair_arguments(parameters, {"x": "true", "y": "1"}).args["x"] is True
    parameters["properties"]["y"]["type"] = "string"
    assert repair_arguments(parameters, {"x": "true", "y": "1"}).args["y"] == "1"
    parameters["properties"]["z"] = INTEGER
    assert repair_arguments(parameters, {"z": "1"}).args == {"z": 1}


def test_aliases_changed_between_two_calls_are_seen_in_the_second() -> None:
    assert repair_arguments(SEARCH, {"q": "x", "site": "y"}, aliases={"q": "query"}).args["query"] == "x"
    assert "query" not in repair_arguments(SEARCH, {"q": "x", "site": "y"}, aliases={"p": "query"}).args
    assert "query" not in repair_arguments(SEARCH, {"q": "x", "site": "y"}).args
