"""Which Python runs a script on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache

from hermes_core.settings import ToolSession
from hermes_tools_terminal.environments.marks import mark, new_mark
from hermes_tools_terminal.scripts.environ import for_scripts

OLDEST = (3, 8)
"""What scripts and all that is sent with them can be run by."""

START = b"\n"
"""What an interpreter of the project waits for."""

_PROBE_SECONDS = 10.0


def chosen(folder: str, environ: Mapping[str, str], session: ToolSession, *, alone: bool) -> str:
    """The interpreter for a script on this machine.

    Args:
        folder: The task's folder.
        environ: The script's variables, which may name an environment of Python.
        session: Whose tool runs the script.
        alone: Whether the project's own is not wanted.
    """
    for path in () if alone else named(folder, environ):
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            continue
        if is_ours(path) or _can_run(path, session.home or "", found.st_mtime_ns, found.st_ino):
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


def waiting(python: str, arguments: Sequence[str]) -> list[str]:
    """A command that starts an interpreter after `START` was written to it.

    An interpreter of the project may be any program, which starts others at once: it is marked before it runs.
    """
    started = [python, *arguments]
    return started if python == sys.executable else ["/bin/sh", "-c", 'read -r _; exec "$@"', "sh", *started]


@cache
def _can_run(path: str, home: str, _changed: int, _file: int) -> bool:
    """Whether it starts and is not too old; asked once for each that is there."""
    session = ToolSession(home)
    probe = f"import sys; sys.exit(sys.version_info < {OLDEST})"
    try:
        with subprocess.Popen(  # noqa: S603 - the user's own interpreter
            waiting(path, ["-S", "-c", probe]),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**for_scripts(), **session.variables},  # it may be anything: no secrets either
        ) as child:
            mark(child.pid, new_mark(), session.limits)
            try:
                child.communicate(START, _PROBE_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
    except OSError:
        return False
    return child.returncode == 0
