"""Why a setting does not fit, in a sentence that holds no secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from hermes_schemas.schema_parts import Outline
from hermes_schemas.value_problems import REQUIRED, example_of, find_value_problems


@dataclass(frozen=True, slots=True)
class Shape(Outline):
    schema: Mapping[str, Any]


SHAPE = Shape(
    {
        "type": "object",
        "properties": {
            "mode": {"enum": ["on", "manual"]},
            "pin": {"type": "integer", "writeOnly": True},
            "api_key": {"type": "integer"},
            "links": {"type": "array", "items": {"properties": {"code": {"type": "integer", "writeOnly": True}}}},
            "hosts": {"type": "array", "items": {"type": "string"}, "examples": [["a.example"]]},
        },
        "required": ["mode"],
    }
)


def explained(value: Any) -> dict[tuple[str | int, ...], str]:
    found = find_value_problems(
        SHAPE, (), value, names_secret="api_key".__eq__, holds_secret=lambda text: "hunter2" in text
    )
    return {each.steps: each.reason for each in found}


@pytest.mark.parametrize(
    ("value", "steps", "words"),
    [
        ({}, ("mode",), REQUIRED),
        ({"mode": "off"}, ("mode",), 'is "off", which is not one of "on", "manual".'),
        ({"mode": True}, ("mode",), "YAML reads yes, no, on and off without quotes as booleans."),
        ({"mode": "on", "hosts": [["x"]]}, ("hosts", 0), "is an array, where a string should be."),
    ],
)
def test_a_misfit_has_its_steps_and_a_reason(value: Any, steps: tuple[str | int, ...], words: str) -> None:
    ((found, reason),) = explained(value).items()
    assert found == steps
    assert reason.endswith(words)


@pytest.mark.parametrize(
    ("value", "steps"),
    [
        ({"pin": "hunter2"}, ("pin",)),
        ({"api_key": "hunter2"}, ("api_key",)),
        ({"mode": "hunter2"}, ("mode",)),
        ({"links": [{}, {"code": "hunter2"}]}, ("links", 1, "code")),
    ],
)
def test_a_value_that_may_be_a_secret_is_not_quoted(value: Any, steps: tuple[str | int, ...]) -> None:
    reason = explained({"mode": "on", **value})[steps]
    assert reason.startswith("is not ")
    assert "hunter2" not in reason


def test_an_example_fits() -> None:
    assert example_of(SHAPE, ("hosts",)) == (["a.example"], '["a.example"]')
    assert example_of(Shape({}), ()) is None
