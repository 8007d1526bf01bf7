"""Resolves a path in the file system. Only metadata is read: no file is ever opened."""

import os
import stat
from dataclasses import dataclass

# Linux gives up after 40 links as well.
_MAX_LINKS = 40
# Ordinary paths have fewer components, and each one is a system call.
_MAX_STEPS = 512
# Paths whose access may wait for another machine.
_REMOTE = ("/net/", "/afs/")


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """The path without links, the file's status if it exists, and whether every component was accessible."""

    path: str
    status: os.stat_result | None = None
    unclear: str = ""
    #: The path at which the wanted directory occurs, under any name; empty when it does not.
    passed: str = ""


def identity(path: str) -> tuple[int, int] | None:
    """Return what distinguishes a file from every other on this machine; None when it does not exist."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def look(path: str, wanted: tuple[int, int] | None = None) -> ResolvedPath:
    """Resolve an absolute path link by link, as far as it exists.

    Args:
        path: The path.
        wanted: The identity of a directory to look for among the parents: a bind mount has another name and the same
        identity.
    """
    seen, passed = _look(path, wanted)
    if passed and seen.path != passed and not seen.path.startswith(f"{passed}/"):
        passed = ""  # `..` led out of it
    return ResolvedPath(seen.path, seen.status, seen.unclear, passed)


def _look(path: str, wanted: tuple[int, int] | None) -> tuple[ResolvedPath, str]:
    passed = ""
    if path.startswith(_REMOTE):
        return ResolvedPath(path), passed
    pending = path.split("/")[::-1]
    current = ""
    status: os.stat_result | None = None
    links = steps = 0
    while pending:
        name = pending.pop()
        if name in ("", "."):
            continue
        if name == "..":
            current = current.rpartition("/")[0]
            status = None
            continue
        step = f"{current}/{name}"
        if step == "/proc":
            # Its links differ between processes, so they are judged by name.
            return ResolvedPath("/".join([step, *pending[::-1]])), passed
        steps += 1
        if steps > _MAX_STEPS:
            return ResolvedPath(_rest(step, pending), unclear="too many directories"), passed
        try:
            status = os.lstat(step)
            if not stat.S_ISLNK(status.st_mode):
                current = step
                if wanted == (status.st_dev, status.st_ino):
                    passed = step
                continue
            links += 1
            if links > _MAX_LINKS:
                return ResolvedPath(_rest(step, pending), unclear="a loop of links"), passed
            target = os.readlink(step)
        except (FileNotFoundError, NotADirectoryError):
            return ResolvedPath(_rest(step, pending)), passed
        except (OSError, ValueError) as problem:
            # A name that the system rejects cannot exist; a directory without search permission may hide anything.
            hidden = isinstance(problem, PermissionError)
            return ResolvedPath(
                _rest(step, pending), unclear="a directory that cannot be read" if hidden else ""
            ), passed
        if target.startswith("/"):
            current = ""
        pending.extend(target.split("/")[::-1])
        status = None
    return ResolvedPath(current or "/", status), passed


def _rest(step: str, pending: list[str]) -> str:
    return "/".join([step, *pending[::-1]])
