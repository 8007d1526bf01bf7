"""`hermes plugins` shows what became of each plugin."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

Run = Callable[..., CompletedProcess[str]]


def test_the_table_tells_what_loaded_and_what_did_not(hermes: Run) -> None:
    outcome = hermes("plugins")
    rows = {line.split()[0]: line.split() for line in outcome.stdout.splitlines() if line}
    assert outcome.returncode == 0
    assert rows["dice"][1:6] == ["hermes-tools-dice", "1.2", "loaded", "5", "2"]
    assert outcome.stdout.count("hermes-tools-cracked  0.1") == 1
    assert "No module named 'no_such_module_anywhere'" in outcome.stdout
    assert "What to do: Install what provides the module" in outcome.stdout
    assert "1 of 2 plugins have a problem; the others work." in outcome.stdout


def test_what_the_table_tells_is_not_warned_of_as_well(hermes: Run) -> None:
    assert "warning" not in hermes("plugins").stderr


def test_json_names_problems_and_remedies(hermes: Run) -> None:
    cracked, dice = json.loads(hermes("plugins", "--json").stdout)["plugins"]
    assert cracked["status"] == "failed"
    assert "no_such_module_anywhere" in cracked["problems"][0]
    assert cracked["remedy"]
    assert dice["tools"] == ["burn_dice", "buy_dice", "lose_dice", "roll_dice", "watch_dice"]
    assert set(dice["hooks"]) == {"hermes_tools", "hermes_pre_tool_call"}
    assert dice["problems"] == []
    assert dice["remedy"] is None
    assert dice["seconds"] >= 0


def test_a_disabled_plugin_says_which_setting_disables_it(hermes: Run, home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("plugins: {disabled: [cracked]}\n", encoding="utf-8")
    outcome = hermes("plugins")
    assert "cracked (disabled)" in outcome.stdout
    assert "plugins.disabled" in outcome.stdout
    assert "problem" not in outcome.stdout


def test_without_plugins_it_says_so(bare: Run) -> None:
    outcome = bare("plugins")
    assert outcome.returncode == 0
    assert "No plugins are installed." in outcome.stderr
    assert json.loads(bare("plugins", "--json").stdout) == {"plugins": []}
