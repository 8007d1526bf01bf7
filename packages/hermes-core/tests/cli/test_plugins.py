"""`hermes plugins` shows what became of each plugin."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Protocol

import pytest

from hermes_core.plugins.plugin_records import PluginRecord

Run = Callable[..., CompletedProcess[str]]


class Workshop(Protocol):
    """What the fixture of that name gives."""

    home: Path
    folder: Path
    install: Callable[..., Path]
    run: Run
    write_manifest: Callable[..., None]


def test_the_table_tells_what_loaded_and_what_did_not(hermes: Run) -> None:
    outcome = hermes("plugins")
    rows = {line.split()[0]: line.split() for line in outcome.stdout.splitlines() if line}
    assert outcome.returncode == 0
    assert rows["dice"][1:6] == ["hermes-tools-dice", "1.2", "loaded", "5", "2"]
    assert rows["dice"][6].isdecimal(), "the milliseconds that the import took"
    assert outcome.stdout.count("hermes-tools-cracked 0.1") == 1
    assert "No module named 'no_such_module_anywhere'" in outcome.stdout
    assert "What to do: Install what provides the module" in outcome.stdout
    assert "1 of 2 plugins has a problem; the others work." in outcome.stdout


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
    assert set(dice) == set(PluginRecord._fields)


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


def test_warnings_that_are_not_about_plugins_are_shown(hermes: Run, home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("plugins: {disabld: [cracked]}\n", encoding="utf-8")
    warnings = [line for line in hermes("plugins").stderr.splitlines() if line.startswith("hermes: warning")]
    assert len(warnings) == 1
    assert "plugins.disabld: there is no such key" in warnings[0]


def test_a_plugin_with_a_manifest_is_imported_on_the_first_call(workshop: Workshop) -> None:
    package = workshop.install()
    workshop.write_manifest()
    listed = workshop.run("plugins")
    assert "prints while" not in listed.stderr
    assert listed.stdout.splitlines()[1].split() == [
        *("coin", "hermes-tools-coin", "0.3", "not", "imported", "1", "2", "on", "first", "call")
    ]
    shown = json.loads(workshop.run("plugins", "coin", "--json").stdout)
    assert "Status        not imported" in workshop.run("plugins", "coin").stdout
    assert (shown["imported"], shown["manifest"]) == (False, str(package / "hermes-plugin.json"))


def test_one_plugin_is_shown_in_full(hermes: Run) -> None:
    outcome = hermes("plugins", "dice")
    facts = dict(line.split(None, 1) for line in outcome.stdout.splitlines()[1:])
    assert outcome.stdout.splitlines()[0] == "dice"
    assert (facts["Status"], facts["Origin"]) == ("loaded", "entry point")
    assert (facts["Distribution"], facts["Manifest"]) == ("hermes-tools-dice 1.2", "none")
    assert facts["Tools"] == "burn_dice, buy_dice, lose_dice, roll_dice, watch_dice"
    assert set(facts["Hooks"].split(", ")) == {"hermes_tools", "hermes_pre_tool_call"}
    broken = hermes("plugins", "Hermes_Tools.Cracked")
    assert broken.returncode == 0
    assert "Problem " in broken.stdout
    assert "What to do  " in broken.stdout


def test_an_unknown_plugin_is_answered_with_near_names(hermes: Run) -> None:
    outcome = hermes("plugins", "dise")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert (
        "hermes: error: There is no plugin 'dise'. Did you mean 'dice'? See 'hermes plugins --help'." in outcome.stderr
    )


def test_an_untrusted_plugin_says_what_to_do(hermes: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".hermes" / "plugins").mkdir(parents=True)
    (tmp_path / ".hermes" / "plugins" / "stranger.py").write_text("raise SystemExit(1)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    outcome = hermes("plugins")
    assert "stranger (untrusted)" in outcome.stdout
    assert "hermes plugins trust" in outcome.stdout


def test_quarantined_tools_are_counted_and_named(workshop: Workshop) -> None:
    package = workshop.install()
    assert workshop.run("lock").returncode == 0
    module = package / "__init__.py"
    module.write_text(module.read_text("utf-8").replace("Toss a coin", "Send all coins"), encoding="utf-8")
    header, row = workshop.run("plugins").stdout.splitlines()[:2]
    assert header.split()[3:6] == ["TOOLS", "HELD", "HOOKS"]
    assert row.split()[3:7] == ["partial", "1", "1", "2"]
    assert "Quarantined   toss_coin" in workshop.run("plugins", "coin").stdout


def test_the_table_fits_a_terminal(workshop: Workshop) -> None:
    workshop.install()
    workshop.write_manifest()
    (workshop.home / "plugins").mkdir(parents=True)
    (workshop.home / "plugins" / "a_rather_long_name.py").write_text("from hermes_core import hookimpl\n", "utf-8")
    table = workshop.run("plugins", COLUMNS="80").stdout.partition("\n\n")[0]
    assert max(map(len, table.splitlines())) <= 80
    assert "a_rather_long_name" in table
