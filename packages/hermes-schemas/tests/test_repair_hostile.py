"""Whatever is sent, repair ends soon, raises nothing, loses nothing, and has nothing to add to its own result."""

from __future__ import annotations

import copy
import math
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_schemas.repair import Repairer, repair_arguments
from hermes_schemas.validation.equality import same

NAMES = st.sampled_from(["a", "A", "a_b", "aB", "arguments", "odd key"])
TEXTS = st.sampled_from(
    ["", "5", "3.0", "1e3", "true", "null", "a", "A", "a-b", '["1"]', "['a', 2]", '{"a": "1"}', "["]
)
SCALARS = st.none() | st.booleans() | st.sampled_from([0, 1, 5, 2.5, 3.0, 10**30]) | TEXTS
VALUES: Any = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])


def _schemas(inner: Any) -> Any:
    lists = st.lists(inner, min_size=1, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, max_size=3) | st.just("junk"),
            "nullable": st.booleans(),
            "enum": st.lists(SCALARS, max_size=3) | st.none(),
            "const": SCALARS,
            "properties": st.dictionaries(NAMES, inner, max_size=4) | st.integers(),
            "required": st.lists(NAMES, max_size=2),
            "additionalProperties": inner,
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "["]), inner, max_size=2),
            "items": inner,
            "prefixItems": lists,
            "minimum": st.integers(0, 4),
            "anyOf": lists,
            "oneOf": lists,
            "allOf": lists,
            "not": inner,
            "$ref": st.sampled_from(["#", "#/$defs/x", "#/nowhere", "#/properties/a"]),
        },
    )


SCHEMAS: Any = st.recursive(st.booleans() | st.none() | TEXTS | _schemas(st.booleans()), _schemas, max_leaves=10)


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(schema=_schemas(SCHEMAS) | SCHEMAS, shared=SCHEMAS, values=st.lists(VALUES, min_size=1, max_size=4))
def test_repair_never_raises_never_mutates_and_has_nothing_to_add_to_its_own_result(
    schema: Any, shared: Any, values: list[Any]
) -> None:
    if isinstance(schema, dict):
        schema = {**schema, "$defs": {"x": shared}}
    repairer = Repairer(schema, {"odd key": "a"})
    for value in values:
        before = copy.deepcopy(value)
        repaired = repairer.repair(value)
        assert same(value, before)
        assert all(str(repair) for repair in repaired.repairs)
        again = repairer.repair(repaired.args)
        assert again.repairs == ()
        assert again.args is repaired.args
        kept = repairer.repair(value, keep_nulls=True)
        assert same(repair_arguments(schema, value, aliases={"odd key": "a"}).args, kept.args)


def _without_names(value: Any) -> Any:
    return {"type": "object", "properties": {"a": value}, "required": ["a"], "additionalProperties": False}


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(schema=SCHEMAS, value=VALUES)
def test_what_fits_comes_back_as_the_same_object(schema: Any, value: Any) -> None:
    repairer = Repairer(_without_names(schema))
    args = {"a": value}
    if repairer.checker.fits(args):
        assert repairer.repair(args).args is args
        assert repairer.repair(args).repairs == ()


DEEP = 100_000
RECURSIVE = {
    "type": "object",
    "properties": {"x": {"$ref": "#/$defs/tree"}, "o": {"type": "object"}, "n": {"type": "integer"}},
    "$defs": {
        "tree": {
            "anyOf": [
                {"type": "array", "items": {"$ref": "#/$defs/tree"}},
                {"type": "array", "items": {"$ref": "#/$defs/tree"}, "minItems": 0},
                {"type": "boolean"},
            ]
        }
    },
}


def nested(levels: int, leaf: object) -> object:
    value = leaf
    for _ in range(levels):
        value = [value]
    return value


HOSTILE: dict[str, Any] = {
    "a deep array": nested(DEEP, []),
    "a hopeless leaf below many unions": nested(35, "x"),
    "open brackets": "[" * DEEP,
    "deep text": "[" * DEEP + "]" * DEEP,
    "deep objects in text": '{"a":' * DEEP + "1" + "}" * DEEP,
    "a literal that never ends": "['a'," * DEEP,
    "quotes": "['" + "\\'" * DEEP,
    "signs": "-" * DEEP,
    "digits": "9" * DEEP,
    "a huge exponent": "1e999999999",
    "fences": "```" + "[" * DEEP + "```",
    "spaces": " " * DEEP + "x" + " " * DEEP,
    "not a number": math.nan,
    "an object of Python": object(),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_values_are_left_alone_and_take_no_time(name: str) -> None:
    started = time.perf_counter()
    args = {"x": HOSTILE[name], "o": HOSTILE[name], "n": HOSTILE[name]}
    assert repair_arguments(RECURSIVE, args).args is args
    # Quadratic or exponential work would take minutes; the bound only has to tell the two apart.
    assert time.perf_counter() - started < 5


def test_text_as_deep_as_is_looked_into_is_read_and_deeper_text_is_not() -> None:
    parameters = {"type": "object", "properties": {"x": {"type": "array"}}}
    assert repair_arguments(parameters, {"x": "[" * 50 + "]" * 50}).repairs[0].kind == "json_text_to_array"
    deep = "[" * DEEP + "]" * DEEP
    assert repair_arguments(parameters, {"x": deep}).args == {"x": [deep]}
    brackets_in_text = '["' + "[" * 200 + '"]'
    assert repair_arguments(parameters, {"x": brackets_in_text}).args == {"x": ["[" * 200]}


def test_deep_arguments_in_text_stay_text() -> None:
    text = '{"x":' * DEEP + "1" + "}" * DEEP
    assert repair_arguments(RECURSIVE, text).args is text


def test_values_that_contain_themselves_end() -> None:
    loop: list[Any] = []
    loop += [loop, "1", loop]
    args: dict[str, Any] = {"x": loop, "n": loop}
    args["o"] = args
    assert repair_arguments(RECURSIVE, args).args is args
    own: dict[str, Any] = {}
    own["arguments"] = own
    assert repair_arguments(RECURSIVE, own).args is own


def test_schemas_that_contain_themselves_end() -> None:
    own: dict[str, Any] = {"type": "object", "required": ["n"]}
    own["properties"] = {"n": {"type": "integer"}, "child": own}
    own["allOf"] = [own]
    assert repair_arguments(own, {"n": "1", "child": {"n": "2"}}).args == {"n": 1, "child": {"n": 2}}


def test_a_deep_schema_repairs_as_deep_as_is_looked_into() -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(DEEP):
        schema = {"type": "array", "items": schema}
    args = {"x": nested(300, "1")}
    assert repair_arguments({"type": "object", "properties": {"x": schema}}, args).args is args


def test_work_grows_with_the_arguments_and_no_faster() -> None:
    parameters = {
        "type": "object",
        "properties": {f"k_{i}": {"type": "integer"} for i in range(5000)},
        "additionalProperties": False,
    }
    repaired = repair_arguments(parameters, {f"K-{i}": "1" for i in range(5000)})
    assert repaired.args == {f"k_{i}": 1 for i in range(5000)}
    items = {"type": "object", "properties": {"l": {"type": "array", "items": {"type": "integer"}}}}
    assert repair_arguments(items, {"l": [str(i) for i in range(20_000)]}).args == {"l": list(range(20_000))}


# Values of classes that nobody would send over a wire, but that code in the same process can


class RaisingDict(dict[str, Any]):
    def items(self) -> Any:
        raise OSError("items")


class RaisingText(str):
    __slots__ = ()

    def strip(self, *_args: Any) -> str:
        raise OSError("strip")

    def __getitem__(self, _key: Any) -> str:
        raise OSError("getitem")


class RaisingNumber(int):
    def __eq__(self, _other: object) -> bool:
        raise OSError("eq")

    def __ge__(self, _other: object) -> bool:
        raise OSError("ge")

    __hash__ = int.__hash__


def liar(claimed: type) -> object:
    class Liar:
        @property  # type: ignore[misc]
        def __class__(self) -> type:
            return claimed

    return Liar()


class Touchy:
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise OSError("class")


ALIASES = {"p": "a", "q": "a"}
TOUCHY: dict[str, Any] = {
    "a dict that does not tell its items": RaisingDict(a=1),
    "a text that cannot be stripped": RaisingText("5"),
    "a number that cannot be compared": RaisingNumber(5),
    "no dict, though it says so": liar(dict),
    "no list, though it says so": liar(list),
    "no text, though it says so": liar(str),
    "no number, though it says so": liar(int),
    "an object that does not tell its class": Touchy(),
}
TOUCHED_BY: tuple[dict[str, Any], ...] = (
    {"type": "integer", "minimum": 3, "enum": [7]},
    {"type": "string", "pattern": "^a", "minLength": 9},
    {"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
    {"type": "object", "properties": {"a": {"type": "boolean"}}, "additionalProperties": False},
    {"anyOf": [{"type": "boolean"}, {"const": 7}, {"type": "array", "items": {"type": "boolean"}}]},
)


@pytest.mark.parametrize("schema", TOUCHED_BY)
@pytest.mark.parametrize("name", TOUCHY)
def test_values_that_do_not_let_themselves_be_read_raise_nothing(name: str, schema: dict[str, Any]) -> None:
    value = TOUCHY[name]
    parameters = {"type": "object", "properties": {"a": schema}, "additionalProperties": False}
    repairer = Repairer(parameters, ALIASES)
    for args in (value, {"a": value}, {"a": [value]}, {"A": value}, {"p": value, "q": value}, {"p": value, "q": 1}):
        for repaired in (repairer.repair(args), repair_arguments(parameters, args, aliases=ALIASES)):
            assert all(str(repair) for repair in repaired.repairs)
            assert repairer.checker.fits(repaired.args) is not bool(repairer.checker.find_problems(repaired.args))


def test_arguments_that_cannot_be_read_come_back_and_are_said_to_be_unreadable() -> None:
    repairer = Repairer({"type": "object", "properties": {"a": {"type": "integer"}}})
    args: object
    for args in (RaisingDict(a="1"), {"a": Touchy(), "b": 1}, {"A": RaisingText("1"), RaisingText("b"): 1}):
        assert repairer.repair(args).args is args
    unreadable: tuple[object, ...] = (RaisingDict(a=1), {"a": Touchy()})
    for args in unreadable:
        assert not repairer.checker.fits(args)
        (problem,) = repairer.checker.find_problems(args)
        assert problem.rule == "value"
        assert "plain JSON" in str(problem)
    assert repairer.checker.find_problems(RaisingDict(a=1), limit=0) == ()


def test_many_names_for_one_argument_take_time_that_grows_with_them_and_no_faster() -> None:
    parameters = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
    aliases = {f"alias_{number}": "a" for number in range(20_000)}
    repairer = Repairer(parameters, aliases)
    started = time.perf_counter()
    assert repairer.repair(dict.fromkeys(aliases, 1)).args == {"a": 1}
    differing = {alias: number for number, alias in enumerate(aliases)}
    assert repairer.repair(differing).args is differing
    text = "{" + ", ".join(['"a": [1, 2]'] * 20_000) + "}"
    assert repairer.repair(text).args == {"a": [1, 2]}
    # Quadratic work would take minutes; the bound only has to tell the two apart.
    assert time.perf_counter() - started < 5
