"""Which Python runs a script on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache

OLDEST = (3, 8)
"""What scripts and all that is sent with them can be run by."""

_PROBE_SECONDS = 10.0


def chosen(folder: str, environ: Mapping[str, str], *, alone: bool) -> str:
    """The interpreter for a script.

    Args:
        folder: The task's folder.
        environ: The script's variables, which may name an environment of Python.
        alone: Whether the project's own is not wanted.
    """
    if not alone:
        named = [environ[name] for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if environ.get(name)]
        for place in (*named, os.path.join(folder, ".venv")):
            path = os.path.join(place, "bin", "python")
            try:
                changed = os.stat(path).st_mtime_ns
            except (OSError, ValueError):
                continue
            if is_ours(path) or _can_run(path, changed):
                return path
    return sys.executable or "python3"


@cache
def is_ours(path: str) -> bool:
    """Whether it is the very interpreter that runs this process, by whatever name."""
    return bool(sys.executable) and os.path.realpath(path) == os.path.realpath(sys.executable)


@cache
def _can_run(path: str, _changed: int) -> bool:
    """Whether it starts and is not too old; asked once for each that is there."""
    probe = f"import sys; sys.exit(sys.version_info < {OLDEST})"
    try:
        done = subprocess.run(  # noqa: S603 - the user's own interpreter
            [path, "-S", "-c", probe],
            capture_output=True,
            timeout=_PROBE_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
