"""Describe a local file by its `stat` result, and detect that it changed."""

from __future__ import annotations

import os
import stat
import time

from hermes_tools_terminal.files.filesystem import FileInfo, Stamp, changed_error, kind_of

_SECOND = 1_000_000_000
_TICK = _SECOND // 20
"""Longer than the clock resolution of filesystems."""


def stamp_of(seen: os.stat_result) -> Stamp:
    """Return the stamp of a `stat` result."""
    return Stamp(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)


def file_info(asked: str, path: str, seen: os.stat_result | None) -> FileInfo:
    """Return what a path resolved to."""
    if seen is None:
        return FileInfo(asked, path, "missing")
    return FileInfo(
        asked,
        path,
        kind_of(seen.st_mode),
        stamp_of(seen),
        stat.S_IMODE(seen.st_mode),
        seen.st_uid,
        seen.st_gid,
        seen.st_nlink,
    )


def same_file(found: FileInfo, seen: os.stat_result) -> bool:
    """Return whether a `stat` result is of the file that was found, regardless of its content."""
    was = found.stamp
    return was is not None and (was.device, was.inode) == (seen.st_dev, seen.st_ino)


def is_settled(seen: os.stat_result) -> bool:
    """Return whether the stamp will distinguish this version from the next.

    Changes within one tick of the filesystem clock leave no trace, so a recently changed file is not settled.
    """
    step = _TICK if seen.st_ctime_ns % _SECOND else 2 * _SECOND  # some filesystems store whole seconds only
    return time.time_ns() - seen.st_ctime_ns > step


def check_unchanged(found: FileInfo, folder: int, name: str) -> None:
    """Raise `ChangedError` if a name in a directory is no longer what was found: a version, or nothing."""
    try:
        seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        if found.stamp is not None:
            raise changed_error(found.path, "was removed") from None
        return
    if found.stamp is None:
        raise changed_error(found.path, "was created")
    if not same_file(found, seen) or not stat.S_ISREG(seen.st_mode):
        raise changed_error(found.path, "was replaced")
    if stamp_of(seen) != found.stamp:
        raise changed_error(found.path, "was changed")
