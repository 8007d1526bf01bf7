"""`hermes doctor` finds problems of settings, plugins and tools, and says what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from hermes_core import API_VERSION, __version__

Run = Callable[..., CompletedProcess[str]]


def symptoms(outcome: CompletedProcess[str]) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for symptom in json.loads(outcome.stdout)["symptoms"]:
        grouped.setdefault(symptom["subject"], []).append(symptom)
    return grouped


def test_where_nothing_is_wrong_it_says_so(bare: Run) -> None:
    outcome = bare("doctor")
    assert outcome.returncode == 0, outcome.stdout
    assert f"{__version__}, plugin API {API_VERSION}" in outcome.stdout
    assert outcome.stdout.endswith("No problems found.\n")
    assert re.search(r"^Checked .* in \d+\.\d s\.$", outcome.stdout, re.MULTILINE)


def test_a_plugin_that_cannot_be_imported_is_an_error_with_a_remedy(hermes: Run) -> None:
    outcome = hermes("doctor", "--json")
    assert outcome.returncode == 1
    assert json.loads(outcome.stdout)["ok"] is False
    found = symptoms(outcome)
    (cracked,) = found["plugin cracked"]
    assert cracked["level"] == "error"
    assert "no_such_module_anywhere" in cracked["message"]
    assert "Install" in cracked["remedy"]
    assert found["plugin dice"][0]["level"] == "ok"
    assert found["tool buy_dice"][0]["message"] == "the environment variable DICE_SHOP_KEY is not set"
    assert found["tools"][0]["message"] == "4 of 5 are available"
    assert json.loads(outcome.stdout)["not_exercised"] == ["burn_dice", "lose_dice", "roll_dice", "watch_dice"]


def test_people_read_what_is_wrong_and_what_to_do_below_it(hermes: Run) -> None:
    lines = hermes("doctor").stdout.splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith("FAIL  plugin cracked"))
    assert lines[at + 1].startswith("      Install")
    assert lines[-1] == "1 problem."


def test_settings_that_cannot_be_used_are_shown_and_hide_nothing_else(hermes: Run, home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("plugins:\n  disabled: 5\ncals: {}\n", encoding="utf-8")
    outcome = hermes("doctor", "--json")
    found = symptoms(outcome)
    assert outcome.returncode == 1
    assert any("config.yaml:2" in symptom["message"] for symptom in found["config"])
    assert any("calls" in symptom["message"] for symptom in found["config"])
    assert found["plugin dice"][0]["level"] == "ok"


def test_a_lock_that_cannot_be_read_is_an_error(hermes: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hermes.lock").write_text("{", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (lock,) = symptoms(hermes("doctor", "--json"))["lock"]
    assert lock["level"] == "error"
    assert "HERMES_LOCK=off" in lock["remedy"]


def test_secrets_that_others_can_read_are_a_warning(bare: Run, home: Path) -> None:
    home.mkdir()
    (home / ".env").write_text("KEY=1\n", encoding="utf-8")
    (home / ".env").chmod(0o644)
    outcome = bare("doctor", "--json")
    assert outcome.returncode == 1
    assert any("chmod 600" in str(symptom["remedy"]) for symptom in symptoms(outcome)["modes"])
    (home / ".env").chmod(0o600)
    assert bare("doctor").returncode == 0


def test_a_home_that_is_a_file_is_an_error(bare: Run, home: Path) -> None:
    home.write_text("", encoding="utf-8")
    outcome = bare("doctor", "--json")
    assert outcome.returncode == 1
    assert symptoms(outcome)["home"][0]["level"] == "error"


def test_a_manifest_that_lies_is_found_unless_imports_are_declined(
    bare: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "hermes_doctor_test_liar"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "import hermes_core\n\n@hermes_core.hookimpl\ndef hermes_tools():\n    return []\n"
    )
    tool = {"name": "promised", "toolset": "liar", "parameters": {"type": "object"}}
    manifest = {"manifest": 1, "plugin": "liar", "api": ">=1.0", "hooks": ["hermes_tools"], "tools": [tool]}
    (package / "hermes-plugin.json").write_text(json.dumps(manifest), encoding="utf-8")
    info = package.parent / "hermes_tools_liar-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hermes-tools-liar\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[hermes.plugins]\nliar = hermes_doctor_test_liar\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(package.parent))
    assert symptoms(bare("doctor", "--no-import", "--json"))["plugin liar"][0]["level"] == "ok"
    (found,) = symptoms(bare("doctor", "--json"))["plugin liar"]
    assert found["level"] == "warning"
    assert "'promised' is in it, but not in the code" in found["message"]
