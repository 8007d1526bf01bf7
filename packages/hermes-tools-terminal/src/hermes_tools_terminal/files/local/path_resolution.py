"""Resolve local paths: the only place where symbolic links are followed."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

from hermes_tools_terminal.files.filesystem import encode_path, os_error, tidy_path

Resolver = Callable[[str], tuple[str, os.stat_result | None]]
"""Resolves an absolute path: returns the path without symbolic links and its `stat` result, if it exists."""

_TRIES = 16
"""How often a path is resolved again when it is renamed in the meantime."""

_MAX_LINKS = 40
"""The maximum number of links in one path, as in the kernel."""


def absolute(path: str, base: str) -> str:
    """Make a path absolute and expand `~`; links and `..` are not resolved. Raise `OSError` if the path is invalid."""
    encode_path(path)
    encode_path(base or "/")
    if path.startswith("~"):
        path = os.path.expanduser(path)
    if path.startswith("/"):
        return path
    return os.path.join(base if base.startswith("/") else os.path.join(os.getcwd(), base), path)


def resolve(path: str) -> tuple[str, os.stat_result | None]:
    """Resolve a path: by the kernel if possible, otherwise and for missing files step by step.

    Raises:
        OSError: The path cannot be resolved.
    """
    if not hasattr(os, "O_PATH"):
        return resolve_stepwise(path)
    for _ in range(_TRIES):
        try:
            handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            return resolve_stepwise(path)
        except OSError as error:
            raise os_error(error.errno or errno.EIO, path) from None
        try:
            seen = os.fstat(handle)
            real = os.readlink(f"/proc/self/fd/{handle}")
        except OSError:
            return resolve_stepwise(path)  # a system without /proc
        finally:
            os.close(handle)
        if real.startswith("/") and _is_same_file(real, seen):
            return real, seen
    # No path leads there: an unnamed pipe or a removed file behind a link of the kernel.
    folder, name = os.path.split(tidy_path(path))
    return os.path.join(os.path.realpath(folder), name), seen


def resolve_stepwise(path: str) -> tuple[str, os.stat_result | None]:
    """Resolve a path step by step; missing parts resolve to where they would be.

    Raises:
        OSError: Links form a circle, or a file is used as a directory.
    """
    current, seen = "/", _lstat("/")
    left, links = path.split("/")[::-1], 0
    while left:
        name = left.pop()
        if seen is not None and not stat.S_ISDIR(seen.st_mode):
            raise os_error(errno.ENOTDIR, current)
        if name in ("", "."):
            continue
        target_path = os.path.dirname(current) if name == ".." else os.path.join(current, name)
        found = _lstat(target_path)
        if found is None or not stat.S_ISLNK(found.st_mode):
            current, seen = target_path, found
            continue
        links += 1
        if links > _MAX_LINKS:
            raise os_error(errno.ELOOP, path)
        try:
            target = os.readlink(target_path)
        except OSError:
            left.append(name)  # replaced in the meantime: try again
            continue
        if target.startswith("/"):
            current, seen = "/", _lstat("/")
        left += target.split("/")[::-1]
    return current, seen


def _lstat(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise os_error(error.errno or errno.EIO, path) from None


def _is_same_file(path: str, seen: os.stat_result) -> bool:
    try:
        target_path = os.lstat(path)
    except OSError:
        return False
    return (target_path.st_dev, target_path.st_ino) == (seen.st_dev, seen.st_ino)
