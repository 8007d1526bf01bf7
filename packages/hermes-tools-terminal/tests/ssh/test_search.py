"""Searches on another machine."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.ssh.environment import SshEnvironment
from hermes_tools_terminal.files.filesystem import FileInfo
from hermes_tools_terminal.search.query import Request
from hermes_tools_terminal.search.search import SearchContext, search

Places = Callable[..., SshEnvironment]
_MADE = """
rm -rf ~/searched; mkdir -p ~/searched/sub ~/searched/.git && cd ~/searched && echo 'x*' >.gitignore
printf 'hit 1\\n\\nhit é 3\\n' >'a $(b).txt'; printf 'hit' >sub/-v; echo hit >xignored; echo hit >id_rsa; pwd
"""


@pytest.fixture
def found(sshd: Any, place: Places) -> tuple[SshEnvironment, str]:
    """A place, and a folder in it with something to find."""
    made = place(sshd)
    return made, made.run(_MADE).decode().strip()


def find(place: SshEnvironment, folder: str, pattern: str, engine: str = "", **more: Any) -> dict[str, Any]:
    looked = FileInfo(asked=folder, path=folder, kind="folder")
    return search(Request(pattern=pattern, **more), SearchContext(environment=place, found=looked, engine=engine))


@pytest.mark.parametrize("engine", ["ripgrep", "python", "grep"])
def test_lines_are_found_there(found: tuple[SshEnvironment, str], engine: str) -> None:
    if engine == "ripgrep" and shutil.which("rg") is None:
        pytest.skip("There is no rg: install ripgrep.")
    told = find(*found, "^hit", engine)
    assert told["engine"] == engine
    assert [(match["path"], match["line"], match["content"]) for match in told["matches"]] == [
        ("a $(b).txt", 1, "hit 1"),
        ("a $(b).txt", 3, "hit é 3"),
        ("sub/-v", 1, "hit"),
    ]
    assert (told["total_count"], told["skipped_protected"]) == (3, 1)


def test_a_place_that_is_gone_is_an_error_of_the_place(own_sshd: Callable[..., Any], place: Places) -> None:
    server = own_sshd()
    made = place(server)
    server.kill()
    with pytest.raises(TerminalEnvironmentError):
        find(made, "/tmp", "x")


@pytest.mark.parametrize("engine", ["ripgrep", "python", "grep"])
def test_paths_too_long_for_one_command_are_no_trouble(found: tuple[SshEnvironment, str], engine: str) -> None:
    if engine == "ripgrep" and shutil.which("rg") is None:
        pytest.skip("There is no rg: install ripgrep.")
    place, folder = found
    deep = "/".join(["d" * 250] * 8)
    place.run(f"cd {folder} && mkdir -p {deep} && cd {deep} && for n in $(seq 120); do echo needle >f$n; done")
    told = find(place, folder, "needle", engine, limit=120)
    assert (told["total_count"], told["limit_reason"], len(told["matches"]) > 20) == (120, "size", True), told


@pytest.mark.parametrize("engine", ["ripgrep", "python", "grep"])
def test_a_long_pattern_is_no_trouble(found: tuple[SshEnvironment, str], engine: str) -> None:
    if engine == "ripgrep" and shutil.which("rg") is None:
        pytest.skip("There is no rg: install ripgrep.")
    place, folder = found
    told = find(place, folder, "[" + "\U0001f600" * 4900 + "h]it", engine, ignore_case=True)
    assert told.get("total_count") == 3, told
