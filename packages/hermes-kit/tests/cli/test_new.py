"""`hermes plugin new` makes a project that is complete and green from the first minute."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_its_tests_pass_and_its_manifest_is_fresh(process: Run, there: Path, environment: dict[str, str]) -> None:
    made = process("plugin", "new", "tea-pot", "--json")
    assert made.returncode == 0, made.stderr
    files = json.loads(made.stdout)["files"]
    assert "src/hermes_tools_tea_pot/hermes-plugin.json" in files
    project = there / "hermes-tools-tea-pot"
    assert sorted(files) == sorted(
        str(file.relative_to(project))
        for file in project.rglob("*")
        if file.is_file() and "__pycache__" not in str(file)
    )
    declared = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert declared["entry-points"]["hermes.plugins"] == {"tea-pot": "hermes_tools_tea_pot"}
    path = os.pathsep.join(filter(None, [str(project / "src"), environment.get("PYTHONPATH")]))
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "tests"],
        cwd=project,
        env=environment | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert tests.returncode == 0, tests.stdout + tests.stderr
    assert "4 passed" in tests.stdout
    for word in (["manifest", "--check"], ["check"]):
        assert process("plugin", *word, str(project)).returncode == 0


def test_it_can_be_called_at_once(process: Run, there: Path) -> None:
    process("plugin", "new", "tea", "--folder", "mine")
    called = process(
        "call", "tea_hello", "name=Ada", HERMES_PLUGINS="hermes_tools_tea", PYTHONPATH=str(there / "mine" / "src")
    )
    assert (called.returncode, called.stdout) == (0, '"Hello, Ada!"\n'), called.stderr


def test_a_name_of_ours_makes_nothing(bare: Run, there: Path) -> None:
    outcome = bare("plugin", "new", "search")
    assert outcome.returncode == 2
    assert "the name 'search' is reserved for the plugin of hermes-search" in outcome.stderr
    assert [file for file in there.iterdir() if file.name != "home"] == []


@pytest.mark.parametrize("name", ["", "Tea", "tea_pot", "1st", "tea pot", "../tea", "-tea", "class", "t" * 41, "té"])
def test_what_cannot_be_a_name_makes_nothing(bare: Run, there: Path, name: str) -> None:
    outcome = bare("plugin", "new", "--", name)
    assert outcome.returncode == 2
    assert "cannot be the name of a plugin" in outcome.stderr
    assert [file for file in there.iterdir() if file.name != "home"] == []


def test_nothing_is_overwritten(bare: Run, there: Path) -> None:
    folder = there / "hermes-tools-tea"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    outcome = bare("plugin", "new", "tea")
    assert outcome.returncode == 2
    assert "already exists" in outcome.stderr
    assert [file.name for file in folder.iterdir()] == ["notes.txt"]
