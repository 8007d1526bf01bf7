"""Hosts and commands on a disk that is full, or on which processes were killed while they wrote."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from hermes_core import Hermes

DEAD = 2**22 + 1  # beyond the largest process id of Linux


def test_a_host_removes_what_killed_processes_left_in_its_home(tmp_path: Path) -> None:
    left = [
        folder / f".hermes-{DEAD}-{'a' * 16}.tmp" for folder in (tmp_path, tmp_path / "cache", tmp_path / "approvals")
    ]
    for file in left:
        file.parent.mkdir(exist_ok=True)
        file.touch()
    Hermes.load(home=tmp_path, discover=False).close()
    assert not any(file.exists() for file in left)


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system without space."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True, timeout=30).returncode:
        pytest.skip("mounting needs root and a kernel that permits it")
    try:
        (folder / "state.json").write_bytes(b"old")
        with suppress(OSError), (folder / "fill").open("wb", buffering=0) as fill:
            while fill.write(b"x" * 1024):
                pass
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True, timeout=30)


def test_a_command_on_a_full_disk_names_the_file(full_disk: Path) -> None:
    for words, file in (
        (["config", "set", "calls.timeout", "5"], "config.yaml"),
        (["lock", "--file", str(full_disk / "hermes.lock")], "hermes.lock"),
    ):
        command = [sys.executable, "-m", "hermes_core", *words]
        env = {**os.environ, "HERMES_HOME": str(full_disk)}
        outcome = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
        assert outcome.returncode == 2
        assert str(full_disk / file) in outcome.stderr
        assert "No space left on device" in outcome.stderr
