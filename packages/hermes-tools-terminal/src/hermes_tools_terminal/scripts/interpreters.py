"""Which Python runs a script on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache

from hermes_tools_terminal.scripts.environ import for_scripts

OLDEST = (3, 8)
"""What scripts and all that is sent with them can be run by."""

_PROBE_SECONDS = 10.0


def chosen(folder: str, environ: Mapping[str, str], *, alone: bool) -> str:
    """The interpreter for a script on this machine.

    Args:
        folder: The task's folder.
        environ: The script's variables, which may name an environment of Python.
        alone: Whether the project's own is not wanted.
    """
    for path in () if alone else named(folder, environ):
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            continue
        if is_ours(path) or _can_run(path, found.st_mtime_ns, found.st_ino):
            return path
    return sys.executable or "python3"


def named(folder: str, environ: Mapping[str, str]) -> list[str]:
    """Where the interpreters of a project would be. Whoever tries them runs what the project says.

    Args:
        folder: The task's folder.
        environ: The script's variables, which may name an environment of Python.
    """
    places = [environ[name] for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if environ.get(name)]
    return [os.path.join(place, "bin", "python") for place in (*places, os.path.join(folder, ".venv"))]


def is_ours(path: str) -> bool:
    """Whether it is the very interpreter that runs this process, by whatever name."""
    try:
        return bool(sys.executable) and os.path.samefile(path, sys.executable)
    except (OSError, ValueError):
        return False


@cache
def _can_run(path: str, _changed: int, _file: int) -> bool:
    """Whether it starts and is not too old; asked once for each that is there."""
    probe = f"import sys; sys.exit(sys.version_info < {OLDEST})"
    try:
        done = subprocess.run(  # noqa: S603 - the user's own interpreter
            [path, "-S", "-c", probe],
            capture_output=True,
            timeout=_PROBE_SECONDS,
            stdin=subprocess.DEVNULL,
            env=for_scripts(),  # it may be anything that calls itself Python, and gets no secrets either
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
