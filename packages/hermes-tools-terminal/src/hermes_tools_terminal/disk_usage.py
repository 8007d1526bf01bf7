"""Measure how much disk space environments use, and warn above a limit."""

from __future__ import annotations

import os
import time

LOOK_SECONDS = 0.2
"""Time limit of a measurement: an estimate is enough for a warning."""

AGAIN_SECONDS = 300.0
GIGABYTE = 1 << 30

_looked: dict[str, float] = {}
"""When each directory was last measured. Tasks share directories, so one measurement serves all of them."""


class DiskUsageMonitor:
    """Warns when a directory grows beyond a limit in gigabytes; 0 means no limit."""

    def __init__(self, folder: str, limit: float) -> None:
        self._folder = folder
        self._limit = limit

    def warning(self) -> str | None:
        """Return a warning if the limit is exceeded, at most once every `AGAIN_SECONDS`."""
        now = time.monotonic()
        looked = _looked.get(self._folder, float("-inf"))
        if not self._limit or now - looked < AGAIN_SECONDS or not os.path.isdir(self._folder):
            return None
        _looked[self._folder] = now
        used, whole = disk_use(self._folder, LOOK_SECONDS)
        if used <= self._limit * GIGABYTE:
            return None
        more = "" if whole else "more than "
        return f"Environments use {more}{used / GIGABYTE:.1f} GB in {self._folder}; the limit is {self._limit:g} GB."


def disk_use(folder: str, seconds: float) -> tuple[int, bool]:
    """Return the bytes used by the files in a directory, and whether all of them were counted in time."""
    deadline = time.monotonic() + seconds
    total = 0
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if time.monotonic() > deadline:
                        return total, False
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += _size(entry)
        except OSError:
            continue  # removed meanwhile, or not readable
    return total, True


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_blocks * 512
    except OSError:  # removed meanwhile: the other files still count
        return 0
