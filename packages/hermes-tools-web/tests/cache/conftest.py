"""Caches with a clock of the test, and disks that fail."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_web.cache.web_cache import WebCache
from hermes_tools_web.settings import CacheSettings


class Clock:
    """A time that passes when the test says so."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The time of the test."""
    return Clock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the cache is made."""
    return tmp_path / "cache"


@pytest.fixture
def new_cache(folder: Path, clock: Clock) -> Iterator[Callable[..., WebCache]]:
    """Makes caches, and closes them when the test is over; `where` is another folder, the rest are settings."""
    made: list[WebCache] = []

    def make(where: Path = folder, **settings: Any) -> WebCache:
        cache = WebCache(where, CacheSettings(**settings), clock=clock)
        made.append(cache)
        return cache

    yield make
    for each in made:
        each.close()


@pytest.fixture
def cache(new_cache: Callable[..., WebCache]) -> WebCache:
    """A cache with the settings that users have who set nothing."""
    return new_cache()


@pytest.fixture
def new_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Makes disks of a kind, and takes them away when the test is over."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small disk needs root and mount (Debian package: mount)")
    made: list[Path] = []

    def make(options: str) -> Path:
        disk = Path(os.path.realpath(tmp_path)) / f"disk{len(made)}"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)], check=False).returncode:
            pytest.skip("mounting is not allowed here")
        made.append(disk)
        return disk

    yield make
    for each in made:
        subprocess.run(["umount", "-l", str(each)], check=True)
