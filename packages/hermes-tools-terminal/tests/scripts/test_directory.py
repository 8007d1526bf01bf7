"""The folders of scripts are private, and those of dead processes do not stay."""

from __future__ import annotations

import os
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.process_records import Owner
from hermes_tools_terminal.scripts import directory as room


@pytest.fixture
def above(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where folders are made: a path short enough for sockets."""
    folder = tempfile.mkdtemp(prefix="hr-", dir="/tmp")
    monkeypatch.setattr(tempfile, "tempdir", folder)
    yield Path(folder)
    subprocess.run(["rm", "-rf", folder], check=True)


@pytest.fixture
def base(above: Path) -> Path:
    """The one folder of this user."""
    return above / f"hermes-{os.geteuid()}"


def test_a_room_is_for_its_user_alone(base: Path) -> None:
    folder = room.create_script_dir()
    assert os.path.dirname(folder) == str(base)
    for path in (base, Path(folder)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    room.remove_script_dir(folder)
    assert list(base.iterdir()) == []


def test_a_base_that_others_can_enter_is_closed(base: Path) -> None:
    base.mkdir(mode=0o777)
    base.chmod(0o777)
    room.remove_script_dir(room.create_script_dir())
    assert stat.S_IMODE(base.stat().st_mode) == 0o700


def test_a_base_that_is_not_ours_is_not_used(base: Path, above: Path, tmp_path: Path) -> None:
    base.symlink_to(tmp_path)
    folder = room.create_script_dir()
    assert os.path.dirname(folder) == str(above)
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert list(tmp_path.glob("*-*-*")) == []
    room.remove_script_dir(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_base_of_somebody_else_is_not_used(base: Path, above: Path) -> None:
    base.mkdir()
    os.chown(base, 61234, 61234)
    folder = room.create_script_dir()
    assert os.path.dirname(folder) == str(above)
    room.remove_script_dir(folder)


def test_rooms_of_dead_processes_are_removed_and_others_stay(base: Path) -> None:
    base.mkdir(mode=0o700)
    dead, living, unknown = base / "999999999-5-abc", base / f"{Owner.this()}-abc", base / "notes"
    for each in (dead, living, unknown):
        each.mkdir()
        (each / "script.py").write_text("")
    room.remove_script_dir(room.create_script_dir())
    assert sorted(base.iterdir()) == sorted([living, unknown])


def test_whatever_a_script_has_left_is_cleared(base: Path) -> None:
    folder = Path(room.create_script_dir())
    locked = folder / "work" / "locked"
    locked.mkdir(parents=True)
    (locked / "file").write_text("x")
    locked.chmod(0)
    (folder / "link").symlink_to("/etc")
    before = os.getcwd()
    try:
        os.chdir(folder)
        for _ in range(2_000):  # deeper than Python itself can follow
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(before)
    room.remove_script_dir(str(folder))
    assert not folder.exists()
    assert os.path.isdir("/etc")


def test_a_temporary_folder_with_a_long_name_is_not_used(above: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = above / ("x" * 90)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    folder = room.create_script_dir()
    assert len(folder) < 80
    room.remove_script_dir(folder)


def test_no_room_at_all_is_told(above: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(above / "missing"))
    with pytest.raises(TerminalEnvironmentError, match="cannot be created"):
        room.create_script_dir()
