"""Calls as people write them."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_approval.policy.example_calls import parse_call
from hermes_core import ConfigError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("terminal", ("terminal", {})),
        ("  terminal  ", ("terminal", {})),
        ("terminal {}", ("terminal", {})),
        ('terminal {"command": "git push"}', ("terminal", {"command": "git push"})),
        ('terminal{"a": [1, {"b": null}]}', ("terminal", {"a": [1, {"b": None}]})),
        ('terminal\n{"a": "é"}', ("terminal", {"a": "é"})),
        ("terminal command=ls", ("terminal", {"command": "ls"})),
        ("terminal command='git push' n=3 deep=true", ("terminal", {"command": "git push", "n": 3, "deep": True})),
        ('terminal command="a=b"', ("terminal", {"command": "a=b"})),
        ("terminal command=", ("terminal", {"command": ""})),
        ("""terminal 'paths=["a", "b"]'""", ("terminal", {"paths": ["a", "b"]})),
    ],
)
def test_a_call_is_a_name_and_arguments(text: str, expected: tuple[str, dict[str, Any]]) -> None:
    assert parse_call(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "does not begin with the name of a tool"),
        ('{"command": "ls"}', "does not begin with the name of a tool"),
        ("terminal {oops}", "cannot be read as JSON"),
        ('terminal {"a": 1} b', "cannot be read as JSON"),
        ("terminal " + '{"a":' * 100_000, "cannot be read as JSON"),
        ("terminal ls", "'ls' is neither key=value nor a JSON object"),
        ("terminal [1]", "neither key=value nor a JSON object"),
        ("terminal =x", "neither key=value"),
        ("terminal 'a", "cannot be split into words"),
        ("terminal a=1 a=2", "'a' is given twice"),
    ],
)
def test_what_is_no_call_is_told_in_words_with_an_example(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match="Example: terminal") as caught:
        parse_call(text)
    assert words in caught.value.reason
    assert len(caught.value.reason) < 300
