"""Describe a local file by its `stat` result, and detect that it changed."""

from __future__ import annotations

import os
import stat
import time

from hermes_tools_terminal.files.filesystem import FileInfo, Kind, Stamp, changed_error

_SECOND = 1_000_000_000
_TICK = _SECOND // 20
"""Longer than the steps that clocks of file systems advance in."""

_KINDS: dict[int, Kind] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def stamp_of(seen: os.stat_result) -> Stamp:
    """Which version of a file was seen."""
    return Stamp(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)


def file_info(asked: str, path: str, seen: os.stat_result | None) -> FileInfo:
    """What was found.

    Args:
        asked: The path as it was asked for.
        path: Where it leads.
        seen: What is there, if anything.
    """
    if seen is None:
        return FileInfo(asked, path, "missing")
    return FileInfo(
        asked,
        path,
        _KINDS.get(stat.S_IFMT(seen.st_mode), "other"),
        stamp_of(seen),
        stat.S_IMODE(seen.st_mode),
        seen.st_uid,
        seen.st_gid,
        seen.st_nlink,
    )


def same_file(found: FileInfo, seen: os.stat_result) -> bool:
    """Whether what is seen is the file or folder that was found, whatever its content."""
    was = found.stamp
    return was is not None and (was.device, was.inode) == (seen.st_dev, seen.st_ino)


def is_settled(seen: os.stat_result) -> bool:
    """Whether a version can be told from the next one by its stamp.

    A change within the same step of the file system's clock leaves no trace, so what has just changed is not settled.
    """
    step = _TICK if seen.st_ctime_ns % _SECOND else 2 * _SECOND  # some know whole seconds only
    return time.time_ns() - seen.st_ctime_ns > step


def check_unchanged(found: FileInfo, folder: int, name: str) -> None:
    """Make sure that a name in a folder still leads to the version that was found, or to nothing if nothing was.

    Raises:
        ChangedError: it does not.
    """
    try:
        seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        if found.stamp is not None:
            raise changed_error(found.path, "was removed") from None
        return
    if found.stamp is None:
        raise changed_error(found.path, "was made by somebody else")
    if not same_file(found, seen) or not stat.S_ISREG(seen.st_mode):
        raise changed_error(found.path, "was replaced")
    if stamp_of(seen) != found.stamp:
        raise changed_error(found.path, "was changed")
