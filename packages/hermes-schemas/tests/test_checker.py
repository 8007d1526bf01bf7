"""Whether values fit, by the rules of JSON, whatever schema and value are thrown at the checker."""

from __future__ import annotations

import importlib
import math
import time
from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_schemas.checker import compile_checker

# Loaded by name, because it comes with types in some environments and without in others.
REFERENCE: Any = importlib.import_module("jsonschema").Draft202012Validator


def fits(schema: object, value: object) -> bool:
    checker = compile_checker(schema)
    answer = checker.fits(value)
    assert answer is (not checker.find_problems(value)), "fits and problems must agree"
    return answer


def nested(levels: int, leaf: object) -> object:
    value = leaf
    for _ in range(levels):
        value = [value]
    return value


FITTING: list[tuple[object, object]] = [
    ({"type": "integer"}, 3),
    ({"type": "integer"}, 3.0),
    ({"type": "integer"}, 10**5000),
    ({"type": "number"}, 2.5),
    ({"type": ["string", "null"]}, None),
    ({"type": "string", "nullable": True}, None),
    ({"type": "array"}, (1, 2)),
    ({"type": "object"}, OrderedDict(a=1)),
    ({"enum": [1]}, 1.0),
    ({"const": [1, {"a": 2}]}, [1.0, {"a": 2}]),
    ({"const": None}, None),
    ({"properties": {"a": {"type": "string"}}}, {"b": 1}),
    ({"properties": {"a": {"type": "string"}}}, "not an object at all"),
    ({"patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False}, {"x1": 1}),
    ({"patternProperties": {"[": {"type": "integer"}}, "additionalProperties": False}, {"any": "thing"}),
    ({"propertyNames": {"maxLength": 2}}, {"ab": 1}),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1, "b": 2}),
    ({"dependencies": {"a": {"required": ["b"]}}}, {"b": 2}),
    ({"prefixItems": [{"type": "string"}], "items": False}, ["a"]),
    ({"items": [{"type": "string"}], "additionalItems": {"type": "integer"}}, ["a", 1, 2]),
    ({"contains": {"type": "integer"}, "minContains": 0}, []),
    ({"uniqueItems": True}, [1, True, "1", [1], [True], {"a": 1}, {"a": True}]),
    ({"multipleOf": 0.1}, 0.3),
    ({"multipleOf": 0.01}, 19.99),
    ({"multipleOf": 7}, 7 * 10**5000),
    ({"multipleOf": 0}, 3),
    ({"minimum": 1, "exclusiveMinimum": True}, 2),
    ({"pattern": "["}, "an unreadable pattern asks for nothing"),
    ({"pattern": "^a$"}, "b" * 10_001),
    ({"pattern": r"^[\w[&&]+$"}, "a[&"),
    ({"maxLength": 1}, "\N{GRINNING FACE}"),
    ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, 1),
    ({"not": {"type": "null"}}, 1),
    ({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 3}}, 3),
    ({"$ref": "#/$defs/a~1b%25", "$defs": {"a/b%": {"type": "integer"}}}, 1),
    ({"$ref": "#here", "$defs": {"x": {"$anchor": "here", "type": "integer"}}}, 1),
    ({"$ref": "https://example.com/schema"}, "remote references ask for nothing"),
    ({"$ref": "#/nowhere"}, "and so do broken ones"),
    ({"type": "strnig"}, 1),
    ({"format": "email"}, "not an address"),
    ({}, object()),
    (True, 1),
    (None, 1),
    ("junk", 1),
    ({"properties": 3, "required": 4, "items": 5, "enum": 6, "anyOf": {}, "minimum": "7", "type": 8}, {"a": [1]}),
]

FAILING: list[tuple[object, object, str, str]] = [
    ({"type": "integer"}, True, "", "type"),
    ({"type": "integer"}, 3.5, "", "type"),
    ({"type": "integer"}, math.inf, "", "type"),
    ({"type": "number"}, False, "", "type"),
    ({"type": "boolean"}, 1, "", "type"),
    ({"type": "object"}, object(), "", "type"),
    ({"type": "string"}, b"bytes", "", "type"),
    ({"enum": [1, 0]}, True, "", "enum"),
    ({"enum": []}, 1, "", "enum"),
    ({"const": True}, 1, "", "const"),
    ({"required": ["a"]}, {}, "a", "required"),
    ({"properties": {"a": {}}, "additionalProperties": False}, {"odd key": 1}, '["odd key"]', "additionalProperties"),
    ({"additionalProperties": {"type": "integer"}}, {"a": "x"}, "a", "type"),
    ({"patternProperties": {"^x": {"type": "integer"}}}, {"x": "1"}, "x", "type"),
    ({"properties": {"a": {"items": {"required": ["b"]}}}}, {"a": [{"b": 1}, {}]}, "a[1].b", "required"),
    ({"propertyNames": {"maxLength": 2}}, {"abc": 1}, "abc", "propertyNames"),
    ({"additionalProperties": False}, {3: 1}, "[3]", "additionalProperties"),
    ({"minProperties": 1}, {}, "", "minProperties"),
    ({"maxProperties": 0}, {"a": 1}, "", "maxProperties"),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "", "dependentRequired"),
    ({"dependencies": {"a": ["b"]}}, {"a": 1}, "", "dependencies"),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1}, "b", "required"),
    ({"prefixItems": [{"type": "string"}], "items": False}, ["a", 1], "[1]", "items"),
    ({"items": [{}], "additionalItems": {"type": "integer"}}, ["a", "b"], "[1]", "type"),
    ({"contains": {"type": "integer"}}, ["a"], "", "contains"),
    ({"contains": {"type": "integer"}, "minContains": 2}, [1], "", "minContains"),
    ({"contains": {"type": "integer"}, "maxContains": 1}, [1, 2], "", "maxContains"),
    ({"minItems": 1}, [], "", "minItems"),
    ({"maxItems": 0}, (1,), "", "maxItems"),
    ({"uniqueItems": True}, [{"a": [1]}, 2, {"a": [1.0]}], "[2]", "uniqueItems"),
    ({"minLength": 2}, "a", "", "minLength"),
    ({"maxLength": 2}, "abc", "", "maxLength"),
    ({"pattern": "^a$"}, "a\n", "", "pattern"),
    ({"pattern": r"^\d$"}, "\N{BENGALI DIGIT FOUR}", "", "pattern"),
    ({"minimum": 1}, 0, "", "minimum"),
    ({"maximum": 2**60}, 2**60 + 1, "", "maximum"),
    ({"exclusiveMinimum": 1}, 1, "", "exclusiveMinimum"),
    ({"minimum": 1, "exclusiveMinimum": True}, 1, "", "exclusiveMinimum"),
    ({"maximum": 1, "exclusiveMaximum": True}, 1, "", "exclusiveMaximum"),
    ({"multipleOf": 0.1}, 0.35, "", "multipleOf"),
    ({"multipleOf": 7}, 7 * 10**5000 + 1, "", "multipleOf"),
    ({"multipleOf": 2}, math.nan, "", "multipleOf"),
    ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, 3, "", "oneOf"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", "", "anyOf"),
    ({"allOf": [{"type": "integer"}, {"minimum": 2}]}, 1, "", "minimum"),
    ({"not": {"type": "null"}}, None, "", "not"),
    ({"if": {"type": "string"}, "then": {"minLength": 2}}, "a", "", "minLength"),
    ({"properties": {"a": False}}, {"a": 1}, "a", "false"),
    ({"definitions": {"x": {"type": "null"}}, "$ref": "#/definitions/x"}, 1, "", "type"),
]


# Some values are too large to print, so the cases are numbered.
@pytest.mark.parametrize(("schema", "value"), FITTING, ids=range(len(FITTING)))
def test_what_the_schema_allows_fits(schema: object, value: object) -> None:
    assert fits(schema, value)


@pytest.mark.parametrize(("schema", "value", "path", "rule"), FAILING, ids=range(len(FAILING)))
def test_what_the_schema_forbids_is_named_with_its_place_and_rule(
    schema: object, value: object, path: str, rule: str
) -> None:
    checker = compile_checker(schema)
    assert not checker.fits(value)
    assert [(found.path, found.rule) for found in checker.find_problems(value)] == [(path, rule)]


TEXTS = st.sampled_from(["", "a", "b", "ab", "aB", "5"])
SCALARS = st.none() | st.booleans() | st.integers(-3, 7) | st.sampled_from([0.5, 1.0, 2.0, 1e300]) | TEXTS
VALUES: Any = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
REFS = st.sampled_from(["#", "#/$defs/one", "#/$defs/two"])


def _schemas(inner: Any) -> Any:
    small = st.integers(0, 3)
    lists = st.lists(inner, min_size=1, max_size=3)
    maps = st.dictionaries(TEXTS, inner, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "const": VALUES,
            "properties": maps,
            "required": st.lists(TEXTS, max_size=2, unique=True),
            "additionalProperties": inner,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b$"]), inner, max_size=2),
            "propertyNames": inner,
            "minProperties": small,
            "maxProperties": small,
            "dependentRequired": st.dictionaries(TEXTS, st.lists(TEXTS, max_size=2, unique=True), max_size=2),
            "dependentSchemas": maps,
            "items": inner,
            "prefixItems": lists,
            "contains": inner,
            "minContains": small,
            "maxContains": small,
            "minItems": small,
            "maxItems": small,
            "uniqueItems": st.booleans(),
            "minLength": small,
            "maxLength": small,
            "pattern": st.sampled_from(["^a", "b$", "[0-9]"]),
            "minimum": st.integers(-2, 4),
            "exclusiveMaximum": st.integers(-2, 4),
            "multipleOf": st.sampled_from([1, 2, 0.5]),
            "anyOf": lists,
            "oneOf": lists,
            "allOf": lists,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
        },
    )


SCHEMAS: Any = st.recursive(st.booleans() | _schemas(st.booleans()), _schemas, max_leaves=6)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(schema=SCHEMAS, values=st.lists(VALUES, min_size=1, max_size=6))
def test_the_checker_agrees_with_the_reference_implementation(schema: Any, values: list[Any]) -> None:
    reference = REFERENCE(schema)
    checker = compile_checker(schema)
    for value in values:
        expected = reference.is_valid(value)
        assert checker.fits(value) is expected, value
        assert bool(checker.find_problems(value)) is not expected, value


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(one=SCHEMAS, two=SCHEMAS, ref=REFS, value=VALUES)
def test_references_agree_with_the_reference_implementation(one: Any, two: Any, ref: str, value: Any) -> None:
    wrapper = {"type": "object", "additionalProperties": {"$ref": ref}, "$defs": {"one": one, "two": two}}
    checker = compile_checker(wrapper)
    for sent in ({"a": value}, {"a": {"b": value}}, value):
        assert checker.fits(sent) is REFERENCE(wrapper).is_valid(sent)


JUNK: Any = st.recursive(
    SCALARS | st.just(math.nan) | st.binary(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "items", "anyOf", "$ref", "properties", "required", "enum", "not", "if", "minimum"]
            )
            | st.integers(0, 2),
            inner,
            max_size=4,
        )
        | st.sampled_from([{"$ref": "#"}, {"$ref": "#/anyOf/0"}, {"$ref": "#/properties/a"}])
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(schema=JUNK, value=JUNK)
def test_nothing_raises_whatever_the_schema_and_the_value(schema: Any, value: Any) -> None:
    assert isinstance(fits(schema, value), bool)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"not": {"$ref": "#"}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"anyOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}], "type": "array"}}},
    ],
)
def test_references_that_lead_nowhere_end(schema: object) -> None:
    assert isinstance(fits(schema, [1]), bool)
    assert isinstance(fits(schema, {"a": 1}), bool)


def test_a_recursive_schema_checks_every_level() -> None:
    tree = {
        "$defs": {"node": {"properties": {"name": {"type": "string"}, "kids": {"items": {"$ref": "#/$defs/node"}}}}},
        "$ref": "#/$defs/node",
    }
    good = {"name": "a", "kids": [{"name": "b", "kids": [{"name": "c"}]}]}
    bad = {"name": "a", "kids": [{"name": "b", "kids": [{"name": "c"}, {"name": 3}]}]}
    assert fits(tree, good)
    assert [found.path for found in compile_checker(tree).find_problems(bad)] == ["kids[0].kids[1].name"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"$ref": "#"}},
        {"anyOf": [{"type": "array", "items": {"$ref": "#"}}, {"type": "string"}]},
        {"enum": [[[]]]},
        {"const": nested(500, 1)},
    ],
)
def test_a_value_nested_too_deep_is_refused_without_exhausting_the_stack(schema: object) -> None:
    assert not fits(schema, nested(100_000, []))


def test_too_deep_is_a_problem_of_its_own() -> None:
    found = compile_checker({"type": "array", "items": {"$ref": "#"}}).find_problems(nested(100_000, []))
    assert [problem.rule for problem in found] == ["depth"]


def test_a_schema_nested_too_deep_compiles_and_stops_at_the_bound() -> None:
    schema: dict[str, object] = {"type": "string"}
    for _ in range(100_000):
        schema = {"items": schema}
    assert fits(schema, [[["shallow"]]])
    assert not fits(schema, nested(100_000, 1))


def test_a_long_chain_of_references_is_followed_to_its_end() -> None:
    chain: dict[str, object] = {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(3000)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**chain, "d3000": {"type": "string"}}}
    assert fits(schema, "x")
    assert not fits(schema, 3)


def test_values_and_schemas_that_contain_themselves_end() -> None:
    loop: list[object] = []
    loop += [loop, loop]
    for schema in ({"type": "array", "items": {"$ref": "#"}}, {"uniqueItems": True}, {"enum": [[1]]}, {"type": "null"}):
        assert isinstance(fits(schema, loop), bool)
    own: dict[str, object] = {"type": "array"}
    own["items"] = own
    assert fits(own, [[[]]])
    assert not fits(own, [[3]])


HOSTILE = {
    "$defs": {
        "A": {
            "anyOf": [
                {"type": "array", "items": {"$ref": "#/$defs/A"}},
                {"type": "array", "items": {"$ref": "#/$defs/A"}, "minItems": 0},
            ]
        }
    },
    "$ref": "#/$defs/A",
}


@pytest.mark.parametrize("leaf", [[], 3])
def test_unions_that_lead_back_to_themselves_cost_no_more_than_the_value_is_large(leaf: object) -> None:
    started = time.perf_counter()
    assert fits(HOSTILE, nested(60, leaf)) is (leaf == [])
    # Without memory this takes 2 to the power of 60 steps; the bound only has to tell the two apart.
    assert time.perf_counter() - started < 5


def test_a_schema_object_used_in_many_places_is_not_tried_again_for_each() -> None:
    schema: dict[str, object] = {"type": "string"}
    for _ in range(60):
        schema = {"anyOf": [{"type": "array", "items": schema}, {"type": "array", "items": schema, "minItems": 1}]}
    assert fits(schema, nested(60, "x"))
    assert not fits(schema, nested(60, 3))


def test_unique_items_are_compared_in_one_pass() -> None:
    checker = compile_checker({"uniqueItems": True})
    items: list[object] = [[number, {"a": number}] for number in range(20_000)]
    assert checker.fits(items)
    assert not checker.fits([*items, [7, {"a": 7.0}]])


def test_a_later_change_of_the_schema_does_not_change_the_checker() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"enum": ["x"]}}, "required": ["a"]}
    checker = compile_checker(schema)
    schema["properties"]["a"]["enum"].append("y")
    schema["required"].append("b")
    assert checker.fits({"a": "x"})
    assert not checker.fits({"a": "y"})


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 5000 + "!"),
        ("^(a|a)*$", "a" * 5000 + "!"),
        ("a*a*a*a*b", "a" * 9000),
        ("(a|b|ab){30}c", "ab" * 99),
    ],
)
def test_a_hostile_pattern_takes_no_longer_than_the_text_is_long(pattern: str, text: str) -> None:
    assert not compile_checker({"type": "string", "pattern": pattern}).fits(text)


def test_a_pattern_that_looks_ahead_is_checked_on_short_texts() -> None:
    checker = compile_checker({"type": "string", "pattern": r"^(?=.*[A-Z])(?=.*\d).+$"})
    assert checker.fits("Secret1")
    assert not checker.fits("secret1")
    assert checker.fits("x" * 300)
