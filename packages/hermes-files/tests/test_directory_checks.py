"""Directories that hold state are checked for space, modes and leftovers."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from hermes_files.directory_checks import check_modes, check_space, find_leftovers, list_files


def test_a_directory_that_can_be_written_is_no_problem_and_stays_empty(tmp_path: Path) -> None:
    assert [each.message for each in check_space(tmp_path, "") if each.level == "error"] == []
    assert list_files(tmp_path) == []


def test_a_directory_that_is_missing_is_an_error_with_the_remedy_that_was_given(tmp_path: Path) -> None:
    (found,) = check_space(tmp_path / "missing", "Create it.")
    assert (found.level, found.remedy) == ("error", "Create it.")
    assert "cannot be written" in found.message


@pytest.mark.parametrize(
    ("mode", "is_private", "said"),
    [(0o644, True, "others can read"), (0o644, False, None), (0o666, False, "others can change"), (0o600, True, None)],
)
def test_what_others_can_read_or_change_is_a_warning(
    tmp_path: Path, mode: int, is_private: bool, said: str | None
) -> None:
    file = tmp_path / "state.json"
    file.touch()
    file.chmod(mode)
    found = list(check_modes(() if is_private else [file], [file] if is_private else ()))
    assert [each.remedy for each in found] == ([f"Run: chmod 600 {file}"] if said else [])
    assert all(str(said) in each.message for each in found)


def test_old_temporary_files_and_damaged_files_are_noted(tmp_path: Path) -> None:
    old, new, broken = tmp_path / f".{'0' * 16}.tmp", tmp_path / f".{'1' * 16}.tmp", tmp_path / "state.json.broken"
    for file in (old, new, broken):
        file.touch()
    an_hour_ago = time.time() - 3600
    os.utime(old, (an_hour_ago, an_hour_ago))
    damaged, abandoned = find_leftovers([tmp_path, tmp_path / "missing"])
    assert str(broken) in damaged.message
    assert str(old) in abandoned.message
    assert str(new) not in abandoned.message
