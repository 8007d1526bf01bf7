"""Asks the file system what a path really is. Looks at names only: no file is ever opened."""

import os
import stat
from dataclasses import dataclass

# Linux gives up after 40 links as well.
_MOST_LINKS = 40
# A longer walk is no ordinary path, and each step is a call to the system.
_MOST_STEPS = 512
# Looking there may wait for another machine.
_REMOTE = ("/net/", "/afs/")


@dataclass(frozen=True, slots=True)
class Seen:
    """What was found: the path without links, the file's status if it exists, and whether all could be looked at."""

    path: str
    status: os.stat_result | None = None
    unclear: str = ""


def look(path: str) -> Seen:
    """Follow an absolute path link by link, as far as it exists."""
    if path.startswith(_REMOTE):
        return Seen(path)
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
            # Its links depend on who looks. They are judged by their names.
            return Seen("/".join([step, *pending[::-1]]))
        steps += 1
        if steps > _MOST_STEPS:
            return Seen(_rest(step, pending), unclear="too many folders")
        try:
            status = os.lstat(step)
            if not stat.S_ISLNK(status.st_mode):
                current = step
                continue
            links += 1
            if links > _MOST_LINKS:
                return Seen(_rest(step, pending), unclear="a loop of links")
            target = os.readlink(step)
        except (FileNotFoundError, NotADirectoryError):
            return Seen(_rest(step, pending))
        except (OSError, ValueError) as problem:
            # A name that the system cannot take names nothing; a folder that may not be searched hides a lot.
            hidden = isinstance(problem, PermissionError)
            return Seen(_rest(step, pending), unclear="a folder that may not be looked into" if hidden else "")
        if target.startswith("/"):
            current = ""
        pending.extend(target.split("/")[::-1])
        status = None
    return Seen(current or "/", status)


def _rest(step: str, pending: list[str]) -> str:
    return "/".join([step, *pending[::-1]])
