"""Each model provider gets definitions in its own format, and MCP clients get honest hints about effects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_core.errors import ConfigError
from hermes_core.tools.definitions import FORMATS, annotations_from_effects, effects_from_annotations, render

EMPTY = {"type": "object", "properties": {}}
EFFECTS = ("read", "write", "delete", "network", "exec", "privileged", "spend", "message")
FUNCTION = {"name": "dice", "description": "Roll dice.", "parameters": {"type": "object", "properties": {"n": {}}}}


def test_each_format_has_its_shape() -> None:
    parameters = FUNCTION["parameters"]
    named = {"name": "dice", "description": "Roll dice."}
    assert render(FUNCTION, "openai") == {"type": "function", "function": {**named, "parameters": parameters}}
    assert render(FUNCTION, "responses") == {
        "type": "function",
        **named,
        "parameters": parameters,
        "strict": False,
    }
    assert render(FUNCTION, "anthropic") == {**named, "input_schema": parameters}
    assert render(FUNCTION, "mcp") == {**named, "inputSchema": parameters}
    assert {format: bool(render(FUNCTION, format)) for format in FORMATS} == dict.fromkeys(FORMATS, True)


def test_a_function_without_parameters_gets_an_empty_schema() -> None:
    assert render({"name": "now"}, "anthropic") == {"name": "now", "description": "", "input_schema": EMPTY}


def test_an_unknown_format_is_an_error_that_lists_the_formats() -> None:
    with pytest.raises(ConfigError) as caught:
        render(FUNCTION, "gemini")
    assert "'gemini'" in str(caught.value)
    assert all(format in str(caught.value) for format in FORMATS)


# Effects


@pytest.mark.parametrize(
    ("effects", "read_only", "destructive", "open_world"),
    [
        ("read", True, False, False),
        ("read network", True, False, True),
        ("write", False, False, False),
        ("read write network", False, False, True),
        ("write delete", False, True, False),
        ("exec", False, True, False),
        ("privileged", False, True, False),
        ("message", False, False, True),
        ("spend network", False, False, True),
        ("read unheard_of", False, False, False),
    ],
)
def test_effects_become_hints(effects: str, read_only: bool, destructive: bool, open_world: bool) -> None:
    expected = {"readOnlyHint": read_only, "destructiveHint": destructive, "openWorldHint": open_world}
    if read_only:
        expected["idempotentHint"] = True
    assert render(FUNCTION, "mcp", effects=frozenset(effects.split()))["annotations"] == expected


def test_nothing_is_promised_when_no_effects_are_declared() -> None:
    assert "annotations" not in render(FUNCTION, "mcp")
    assert "annotations" not in render(FUNCTION, "mcp", effects=frozenset())


@pytest.mark.parametrize(
    ("annotations", "effects"),
    [
        (None, "write delete network"),
        ({}, "write delete network"),
        ({"readOnlyHint": True}, "read network"),
        ({"readOnlyHint": True, "destructiveHint": True, "openWorldHint": False}, "read"),
        ({"destructiveHint": False}, "write network"),
        ({"destructiveHint": False, "openWorldHint": False}, "write"),
        ({"readOnlyHint": "yes", "destructiveHint": 0, "openWorldHint": None}, "write delete network"),
    ],
)
def test_hints_become_effects_and_silence_counts_as_the_worst(
    annotations: dict[str, object] | None, effects: str
) -> None:
    assert effects_from_annotations(annotations) == set(effects.split())


@given(st.frozensets(st.sampled_from(EFFECTS), min_size=1))
def test_a_round_trip_never_makes_a_tool_look_more_harmless(effects: frozenset[str]) -> None:
    back = effects_from_annotations(annotations_from_effects(effects))
    harmless = {"read", "network"}
    assert (back <= harmless) == (effects <= harmless)
    assert not effects & {"delete", "exec", "privileged"} or "delete" in back
    assert not effects & {"network", "message"} or "network" in back
