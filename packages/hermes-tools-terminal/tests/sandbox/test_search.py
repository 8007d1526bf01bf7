"""Searches in a sandbox: what it hides is not found."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from hermes_tools_terminal.environments.sandbox import environment as sandbox
from hermes_tools_terminal.environments.sandbox.environment import SandboxEnvironment
from hermes_tools_terminal.files.filesystem import FileInfo
from hermes_tools_terminal.search.query import Request
from hermes_tools_terminal.search.search import SearchContext, search
from hermes_tools_terminal.settings import TerminalSettings


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder that a sandbox does not hide: a project, and beside it something that is hidden."""
    folder = Path(tempfile.mkdtemp(prefix="hermes-search-", dir="/srv" if os.geteuid() == 0 else Path.home()))
    for name in ("work/a.txt", "work/sub/b.txt", "mine/secret.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("hit\n")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def place(base: Path, engine: str, home: Path) -> Iterator[SandboxEnvironment]:
    """An open sandbox."""
    hidden = {"engine": engine, "hidden": [str(base / "mine")]}
    settings = TypeAdapter(TerminalSettings).validate_python({"cwd": str(base / "work"), "sandbox": hidden})
    made = sandbox.make(settings, task="t", home=str(home))
    made.open()
    yield made
    made.close()


@pytest.mark.parametrize("program", ["ripgrep", "python", "grep"])
def test_the_workspace_is_searched_and_what_is_hidden_is_not(
    place: SandboxEnvironment, base: Path, engine: str, program: str
) -> None:
    if program == "ripgrep" and shutil.which("rg") is None:
        pytest.skip("There is no rg: install ripgrep.")
    work = find(place, base / "work", program)
    assert work["engine"] == program
    assert [match["path"] for match in work["matches"]] == ["a.txt", "sub/b.txt"]
    # Landlock does not even let a folder be listed in which something is hidden.
    around = [match["path"] for match in find(place, base, program).get("matches", ())]
    assert around == (["work/a.txt", "work/sub/b.txt"] if engine == "bubblewrap" else [])


def find(place: SandboxEnvironment, folder: Path, program: str) -> dict[str, Any]:
    looked = FileInfo(asked=str(folder), path=str(folder), kind="folder")
    return search(Request(pattern="hit"), SearchContext(environment=place, found=looked, engine=program))
