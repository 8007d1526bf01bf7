"""When files were last changed, for results that begin with the newest."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from hermes_tools_terminal.searching.running import Ground, LocalGround

_STAT = 'command -v stat >/dev/null && xargs -0 stat -c "%Y %n" -- 2>/dev/null; :'
_SECONDS = re.compile(rb"(-?\d+) ")


def ages(ground: Ground, paths: Sequence[bytes]) -> list[int]:
    """When each of some files was changed, in nanoseconds; 0 where that cannot be known.

    Args:
        ground: The folder that the paths start at.
        paths: The files.
    """
    if isinstance(ground, LocalGround):
        return [_age(ground.handle, path) for path in paths]
    if not paths:
        return []
    asked = b"".join(b"./" + path + b"\0" for path in paths)
    return _read(b"".join(ground.run(["sh", "-c", _STAT], input=asked)), paths)


def _age(folder: int, path: bytes) -> int:
    try:
        return os.stat(path, dir_fd=folder, follow_symlinks=False).st_mtime_ns
    except OSError:
        return 0


def _read(said: bytes, paths: Sequence[bytes]) -> list[int]:
    """Times and names, in the order of the paths; those of missing files are missing, and any name may hold a line."""
    found = []
    at = 0
    for path in paths:
        seconds = _SECONDS.match(said, at)
        line = b"./" + path + b"\n"
        if seconds is not None and said.startswith(line, seconds.end()):
            found.append(int(seconds[1]) * 1_000_000_000)
            at = seconds.end() + len(line)
        else:
            found.append(0)
    return found
