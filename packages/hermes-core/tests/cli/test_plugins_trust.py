"""`hermes plugins trust` lets a project's plugins run, as they are, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]

SOURCE = """
import os
from pathlib import Path
from hermes_core import hookimpl, tool
Path(os.environ["HERMES_HOME"]).with_name("ran").touch()

@tool(toolset="mine")
def greet() -> str:
    '''Greet whoever is there.'''
    return "hello"

@hookimpl
def hermes_tools():
    return [greet]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one plugin, in which the command is run."""
    folder = tmp_path / "project"
    plugins = folder / ".hermes" / "plugins"
    plugins.mkdir(parents=True)
    (plugins / "mine.py").write_text(SOURCE, encoding="utf-8")
    (plugins / "_helper.py").write_text("raise SystemExit(1)\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def plugin(project: Path) -> Path:
    """The file of the plugin."""
    return project / ".hermes" / "plugins" / "mine.py"


def status(process: Run) -> str:
    """What became of the project's plugin."""
    found: str = json.loads(process("plugins", "mine", "--json").stdout)["status"]
    return found


def test_a_projects_plugin_runs_once_it_is_trusted_and_not_before(process: Run, project: Path, home: Path) -> None:
    assert status(process) == "untrusted"
    assert not home.with_name("ran").exists()
    outcome = process("plugins", "trust")
    digest = f"sha256:{sha256(SOURCE.encode()).hexdigest()}"
    assert outcome.returncode == 0
    assert not home.with_name("ran").exists(), "trusting a file does not run it"
    assert f"mine.py  {len(SOURCE)} bytes  {digest[:19]}" in outcome.stdout
    assert (
        f"From now on, these versions of the files run with your permissions when you start hermes in {project}."
        in outcome.stdout
    )
    assert "_helper.py" not in outcome.stdout
    assert status(process) == "loaded"
    assert process("call", "greet").stdout == '"hello"\n'


def test_a_file_that_changes_or_comes_later_is_not_trusted(process: Run, plugin: Path) -> None:
    process("plugins", "trust")
    plugin.write_text(SOURCE + "\n", encoding="utf-8")
    plugin.with_name("later.py").write_text("raise SystemExit(1)", encoding="utf-8")
    assert status(process) == "untrusted"
    files = json.loads(process("plugins", "trust", "--list", "--json").stdout)["folders"][0]["files"]
    assert [(file["file"], file["state"]) for file in files] == [("later.py", "new"), ("mine.py", "changed")]
    again = process("plugins", "trust")
    rows = {line.split()[0]: line.split()[-1] for line in again.stdout.splitlines() if ".py" in line}
    assert rows == {"later.py": "new", "mine.py": "changed"}
    assert status(process) == "loaded"


def test_the_list_shows_folders_files_and_whether_they_changed(process: Run, plugin: Path) -> None:
    nothing = process("plugins", "trust", "--list")
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (0, "", "No directory is trusted.\n")
    process("plugins", "trust")
    listed = process("plugins", "trust", "--list").stdout.splitlines()[1]
    assert listed.split() == [str(plugin.parent), "mine.py", listed.split()[2], "unchanged"]
    plugin.unlink()
    assert process("plugins", "trust", "--list").stdout.splitlines()[1].endswith("gone")


@pytest.mark.parametrize("word", ["project", "project/.hermes/plugins"])
def test_the_folder_can_be_named(process: Run, project: Path, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.parent)
    answer = json.loads(process("plugins", "trust", word, "--json").stdout)
    assert (answer["folder"], answer["trusted"]) == (str(project / ".hermes" / "plugins"), True)
    assert [(file["file"], file["size"], file["state"]) for file in answer["files"]] == [
        ("mine.py", len(SOURCE), "new")
    ]
    monkeypatch.chdir(project)
    assert status(process) == "loaded"


def test_trust_can_be_taken_back_even_when_the_folder_is_gone(process: Run, project: Path, plugin: Path) -> None:
    process("plugins", "trust")
    outcome = process("plugins", "trust", "--revoke")
    assert outcome.returncode == 0
    assert "no longer trusted" in outcome.stdout
    assert status(process) == "untrusted"
    again = process("plugins", "trust", "--revoke")
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == (
        f"hermes: error: {plugin.parent} is not trusted. 'hermes plugins trust --list' lists trusted directories.\n"
    )
    process("plugins", "trust")
    plugin.parent.rename(project / "elsewhere")
    assert json.loads(process("plugins", "trust", "--revoke", "--json").stdout)["trusted"] is False


def test_nothing_to_trust_is_one_line(process: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = process("plugins", "trust")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert outcome.stderr == f"hermes: error: There is nothing to trust: no plugin in {tmp_path / '.hermes/plugins'}.\n"


def test_ones_own_plugins_need_no_trust(process: Run, project: Path) -> None:
    outcome = process("plugins", "trust", HERMES_HOME=str(project / ".hermes"))
    assert outcome.returncode == 2
    assert "needs no trust" in outcome.stderr


def test_options_that_do_not_go_together_are_refused(process: Run, project: Path) -> None:
    for words in (("--revoke",), (str(project),)):
        outcome = process("plugins", "trust", "--list", *words)
        assert outcome.returncode == 2
        assert "--list takes no other options" in outcome.stderr


def test_a_damaged_list_of_trust_is_moved_aside(process: Run, project: Path, home: Path) -> None:
    home.mkdir()
    (home / "trusted-plugins.json").write_text("{", encoding="utf-8")
    outcome = process("plugins", "trust")
    assert outcome.returncode == 0
    assert "trusted-plugins.json.broken" in outcome.stderr
    assert (home / "trusted-plugins.json.broken").read_text("utf-8") == "{"
