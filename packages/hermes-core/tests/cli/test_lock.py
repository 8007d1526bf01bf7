"""`hermes lock` pins what models are shown; what changed since is held back until somebody accepts it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Run = Callable[..., CompletedProcess[str]]

RAISES = "raise RuntimeError('imported')\n"


class Shelf:
    """A folder with one plugin, known by its manifest, whose tools can be changed from version to version."""

    def __init__(self, folder: Path) -> None:
        self.package = folder / "hermes_lock_test_shelf"
        self.package.mkdir(parents=True)
        (self.package / "__init__.py").write_text(RAISES)
        self.info = folder / "hermes_tools_shelf-0.dist-info"
        self.info.mkdir()
        (self.info / "entry_points.txt").write_text("[hermes.plugins]\nshelf = hermes_lock_test_shelf\n")
        self.release("1.0", put={"limit": {"type": "integer", "maximum": 10}}, get={})

    def release(self, version: str, **tools: dict[str, Any]) -> None:
        entries = []
        for name, properties in tools.items():
            own = dict(properties)
            entry = {
                "name": f"shelf_{name}",
                "toolset": "shelf",
                "description": own.pop("description", f"The tool {name}."),
                "effects": own.pop("effects", []),
                "parameters": {"type": "object", "properties": own},
            }
            entries.append(entry)
        manifest = {"manifest": 1, "plugin": "shelf", "api": ">=1.0", "hooks": ["hermes_tools"], "tools": entries}
        (self.package / "hermes-plugin.json").write_text(json.dumps(manifest))
        self.ship_as(f"hermes_tools_shelf-{version}")

    def ship_as(self, distribution: str) -> None:
        self.info = self.info.rename(self.info.with_name(f"{distribution}.dist-info"))


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    folder = tmp_path / "shelf-site"
    made = Shelf(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delenv("HERMES_LOCK", raising=False)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return made


def told(outcome: CompletedProcess[str], code: int = 0) -> Any:
    assert outcome.returncode == code, outcome.stdout + outcome.stderr
    return json.loads(outcome.stdout)


def test_the_lock_is_written_and_says_the_same_when_nothing_changed(bare: Run, shelf: Shelf) -> None:
    outcome = bare("lock")
    assert outcome.stdout == "Wrote hermes.lock: 2 tools of 1 plugin.\n"
    written = Path("hermes.lock").read_bytes()
    assert json.loads(written)["plugins"] == {"shelf": {"distribution": "hermes-tools-shelf", "version": "1.0"}}
    os.utime("hermes.lock", (1, 1))
    assert bare("lock").stdout == "hermes.lock is up to date.\n"
    assert Path("hermes.lock").stat().st_mtime == 1
    assert told(bare("lock", "--json")) == {"file": "hermes.lock", "written": False, "plugins": 1, "tools": 2}
    assert bare("lock", "check").stdout.startswith("Everything matches ")
    assert bare("lock", "diff").stdout == "Nothing changed.\n"


def test_a_tool_that_changed_is_held_back_until_it_is_accepted(bare: Run, shelf: Shelf) -> None:
    bare("lock")
    shelf.release("1.1", put={"limit": {"type": "integer", "maximum": 99}, "effects": ["delete"]}, get={})
    listed = {tool["name"]: tool for tool in told(bare("tools", "--all", "--json"))["tools"]}
    assert listed["shelf_get"]["available"] is True
    assert listed["shelf_put"]["available"] is False
    assert "quarantined" in listed["shelf_put"]["reason"]
    assert "hermes lock accept shelf_put" in listed["shelf_put"]["remedy"]
    refused = bare("call", "shelf_put")
    assert refused.returncode == 5
    assert "quarantined" in json.loads(refused.stdout)["error"]
    assert "imported" not in refused.stderr

    checked = told(bare("lock", "check", "--json"), 1)
    assert (checked["ok"], [change["tool"] for change in checked["changes"]]) == (False, ["shelf_put"])
    difference = bare("lock", "diff").stdout
    assert "changed: shelf_put (shelf): effects, parameters" in difference
    assert '\n  + effects: ["delete"]\n' in difference
    path = "parameters.properties.limit.maximum"
    assert f"\n  - {path}: 10\n  + {path}: 99\n" in difference
    assert "1.0 -> 1.1" in difference

    assert bare("lock", "accept", "shelf_put").stdout.startswith("Accepted shelf_put in ")
    assert told(bare("why", "shelf_put", "--json"))["available"] is True
    assert told(bare("lock", "check", "--json"))["ok"] is True


def test_a_tool_that_came_later_is_held_back(bare: Run, shelf: Shelf) -> None:
    bare("lock")
    shelf.release("1.0", put={"limit": {"type": "integer", "maximum": 10}}, get={}, steal={})
    assert "it came after" in told(bare("why", "shelf_steal", "--json"), 5)["reason"]
    (change,) = told(bare("lock", "diff", "--json"))["changes"]
    assert (change["tool"], change["kind"]) == ("shelf_steal", "added")
    assert change["token_delta"] > 0


def test_a_tool_that_went_is_told_and_accepted(bare: Run, shelf: Shelf) -> None:
    bare("lock")
    shelf.release("1.0", get={})
    (change,) = told(bare("lock", "diff", "--json"))["changes"]
    assert (change["tool"], change["kind"]) == ("shelf_put", "removed")
    assert bare("lock", "accept", "shelf_put").returncode == 0
    assert bare("lock", "check").returncode == 0


def test_a_hidden_character_is_shown(bare: Run, shelf: Shelf) -> None:
    bare("lock")
    hidden = "The tool put.\u202e\u200b\x1b[2J"
    shelf.release("1.0", put={"limit": {"type": "integer", "maximum": 10}, "description": hidden}, get={})
    (change,) = told(bare("lock", "diff", "--json"))["changes"]
    assert change["fields"] == ["description"]
    printed = bare("lock", "diff").stdout
    assert r'+ description: "The tool put.\u202e\u200b\u001b[2J"' in printed
    assert not {"\u202e", "\u200b", "\x1b"} & {*printed}
    assert told(bare("why", "shelf_put", "--json"), 5)["available"] is False


def test_a_plugin_from_another_distribution_is_held_back(bare: Run, shelf: Shelf) -> None:
    bare("lock")
    shelf.ship_as("hermes_tools_evil-1.0")
    assert told(bare("why", "shelf_put", "--json"), 5)["available"] is False
    checked = told(bare("lock", "check", "--json"), 1)
    assert [change["fields"] for change in checked["changes"]] == [["distribution"], ["distribution"]]
    assert bare("lock").returncode == 0
    assert told(bare("why", "shelf_put", "--json"))["available"] is True


def test_the_lock_can_be_turned_off_for_one_run(bare: Run, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    bare("lock")
    shelf.release("1.1", get={"more": {"type": "string"}})
    assert bare("why", "shelf_get").returncode == 5
    monkeypatch.setenv("HERMES_LOCK", "off")
    assert bare("why", "shelf_get").returncode == 0


def test_without_a_lock_check_says_how_to_get_one(bare: Run, shelf: Shelf) -> None:
    for word in (["check"], ["diff"], ["accept", "shelf_get"]):
        outcome = bare("lock", *word)
        assert outcome.returncode == 2
        assert "Run 'hermes lock' to write one." in outcome.stderr


def test_a_broken_lock_is_refused_and_not_overwritten(bare: Run, shelf: Shelf) -> None:
    Path("hermes.lock").write_text("<<<<<<< HEAD\n{}")
    for words in (["tools"], ["lock", "check"], ["call", "shelf_get"]):
        outcome = bare(*words)
        assert outcome.returncode == 2
        assert "hermes.lock" in outcome.stderr
    assert bare("lock").returncode == 2
    assert Path("hermes.lock").read_text() == "<<<<<<< HEAD\n{}"
    Path("hermes.lock").unlink()
    assert bare("lock").returncode == 0
    assert bare("lock", "check").returncode == 0


def test_a_name_that_is_nowhere_is_answered_with_the_nearest(bare: Run, shelf: Shelf) -> None:
    bare("lock")
    outcome = bare("lock", "accept", "shelf_gett")
    assert outcome.returncode == 2
    assert "Did you mean 'shelf_get'" in outcome.stderr


def test_another_file_can_be_named(bare: Run, shelf: Shelf, tmp_path: Path) -> None:
    file = tmp_path / "other.lock"
    assert bare("lock", "--file", str(file)).returncode == 0
    assert file.exists()
    assert not Path("hermes.lock").exists()
    assert bare("lock", "check", "--file", str(file)).returncode == 0
    assert bare("lock", "--json", "check").returncode == 2


def test_a_lock_in_the_home_counts_where_the_project_has_none(bare: Run, shelf: Shelf, home: Path) -> None:
    home.mkdir()
    bare("lock", "--file", str(home / "hermes.lock"))
    shelf.release("1.1", get={"more": {"type": "string"}})
    assert bare("why", "shelf_get").returncode == 5
    assert bare("lock").stdout.startswith(f"Wrote {home / 'hermes.lock'}")
    assert bare("why", "shelf_get").returncode == 0


def test_a_lock_that_is_to_be_can_be_named_by_the_variable(
    bare: Run, shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "new.lock"
    monkeypatch.setenv("HERMES_LOCK", str(file))
    assert bare("tools").returncode == 2
    assert bare("lock").stdout.startswith(f"Wrote {file}")
    assert bare("lock", "check").returncode == 0


def test_without_the_lock_a_check_says_that_it_is_off(bare: Run, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    bare("lock")
    monkeypatch.setenv("HERMES_LOCK", "off")
    outcome = bare("lock", "check")
    assert outcome.returncode == 2
    assert "turned off" in outcome.stderr
