"""What providers cache is the beginning of a request: it must not change before the first tool that did."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from hermes_core import Hermes, Tool
from hermes_search.definition_sizes import name_of

Make = Callable[..., Hermes]
TURNS = 50


def make(number: int, **fields: Any) -> Tool:
    """A tool that is available while the environment holds its key."""
    schema = {
        "name": f"tool_{number:02}",
        "description": f"Does number {number}. " + "x" * 200,
        "parameters": {"type": "object", "properties": {f"p{number}": {"type": "string"}}},
    }
    fields.setdefault("requires_env", [f"KEY_{number}"])
    return Tool.from_schema(schema, lambda args: "{}", toolset=f"set_{number % 4}", **fields)


def keys(count: int) -> dict[str, str]:
    return {f"KEY_{number}": "x" for number in range(count)}


def flip(environ: dict[str, str], key: str) -> None:
    """Make a tool unavailable, or available again."""
    if key in environ:
        del environ[key]
    else:
        environ[key] = "x"


def texts(definitions: list[dict[str, Any]]) -> dict[str, str]:
    """Each definition's bytes, in the order of the list."""
    return {name_of(each): json.dumps(each) for each in definitions}


def assert_stable(before: dict[str, str], after: dict[str, str]) -> None:
    """Up to the first tool that came, went or changed, both lists are the same bytes."""
    first = len(before)
    for names in (list(before), list(after)):
        changed = [place for place, name in enumerate(names) if before.get(name) != after.get(name)]
        first = min([first, len(names), *changed])
    assert list(before.values())[:first] == list(after.values())[:first]
    kept = [name for name in before if before.get(name) == after.get(name)]
    assert kept == [name for name in after if before.get(name) == after.get(name)]  # nothing changes places


@pytest.mark.parametrize("format", ["openai", "anthropic", "responses", "mcp"])
@pytest.mark.parametrize("context_length", [None, 1_000, 20_000, 10**6])
def test_the_bytes_before_the_first_changed_tool_stay_over_fifty_turns(
    format: str, context_length: int | None, host: Make
) -> None:
    chance = random.Random(8)
    environ = keys(40)
    tools = [make(number, always_load=number % 3 == 0) for number in range(40)]
    chance.shuffle(tools)
    hermes = host(tools=tools, environ=environ)
    before = texts(hermes.definitions(context_length=context_length, format=format))
    changes = 0
    for _ in range(TURNS):
        flip(environ, f"KEY_{chance.randrange(40)}")
        after = texts(hermes.definitions(context_length=context_length, format=format))
        assert_stable(before, after)
        changes += before != after
        before = after
    # Where everything is shown every turn changed something; where the rest is hidden, a third of them did.
    assert changes >= TURNS // 5


def test_the_first_changed_tool_is_where_the_bytes_part(host: Make) -> None:
    environ = keys(40)
    hermes = host(tools=[make(number) for number in range(40)], environ=environ)
    whole = json.dumps(hermes.definitions())
    for number in (39, 20, 1):
        del environ[f"KEY_{number}"]
        start = whole.index(f'{{"type": "function", "function": {{"name": "tool_{number:02}"')
        text = json.dumps(hermes.definitions())
        assert text[: start - 2] == whole[: start - 2]
        assert text != whole
        environ[f"KEY_{number}"] = "x"
        assert json.dumps(hermes.definitions()) == whole


def test_hidden_tools_come_and_go_without_a_byte_of_change(host: Make) -> None:
    chance = random.Random(4)
    environ = keys(40)
    hermes = host(
        tools=[*(make(number) for number in range(40)), make(90, always_load=True, requires_env=[])],
        environ=environ,
        config={"tools": {"tool_search": {"enabled": "on"}}},
    )
    shown = set()
    for turn in range(TURNS):
        flip(environ, f"KEY_{chance.randrange(1, 40)}")  # one is always left to be hidden
        if turn % 5 == 0:
            hermes.registry.register(make(50 + turn // 5, requires_env=[]))
        shown.add(json.dumps(hermes.definitions()))
    assert len(shown) == 1


def test_the_order_of_registration_leaves_no_trace(host: Make) -> None:
    shown = set()
    for seed in range(5):
        tools = [make(number, always_load=number % 2 == 0, requires_env=[]) for number in range(20)]
        random.Random(seed).shuffle(tools)
        shown.add(json.dumps(host(tools=tools).definitions(context_length=1_000)))
    assert len(shown) == 1
