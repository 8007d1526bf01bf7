"""Convert paths and file descriptions to and from the format of the helper script."""

from __future__ import annotations

import errno
import os
import stat
from typing import Final

from hermes_tools_terminal.files.filesystem import FileInfo, Stamp, encode_path, kind_of, os_error

MOST_PATH = 4095
"""The maximum length of a path in bytes."""

_SECOND: Final = 1_000_000_000


def file_info(asked: str, path: str, seen: str) -> FileInfo:
    """Return what a path resolved to; `seen` is the output of the script function `look`, empty for missing files."""
    if not seen:
        return FileInfo(asked, path, "missing")
    raw, device, inode, size, changed, touched, owner, group, links = seen.split()
    mode = int(raw, 16)
    stamp = Stamp(int(device), int(inode), int(size), _nanoseconds(changed), _nanoseconds(touched))
    return FileInfo(asked, path, kind_of(mode), stamp, stat.S_IMODE(mode), int(owner), int(group), int(links))


def identity(found: FileInfo) -> bytes:
    """Return which file it is, in the format of the script."""
    stamp = found.stamp
    return b"%d %d" % (stamp.device, stamp.inode) if stamp else b""


def version(found: FileInfo) -> bytes:
    """Return which version of a file it is, in the format of the script; empty for a missing file."""
    stamp = found.stamp
    if stamp is None:
        return b""
    times = (f"{at // _SECOND}.{at % _SECOND:09}" for at in (stamp.changed, stamp.touched))
    return b"%s %d %s" % (identity(found), stamp.size, " ".join(times).encode())


def parts(found: FileInfo) -> tuple[bytes, bytes]:
    """Return the directory and the name of a file."""
    folder, name = os.path.split(path_bytes(found.path))
    return folder, name


def path_bytes(path: str) -> bytes:
    """Encode a path. Raise `OSError` if the path is invalid."""
    encoded = encode_path(path)
    if len(encoded) > MOST_PATH:
        raise os_error(errno.ENAMETOOLONG, path)
    return encoded


def path_text(path: bytes) -> str:
    """Decode a path."""
    return path.decode("utf-8", "surrogateescape")


def _nanoseconds(time: str) -> int:
    seconds, _, fraction = time.partition(".")
    return int(seconds) * _SECOND + int(fraction[:9].ljust(9, "0"))
