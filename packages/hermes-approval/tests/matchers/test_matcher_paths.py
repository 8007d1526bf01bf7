"""Paths in all the spellings that mean the same place."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from hermes_approval.matchers.paths import compile_under
from hermes_approval.matchers.rule_error import RuleError


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("{home}/.ssh", True),
        ("{home}/.ssh/", True),
        ("{home}/.ssh/id_rsa", True),
        ("~/.ssh/id_rsa", True),
        ("~/.ssh/../.ssh/./id_rsa", True),
        ("{home}//.ssh//x", True),
        ("~/x/../.ssh/id_rsa", True),
        ("~/link/id_rsa", True),
        ("~/.ssh/../notes", False),
        ("~/.sshx/id_rsa", False),
        ("~", False),
        ("/", False),
        ("", False),
        ("a text that is no path at all", False),
    ],
)
def test_a_path_is_under_a_folder_however_it_is_spelt(
    path: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / ".ssh")
    spelt = path.format(home=tmp_path)
    assert compile_under("~/.ssh", strict=True)(spelt) is expected
    assert compile_under("~/.ssh", strict=False)(spelt) is expected


def test_a_link_out_of_a_folder_does_not_count_as_inside_when_that_would_be_milder(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "out").symlink_to("/etc")
    path = str(tmp_path / "inside" / "out" / "passwd")
    assert compile_under(str(tmp_path / "inside"), strict=True)(path)
    assert not compile_under(str(tmp_path / "inside"), strict=False)(path)
    assert compile_under("/etc", strict=True)(path)


def test_a_link_followed_by_two_dots_is_read_both_ways(tmp_path: Path) -> None:
    for folder in ("inside", "elsewhere", "elsewhere/deep"):
        (tmp_path / folder).mkdir()
    (tmp_path / "inside" / "link").symlink_to(tmp_path / "elsewhere" / "deep")
    path = str(tmp_path / "inside" / "link" / ".." / "secret")
    assert not compile_under(str(tmp_path / "inside"), strict=False)(path), "the system opens elsewhere/secret"
    assert compile_under(str(tmp_path / "inside"), strict=True)(path)
    assert compile_under(str(tmp_path / "elsewhere"), strict=True)(path)


def test_a_folder_that_cannot_be_is_refused() -> None:
    with pytest.raises(RuleError, match="not a directory"):
        compile_under("/a\0b", strict=True)


def test_a_folder_behind_a_link_is_the_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    assert compile_under(str(tmp_path / "alias"), strict=False)(str(tmp_path / "real" / "x"))


def test_everything_is_under_the_root_and_relative_paths_start_where_the_process_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compile_under("/", strict=False)("/etc")
    monkeypatch.chdir(tmp_path)
    assert compile_under(str(tmp_path), strict=False)("notes.txt")
    assert not compile_under(str(tmp_path), strict=False)("../notes.txt")


def test_a_path_with_a_nul_is_a_doubt(tmp_path: Path) -> None:
    path = f"{tmp_path}\0/../../etc"
    assert compile_under(str(tmp_path), strict=True)(path)
    assert not compile_under(str(tmp_path), strict=False)(path)


def test_a_path_that_is_too_long_to_follow_is_a_doubt(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/")
    long = [
        "/a" * 500_000,
        "a/../" * 200_000 + "b",
        "~/.ssh/" + "a/" * 20_000,
        f"{tmp_path}/link/../" * 2_000 + "x",
        f"{os.path.expanduser('~/.ssh')}/" + "x" * 20_000,
    ]
    started = time.process_time()
    for text in long:
        assert compile_under("~/.ssh", strict=True)(text)
        assert not compile_under("~/.ssh", strict=False)(text)
    assert time.process_time() - started < 5


def test_a_long_text_with_a_word_that_no_file_system_holds_leads_nowhere() -> None:
    text = "/usr/bin/env is a path\n" + "and this is none, " * 2_000
    assert not compile_under("~/.ssh", strict=True)(text)
    assert compile_under("/usr", strict=True)(text)


@pytest.mark.parametrize(
    "spelling",
    [
        " {}/x", "\u00a0{}/x", "\u3000{}/x", "\u2028{}/x", "\ufeff{}/x", "\ufeff\u2003{}/x ", "\n{}", "'{}/x'",
        "<{}/x>", "file://{}/x", "file:{}/x", "FILE://localhost{}/x", " file://{}/x", "file://{}/a%20b",
        "file:///%2e%2e{}/x?q", "$GUARDED/x", "${{GUARDED}}/x", "$PARENT/folder/x",
    ],
)  # fmt: skip
def test_a_path_that_some_programs_tidy_up_first_is_a_doubt(
    spelling: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.setenv("GUARDED", str(folder))
    monkeypatch.setenv("PARENT", str(tmp_path))
    assert compile_under(str(folder), strict=True)(spelling.format(folder))
    assert not compile_under(str(folder), strict=False)(spelling.format(folder))
    assert not compile_under(str(tmp_path / "other"), strict=True)(spelling.format(folder))


def test_many_variables_cost_little() -> None:
    started = time.process_time()
    for text in ("$HOME" * 200_000, "${" * 500_000, "$" * 1_000_000):
        compile_under("/srv", strict=True)(text)
    assert time.process_time() - started < 5


def test_a_process_whose_folder_is_gone_permits_no_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert not compile_under("/", strict=False)("x")
    assert compile_under("/srv", strict=True)("x")
