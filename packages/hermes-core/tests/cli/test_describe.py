"""`hermes describe` tells everything about one tool."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]


def test_a_tool_is_described_for_people(hermes: Run) -> None:
    outcome = hermes("describe", "roll_dice")
    lines = outcome.stdout.splitlines()
    assert outcome.returncode == 0
    assert lines[0] == "🎲 roll_dice"
    assert "They always fall in the same way." in lines
    shown = "\n".join(lines)
    assert "  count: integer, required\n      How many dice [at least 1; at most 10]\n" in shown
    assert "  labels: array of string or null, default null\n" in shown
    assert '  mode: string, default "low"\n      [one of "low", "high"]\n' in shown
    assert "  edits[].line: integer, required\n      Line number [at least 1]\n" in shown
    rows = {line.split()[0]: " ".join(line.split()) for line in lines if line}
    assert rows["Aliases"] == "Aliases throw"
    assert rows["Tool"] == "Tool search may hide it"
    assert rows["Also"] == "Also accepts number for count"
    assert rows["Plugin"] == "Plugin dice (hermes-tools-dice 1.2)"
    assert rows["Result"].startswith("Result up to 100,000 characters")


def test_requirements_effects_and_availability_are_told(hermes: Run) -> None:
    text = " ".join(hermes("describe", "buy_dice").stdout.split())
    assert "Available no: the environment variable DICE_SHOP_KEY is not set. Set DICE_SHOP_KEY" in text
    assert "Effects network, spend" in text
    assert "Requires environment variable DICE_SHOP_KEY" in text


def test_json_holds_the_schema_and_the_plugin(hermes: Run) -> None:
    facts = json.loads(hermes("describe", "throw", "--json").stdout)
    assert facts["name"] == "roll_dice"
    assert facts["parameters"]["required"] == ["count"]
    assert facts["plugin"] == {"name": "dice", "distribution": "hermes-tools-dice", "version": "1.2"}
    assert facts["available"] is True


@pytest.mark.parametrize(
    ("format", "schema"),
    [("openai", "parameters"), ("anthropic", "input_schema"), ("responses", "parameters"), ("mcp", "inputSchema")],
)
@pytest.mark.parametrize("name", ["roll_dice", "buy_dice"])
def test_a_format_prints_the_definition_also_of_a_tool_that_cannot_run(
    hermes: Run, format: str, schema: str, name: str
) -> None:
    outcome = hermes("describe", name, "--format", format)
    definition = json.loads(outcome.stdout)
    function = definition.get("function", definition)
    assert function["name"] == name
    assert "count" in function[schema]["properties"]
    assert ("is not available here" in outcome.stderr) == (name == "buy_dice")


def test_an_unknown_tool_is_answered_with_near_names(hermes: Run) -> None:
    outcome = hermes("describe", "rolldice")
    assert outcome.returncode == 3
    assert outcome.stdout == ""
    assert "hermes: error: Unknown tool: rolldice. Did you mean 'roll_dice'" in outcome.stderr


def test_what_a_plugin_writes_cannot_steer_a_terminal_or_hide_in_it(hermes: Run, home: Path) -> None:
    text = "Talk\\x9b31m to\\u202e\\u200b\\U000e0041 them\\x1b[2J."
    file = home / "plugins" / "talk.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        "from hermes_core import Tool, hookimpl\n\n@hookimpl\ndef hermes_tools():\n"
        f"    schema = {{'name': 'chat', 'description': '{text}', 'parameters': {{'type': 'object', 'properties': "
        f"{{'a': {{'description': '{text}', 'default': '{text}'}}}}}}}}\n"
        "    return [Tool.from_schema(schema, lambda args: '{}', toolset='talk')]\n",
        encoding="utf-8",
    )
    for words in (("describe", "chat"), ("tools",), ("search", "talk"), ("toolsets",), ("tools", "cost")):
        for option in ((), ("--json",)):
            shown = hermes(*words, *option).stdout
            assert not set(shown) & set("\x9b\u202e\u200b\U000e0041\x1b"), (words, option)
    assert json.loads(hermes("describe", "chat", "--json").stdout)["description"].startswith("Talk\x9b31m")
