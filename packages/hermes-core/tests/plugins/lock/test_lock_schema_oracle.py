"""What is said about a changed schema is true: a validator of somebody else decides about real values."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from hermes_core.plugins.lock.schema_changes import schema_changes

Schema = Any

SCALARS: list[Any] = [None, True, False, 0, 1, 2, 3, 1.5, -1, "", "a", "b", "ab", "aab", "bbbb"]
VALUES: list[Any] = [
    *SCALARS,
    [],
    *([one] for one in [*SCALARS, [], {}]),
    [1, 1],
    [1, "a"],
    ["a", 1],
    [1, 2, 3],
    [[1]],
    [[[]]],
    [None, None],
    {},
    *({name: one} for name in "abc" for one in [*SCALARS, [], {}]),
    {"a": 1, "b": 1},
    {"a": 1, "b": "a"},
    {"a": "a", "b": 2, "c": None},
    {"a": {"a": 1}},
    {"a": {"b": "a"}},
    {"b": [1]},
]
KINDS = ["null", "boolean", "integer", "number", "string", "array", "object"]
SMALL = st.integers(0, 3)
LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(KINDS) | st.lists(st.sampled_from(KINDS), min_size=1, max_size=3, unique=True),
        "minimum": SMALL,
        "maximum": SMALL,
        "exclusiveMinimum": SMALL,
        "exclusiveMaximum": SMALL,
        "multipleOf": st.sampled_from([1, 2, 3, 0.5]),
        "minLength": SMALL,
        "maxLength": SMALL,
        "pattern": st.sampled_from(["a", "^b", ""]),
        "enum": st.lists(st.sampled_from(SCALARS), min_size=1, max_size=4),
        "const": st.sampled_from(SCALARS),
        "minItems": SMALL,
        "maxItems": SMALL,
        "uniqueItems": st.booleans(),
        "minProperties": SMALL,
        "maxProperties": SMALL,
        "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
        "dependentRequired": st.just({"a": ["b"]}),
        "description": st.sampled_from(["x", "y"]),
        "default": SMALL,
    },
)
# Fewer keywords at a time meet each other more often.
SPARSE: st.SearchStrategy[Schema] = LEAVES.map(lambda leaf: dict(list(leaf.items())[:3]))
REFERENCES = st.sampled_from([{"$ref": "#/$defs/x"}, {"$ref": "#/$defs/y"}, {"$ref": "#/$defs/list"}])


def composed(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    # Properties without a name are always spoken of: where they are not, a licence is taken that no validator takes.
    others = st.just(False) | inner.filter(lambda schema: schema not in (True, {}))
    properties = st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    required = st.lists(st.sampled_from("abc"), max_size=2, unique=True)
    choices = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.fixed_dictionaries(
            {"properties": properties, "additionalProperties": others},
            optional={"type": st.just("object"), "required": required},
        ),
        st.fixed_dictionaries({"patternProperties": st.dictionaries(st.sampled_from(["^a", "b"]), inner, max_size=2)}),
        st.fixed_dictionaries(
            {"properties": properties, "additionalProperties": others},
            optional={"patternProperties": st.dictionaries(st.just("a"), inner), "propertyNames": inner},
        ),
        st.fixed_dictionaries({}, optional={"additionalProperties": inner, "propertyNames": inner}),
        st.fixed_dictionaries({"items": inner}, optional={"type": st.just("array"), "prefixItems": choices}),
        st.fixed_dictionaries({"contains": inner}, optional={"minContains": SMALL, "maxContains": SMALL}),
        st.builds(lambda leaf, options: {**leaf, "anyOf": options}, SPARSE | st.just({}), choices),
        st.builds(lambda leaf, options: {**leaf, "oneOf": options}, SPARSE | st.just({}), choices),
        st.builds(lambda leaf, options: {**leaf, "allOf": options}, SPARSE | st.just({}), choices),
        st.fixed_dictionaries({"not": inner}),
        st.fixed_dictionaries({"if": inner}, optional={"then": inner, "else": inner}),
        st.builds(lambda leaf, reference: {**leaf, **reference}, SPARSE, REFERENCES),
    )


SCHEMAS = st.recursive(st.booleans() | SPARSE | LEAVES, composed, max_leaves=6)
OPEN = st.recursive(st.booleans() | SPARSE | REFERENCES, composed, max_leaves=6)


@st.composite
def arguments(draw: st.DrawFn) -> Schema:
    """The parameters of a tool with one parameter, and a few definitions, one of them inside itself."""
    again = {"$ref": "#/$defs/list"}
    lists = {"anyOf": [draw(SPARSE), {"type": "array", "items": again, **draw(st.just({}) | SPARSE)}]}
    return {
        "type": "object",
        "properties": {"p": draw(OPEN)},
        "additionalProperties": False,
        "$defs": {"x": draw(SCHEMAS.filter(_leads_nowhere)), "y": draw(SPARSE), "list": lists},
    }


def _leads_nowhere(schema: Schema) -> bool:
    """Without references: one that led back to itself at once would have no meaning."""
    return "$ref" not in str(schema)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Schema, Schema]:
    """A schema and what somebody made of it with one or two edits."""
    before = draw(arguments())
    after = copy.deepcopy(before)
    for _ in range(draw(st.integers(1, 2))):
        nodes = [after[draw(st.sampled_from(["properties", "properties", "properties", "$defs"]))]]
        places: list[tuple[Any, Any]] = []
        while nodes:
            node = nodes.pop()
            for key, child in node.items() if isinstance(node, dict) else enumerate(node):
                if isinstance(child, dict | list):
                    nodes.append(child)
                places.append((node, key))
        node, key = draw(st.sampled_from(places))
        held = node[key]
        if isinstance(held, dict) and (isinstance(node, list) or key in ("p", "x", "items", "contains", "a", "b", "c")):
            edit = draw(st.sampled_from(["merge", "replace", "wrap"]))
            fresh = draw(SPARSE)
            node[key] = {"merge": {**held, **fresh}, "replace": fresh, "wrap": {"anyOf": [held, fresh]}}[edit]
        elif isinstance(held, bool) and key != "uniqueItems":
            node[key] = draw(SPARSE.filter(bool))
        elif isinstance(held, int) and not isinstance(held, bool):
            node[key] = draw(SMALL) if key != "multipleOf" else draw(st.sampled_from([1, 2, 3]))
        elif isinstance(held, list) and held:
            held.pop(draw(st.integers(0, len(held) - 1)))
            if not held and key in ("anyOf", "oneOf", "allOf", "enum", "prefixItems", "type"):
                held.append({"anyOf": True, "oneOf": True, "allOf": True, "prefixItems": True}.get(key, "null"))
    return (before, after) if draw(st.booleans()) else (after, before)


def verdicts(schema: Schema) -> list[bool]:
    validator = Draft202012Validator(schema)
    return [validator.is_valid({"p": value}) for value in VALUES] + [validator.is_valid({})]


def check(before: Schema, after: Schema) -> None:
    said = schema_changes(before, after)
    claims = {"widened", "narrowed", "changed incomparably"} & set(said.labels)
    was, now = verdicts(before), verdicts(after)
    if claims <= {"widened"}:
        lost = [value for value, old, new in zip([*VALUES, ...], was, now, strict=True) if old and not new]
        assert not lost, (said, lost)
    if claims <= {"narrowed"}:
        gained = [value for value, old, new in zip([*VALUES, ...], was, now, strict=True) if new and not old]
        assert not gained, (said, gained)


@settings(max_examples=400, deadline=None)
@given(pairs())
def test_what_is_said_of_an_edited_schema_is_true(pair: tuple[Schema, Schema]) -> None:
    check(*pair)


@settings(max_examples=200, deadline=None)
@given(arguments(), arguments())
def test_what_is_said_of_two_schemas_is_true(before: Schema, after: Schema) -> None:
    check(before, after)


@settings(max_examples=200, deadline=None)
@given(SPARSE, SPARSE)
def test_what_is_said_of_two_small_schemas_is_true(before: Schema, after: Schema) -> None:
    check({"properties": {"p": before}}, {"properties": {"p": after}})


@given(arguments())
def test_nothing_is_said_of_a_schema_that_did_not_change(schema: Schema) -> None:
    assert schema_changes(schema, copy.deepcopy(schema)) == schema_changes({}, {})


@given(arguments())
def test_definitions_under_other_names_are_no_change_of_meaning(schema: Schema) -> None:
    labels = set(schema_changes(schema, _renamed(schema)).labels)
    # Alternatives that lead in circles may be paired in another order: then both directions are named, never one.
    assert labels & {"widened", "narrowed"} in (set(), {"widened", "narrowed"})
    if not any(word in str(schema) for word in ("Of'", "'not'", "'if'", "contains", "dependent")):
        assert labels == {"rewritten"}


def _renamed(schema: Schema) -> Schema:
    if isinstance(schema, dict):
        return {
            key: {f"{name}2": _renamed(child) for name, child in value.items()}
            if key == "$defs"
            else f"{value}2"
            if key == "$ref"
            else _renamed(value)
            for key, value in schema.items()
        }
    return [_renamed(child) for child in schema] if isinstance(schema, list) else schema
