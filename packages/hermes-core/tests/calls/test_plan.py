"""Arguments that are not an object are refused with what is wrong with them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hermes_core import Hermes, tool


@tool
def echo(text: str) -> str:
    """Repeat a text."""
    return text


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ('{"text": "x', "unterminated JSON: the string that starts at line 1, column 10 is not closed."),
        ('{"text": "x"', "unterminated JSON: it ends too early, at line 1, column 13."),
        ('{"text": x}', "invalid JSON: Expecting value (line 1, column 10)."),
        ('["x"]', "an array, not a JSON object."),
        ("hello", "text, not a JSON object."),
        (["x"], "an array, not a JSON object."),
        (3, "a number, not a JSON object."),
    ],
)
def test_arguments_that_are_not_an_object_are_explained(args: Any, error: str) -> None:
    with Hermes(tools=[echo]) as host:
        answer = json.loads(host.call("echo", args))
    assert answer["error"] == f"Invalid arguments for echo: they are {error}"
    closed = "with every string, array and object closed" in answer["hint"]
    assert closed == ("JSON: " in error)
