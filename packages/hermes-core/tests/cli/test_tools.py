"""`hermes tools` lists what can be used, and says what cannot."""

from __future__ import annotations

import json
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]


def test_the_available_tools_are_listed_as_aligned_text(hermes: Run) -> None:
    outcome = hermes("tools")
    lines = outcome.stdout.splitlines()
    assert outcome.returncode == 0
    assert lines[0].split() == ["NAME", "TOOLSET", "DESCRIPTION"]
    assert [line.split()[0] for line in lines[1:]] == ["burn_dice", "lose_dice", "roll_dice", "watch_dice"]
    assert len({line.index("dice ", 11) for line in lines[1:]}) == 1
    assert "🎲 Roll dice." in outcome.stdout
    assert "fall in the same way" not in outcome.stdout
    assert "\x1b" not in outcome.stdout


def test_what_a_plugin_prints_stays_out_of_the_output(process: Run) -> None:
    outcome = process("tools")
    assert "prints" not in outcome.stdout
    assert "the plugin prints while it is imported" in outcome.stderr


def test_a_tool_that_cannot_run_is_counted_and_shown_with_all(hermes: Run) -> None:
    assert "Not available: 1 tool. 'hermes tools --all' explains why." in hermes("tools").stderr
    outcome = hermes("tools", "--all")
    row = next(line for line in outcome.stdout.splitlines() if line.startswith("buy_dice"))
    assert row.split()[2] == "no"
    assert "the environment variable DICE_SHOP_KEY is not set. Set DICE_SHOP_KEY" in row


def test_the_requirement_once_met_makes_the_tool_appear(hermes: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICE_SHOP_KEY", "k")
    assert "buy_dice" in hermes("tools").stdout


def test_json_has_a_stable_shape(hermes: Run) -> None:
    rows = json.loads(hermes("tools", "--all", "--json").stdout)["tools"]
    assert [row["name"] for row in rows] == ["burn_dice", "buy_dice", "lose_dice", "roll_dice", "watch_dice"]
    assert rows[1] == {
        "name": "buy_dice",
        "toolset": "dice",
        "emoji": "",
        "description": "Buy dice.",
        "effects": ["network", "spend"],
        "available": False,
        "reason": "the environment variable DICE_SHOP_KEY is not set",
        "remedy": "Set DICE_SHOP_KEY in the environment, or store it with 'hermes config set DICE_SHOP_KEY -'.",
    }
    assert rows[0].keys() == rows[1].keys()
    assert rows[0]["reason"] is None


def test_toolsets_narrow_the_list(hermes: Run) -> None:
    assert len(json.loads(hermes("tools", "--toolset", "web", "--toolset", "dice", "--json").stdout)["tools"]) == 4
    outcome = hermes("tools", "--toolset", "web")
    assert outcome.stdout == ""
    assert "None of the tools of 'web' is installed." in outcome.stderr


def test_an_unknown_toolset_is_one_line_with_near_names(hermes: Run) -> None:
    outcome = hermes("tools", "--toolset", "dicee")
    assert outcome.returncode == 2
    assert "hermes: error: Unknown toolset 'dicee'. Did you mean 'dice'?\n" in outcome.stderr


def test_without_tools_it_says_how_to_get_some(bare: Run) -> None:
    outcome = bare("tools")
    assert outcome.returncode == 0
    assert outcome.stdout == ""
    for words in ("No tools are installed", "hermes.plugins", "hermes demo", "hermes-tools-web", "./packages/"):
        assert words in outcome.stderr
    assert json.loads(bare("tools", "--json").stdout) == {"tools": []}


def test_columns_limits_the_width_without_breaking_names(hermes: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = hermes("tools", "--all").stdout.splitlines()
    assert "watch_dice" in {line.split()[0] for line in lines if line[0] != " "}
    monkeypatch.setenv("COLUMNS", "60")
    outcome = hermes("toolsets", "--all")
    assert max(map(len, outcome.stdout.splitlines())) <= 60
    assert "code_execution" in outcome.stdout
