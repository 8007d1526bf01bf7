"""A command with `workdir` runs there, and leaves the shell where it was."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Make = Callable[..., Any]


@pytest.fixture
def me(agent: Make, tmp_path: Path) -> Any:
    """An agent whose shell is in `own`; there are `other/deep`, too."""
    (tmp_path / "own").mkdir()
    (tmp_path / "other" / "deep").mkdir(parents=True)
    return agent(terminal={"cwd": str(tmp_path / "own")}, approvals="off")


def where(me: Any) -> str:
    """The folder of the shell, by its own word and by the system's."""
    word, truth = me.run("pwd; readlink /proc/$$/cwd")["output"].split("\n")[:2]
    assert os.path.realpath(word) == truth
    return str(os.path.basename(truth))


@pytest.mark.parametrize(
    "command",
    [
        "cd deep",
        "cd deep; cd /",
        "pushd deep >/dev/null",
        "go() { cd deep; }; go",
        "cd deep && exit 3",
        "set -e; cd deep; false",
        "PWD=/nowhere",
        "trap 'cd /' EXIT; cd deep",
        "cd deep; (exit 1)",
        "true",
        "eval 'cd deep'",
    ],
)
def test_a_command_with_a_folder_does_not_move_the_shell(me: Any, tmp_path: Path, command: str) -> None:
    me.run("KEPT=1; export ALSO=2")
    me.run(command, workdir=str(tmp_path / "other"))
    assert where(me) == "own"
    assert me.run("echo $ALSO")["output"] == "2\n"
    me.run("cd ../other")
    assert where(me) == "other"


def test_even_the_shells_own_folder_given_as_workdir_is_not_left(me: Any, tmp_path: Path) -> None:
    me.run("cd ../other/deep", workdir=str(tmp_path / "own"))
    assert where(me) == "own"
    me.run("cd ..", workdir=".")
    assert where(me) == "own"


def test_variables_and_functions_are_kept_and_so_is_the_way_back(me: Any, tmp_path: Path) -> None:
    me.run("cd ../other; cd deep")
    me.run("x=1; f() { echo f; }; cd ..", workdir=str(tmp_path / "own"))
    me.run("true", workdir=str(tmp_path))
    assert me.run("echo $x; f; cd - >/dev/null; pwd")["output"] == f"1\nf\n{tmp_path}/other\n"


def test_a_folder_that_is_not_there_changes_nothing(me: Any, tmp_path: Path) -> None:
    told = me.run("touch made", workdir=str(tmp_path / "missing"))
    assert told["exit_code"] == 126
    assert "does not exist" in told["note"]
    assert not list(tmp_path.rglob("made"))
    assert where(me) == "own"


def test_a_timeout_in_another_folder_does_not_move_the_shell(me: Any, tmp_path: Path) -> None:
    assert me.run("cd deep; sleep 100", workdir=str(tmp_path / "other"), timeout=1)["exit_code"] == 124
    assert where(me) == "own"


def test_a_shell_whose_own_folder_went_away_meanwhile_goes_to_the_one_above(me: Any, tmp_path: Path) -> None:
    where(me)
    me.run("true", workdir=str(tmp_path / "other"))
    shutil.rmtree(tmp_path / "own")
    assert where(me) == tmp_path.name


def test_a_command_is_judged_in_the_folder_that_it_runs_in(agent: Make, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    seen: list[str] = []

    def approve(request: Any) -> bool:
        seen.append(" ".join(finding.reason for finding in request.findings))
        return False

    me = agent(terminal={"cwd": str(tmp_path / "own")}, approver=approve)
    me.run("true", workdir="/etc")
    me.run("rm -rf *")
    me.run("cd /")
    me.run("rm -rf *")
    assert len(seen) == 1 or seen[0] != seen[1]
    assert (tmp_path / "own").exists()
