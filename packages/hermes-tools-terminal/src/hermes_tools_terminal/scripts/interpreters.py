"""Which Python runs a script on this machine."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.abc import InspectLoader
from importlib.util import find_spec
from pathlib import Path
from types import CodeType

from hermes_core.settings import ToolSession
from hermes_tools_terminal.environments.env_vars import script_variables
from hermes_tools_terminal.environments.local_processes import mark, new_mark

OLDEST = (3, 8)
"""What scripts and all that is sent with them can be run by."""

START = b"\n"
"""What an interpreter of the project waits for."""

_PROBE_SECONDS = 10.0


def choose_interpreter(folder: str, environ: Mapping[str, str], session: ToolSession, *, alone: bool) -> str:
    """The interpreter for a script on this machine.

    Args:
        folder: The task's folder.
        environ: The script's variables, which may name an environment of Python.
        session: Whose tool runs the script.
        alone: Whether the project's own is not wanted.
    """
    for path in () if alone else project_interpreters(folder, environ):
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            continue
        if is_current_interpreter(path) or _can_run(path, session.home or "", found.st_mtime_ns, found.st_ino):
            return path
    return sys.executable or "python3"


def project_interpreters(folder: str, environ: Mapping[str, str]) -> list[str]:
    """Where the interpreters of a project would be. Whoever tries them runs what the project says.

    Args:
        folder: The task's folder.
        environ: The script's variables, which may name an environment of Python.
    """
    places = [environ[name] for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if environ.get(name)]
    return [os.path.join(place, "bin", "python") for place in (*places, os.path.join(folder, ".venv"))]


def is_current_interpreter(path: str) -> bool:
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
            env={**script_variables(), **session.variables},  # it may be anything: no secrets either
        ) as child:
            mark(child.pid, new_mark(), session.limits)
            try:
                child.communicate(START, _PROBE_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
    except OSError:
        return False
    return child.returncode == 0


FORMAT = 2
"""The format of `marshal` that every Python from 3.8 on reads."""

# Everything else comes by the input, which is at its end then: no command line shows it, and no file is left behind.
_START = (
    "import sys,marshal;_=marshal.loads(sys.stdin.buffer.read());_hermes={};"
    "exec(_.pop('start'),_hermes);_hermes['begin'](_)"
)

SUPERVISOR_START = """
import sys,os,marshal
def read(size):
    data = b''
    while len(data) < size:
        more = os.read(0, size - len(data))
        if not more:
            sys.exit(1)
        data += more
    return data
given = marshal.loads(read(int.from_bytes(read(4), 'big')))
space = {}
try:
    exec(given.pop('start'), space)
except ImportError as error:
    os.write(1, str(error.name or error).encode())
    sys.exit(96)
space['supervise'](given)
"""
"""What starts a supervisor, which reads the first frame of its input."""

LACKING = 96
"""How it ends when a module is missing, whose name it prints."""


def interpreter_arguments(*, alone: bool) -> list[str]:
    """The interpreter's arguments for a script.

    Args:
        alone: Whether neither the folder nor the variables count.
    """
    # UTF-8 whatever the locale is; and no files beside the modules of the project.
    return [*(["-I"] if alone else []), "-S", "-B", "-X", "utf8", "-c", _START]


@cache
def runtime_source(name: str) -> str:
    """The text of one of the modules that run elsewhere."""
    return (Path(__file__).parent / "runtime" / f"{name}.py").read_text(encoding="utf-8")


@cache
def bundled_json() -> bytes:
    """The module `json`, packed: calls of tools need it, and some Pythons lack it, such as Debian's python3-minimal."""
    texts = {}
    for name in ("json", "json.decoder", "json.encoder", "json.scanner"):
        found = find_spec(name)
        if found is not None and isinstance(found.loader, InspectLoader):
            texts[name] = found.loader.get_source(name) or ""
    return zlib.compress(marshal.dumps(texts, FORMAT), 9)


@cache
def compiled_bootstrap() -> CodeType:
    """What a script's process runs first, ready for an interpreter of this very version."""
    return compile(runtime_source("bootstrap"), "<hermes>", "exec", dont_inherit=True)
