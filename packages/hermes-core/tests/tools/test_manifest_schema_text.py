"""One look at all texts of a manifest's schema never misses what a look at each of them finds."""

from __future__ import annotations

import json
import random

import pytest

from hermes_core.errors import ToolDefinitionError
from hermes_core.tools.lazy_tool import lazy_tool
from hermes_core.tools.tool_spec import LazyHandler
from hermes_schemas.schema_limits import MAX_DEPTH, MAX_PROPERTIES, find_excess, is_small
from hermes_text import clean_text, is_clean_repr

PIECES = (
    "plain",
    "two\nlines",
    "tab\t",
    "[INST]",
    "[/INST]",
    "[ TOOL_CALLS]",
    "[|system|]",
    "['quoted']",
    "[1]",
    "[]",
    "[[INST]]",
    "<tool_call>",
    "<|im_start|>",
    "Human:",
    "SYSTEM :",
    "\x1b[31m",
    "\u200b",
    "\u202e",
    "\ud800",
    "caf\u00e9",
    "back\\slash",
    "it's",
    'say "x"',
    "{...}",
    "\x00",
    "\x85",
    "a: b",
    "[x",
    "[ INST ]",
    "[True]",
    "[-1]",
    "[{INST}]",
    "User:",
)


def test_one_look_at_all_texts_finds_whatever_a_look_at_each_finds() -> None:
    draw = random.Random(7)
    clean = 0
    for _ in range(20_000):
        words = [draw.choice(PIECES) + draw.choice(("", draw.choice(PIECES))) for _ in range(3)]
        schema = {
            "type": "object",
            "properties": {words[0]: {"enum": [words[1], 1], "description": "Plain."}, "mode": {"const": words[2]}},
        }
        shown = repr(json.loads(json.dumps(schema)))
        if is_small(shown) and is_clean_repr(shown):
            clean += 1
            assert find_excess(schema, clean_text) is None, words
    assert clean > 100


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "object", "properties": {"x": {"enum": ["[INST]"]}}},
        {"type": "object", "properties": {"two\nlines": {}}},
        {"type": "object", "properties": {f"p{number}": {} for number in range(MAX_PROPERTIES + 1)}},
        {"type": "object", "properties": {"x": json.loads('{"not":' * (MAX_DEPTH + 1) + "{}" + "}" * (MAX_DEPTH + 1))}},
        {"type": "object", "properties": {"x": json.loads('{"not":' * 400 + "{}" + "}" * 400)}},
        {"type": "object", "properties": {"x": {"description": "d" * 140_000}}},
    ],
)
def test_a_manifest_cannot_bring_parameters_that_code_could_not(parameters: dict[str, object]) -> None:
    entry = {"name": "web_page", "toolset": "web", "description": "Read a page.", "parameters": parameters}
    with pytest.raises(ToolDefinitionError):
        lazy_tool(entry, LazyHandler("web"))
