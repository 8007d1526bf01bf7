"""How much disk is used, within a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tools_terminal import disk_usage as disk
from hermes_tools_terminal.disk_usage import DiskUsageMonitor, disk_use


def test_files_in_all_folders_are_counted_and_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "one").write_bytes(b"x" * 100_000)
    (tmp_path / "two").write_bytes(b"x" * 50_000)
    (tmp_path / "round").symlink_to(tmp_path)
    used, whole = disk_use(str(tmp_path), 5)
    assert whole
    assert 150_000 <= used < 300_000


def test_counting_stops_when_the_time_is_up_even_in_one_big_folder(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / str(number)).touch()
    assert disk_use(str(tmp_path), -1) == (0, False)


def test_a_folder_that_cannot_be_read_does_not_count(tmp_path: Path) -> None:
    assert disk_use(str(tmp_path / "none"), 5) == (0, True)


def test_a_warning_is_given_once_in_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "big").write_bytes(b"x" * 100_000)
    watch = DiskUsageMonitor(str(tmp_path), 0.00001)
    told = watch.warning()
    assert told is not None
    assert str(tmp_path) in told
    assert watch.warning() is None
    monkeypatch.setattr(disk, "AGAIN_SECONDS", 0.0)
    assert watch.warning() is not None


def test_tasks_that_share_a_folder_are_told_once(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 100_000)
    assert DiskUsageMonitor(str(tmp_path), 0.00001).warning() is not None
    assert DiskUsageMonitor(str(tmp_path), 0.00001).warning() is None


@pytest.mark.parametrize("limit", [0, 1])
def test_nothing_is_said_without_a_limit_or_below_it(tmp_path: Path, limit: float) -> None:
    (tmp_path / "small").write_bytes(b"x" * 1000)
    assert DiskUsageMonitor(str(tmp_path), limit).warning() is None


def test_a_folder_that_is_not_there_uses_nothing(tmp_path: Path) -> None:
    assert DiskUsageMonitor(str(tmp_path / "none"), 1).warning() is None
