"""Whatever a tool returns, a model gets JSON."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import math
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from hermes_core import Hermes, Tool, ToolError, tool_error, tool_result
from hermes_core.calls.results import as_json, encode, error_text
from hermes_core.errors import ToolFailedError


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    y: float


class Model(BaseModel):
    name: str
    when: datetime.date


def test_a_result_is_the_data_or_the_keywords() -> None:
    assert tool_result({"a": 1}, b=2) == '{"a": 1}'
    assert tool_result(a=1, b="ü") == '{"a": 1, "b": "ü"}'
    assert tool_result([1, 2]) == "[1, 2]"
    assert tool_result() == "{}"


def test_an_error_carries_its_message_and_what_else_is_given() -> None:
    assert json.loads(tool_error("broken", code=7, path="/x")) == {"error": "broken", "code": 7, "path": "/x"}
    assert json.loads(tool_error(ValueError("broken"))) == {"error": "broken"}


@pytest.mark.parametrize(
    "text", ['{"a": 1}', "[1]", '"text"', "17", "-1.5e3", "true", "null", ' {"a": 1}\n', "9" * 5000]
)
def test_text_that_is_json_is_taken_as_it_is(text: str) -> None:
    assert as_json(text) == text


@pytest.mark.parametrize(
    "text", ["hello", "", "{broken", '{"a": 1} and more', "tomorrow", "NaN", "-Infinity", "[1, NaN]", "12 monkeys"]
)
def test_other_text_becomes_a_json_string(text: str) -> None:
    assert json.loads(as_json(text)) == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": [1, 2.5, None, True]}, {"a": [1, 2.5, None, True]}),
        (None, None),
        (17, 17),
        (Point(1, 2.5), {"x": 1, "y": 2.5}),
        ([Point(1, 2.0)], [{"x": 1, "y": 2.0}]),
        (Model(name="n", when=datetime.date(2026, 1, 2)), {"name": "n", "when": "2026-01-02"}),
        ({"c": Colour.RED, "p": Path("/x"), "s": {1}}, {"c": "red", "p": "/x", "s": [1]}),
        (uuid.UUID(int=0), "00000000-0000-0000-0000-000000000000"),
        ({"nan": math.nan, "inf": [math.inf]}, {"nan": None, "inf": [None]}),
        ((1, 2), [1, 2]),
        ({1: "one"}, {"1": "one"}),
    ],
)
def test_values_dataclasses_and_models_are_encoded(value: object, expected: object) -> None:
    assert json.loads(encode(value)) == expected


def test_a_value_that_cannot_be_json_is_a_clear_error() -> None:
    circle: list[Any] = []
    circle.append(circle)
    for value in (object(), circle, {"f": print}, 10**5000):
        with pytest.raises(ToolFailedError, match="JSON"):
            encode(value)


@given(st.text())
def test_any_text_comes_out_as_json_that_can_be_sent(text: str) -> None:
    assert json.loads(as_json(text).encode()) is not None or text.strip() == "null"


@given(st.lists(st.sampled_from(["\ud800", "\udc00", "x", "é", '"', "\\"])).map("".join))
def test_lone_surrogates_never_reach_the_wire(text: str) -> None:
    assert json.loads(as_json(text).encode().decode()) is not None


def test_an_errors_extra_that_is_not_json_is_dropped() -> None:
    assert json.loads(error_text(ToolError("broken", hint="mend it", detail=object()))) == {
        "error": "broken",
        "code": "tool_error",
    }
    assert json.loads(error_text(ToolError("broken", hint="mend it", detail=7))) == {
        "error": "broken",
        "code": "tool_error",
        "hint": "mend it",
        "detail": 7,
    }


def test_a_tool_error_raised_by_a_handler_is_the_result(host: Callable[..., Hermes]) -> None:
    def handler(args: dict[str, Any]) -> str:
        raise ToolError("the disk is full", hint="free some space", free=0)

    answer = json.loads(host(tools=[Tool.from_schema({"name": "t"}, handler)]).call("t"))
    assert answer == {"error": "the disk is full", "code": "tool_error", "hint": "free some space", "free": 0}
