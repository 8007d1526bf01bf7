"""Choose the Python for a script, and build its command line and the code that starts it."""

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
"""The oldest Python that can run scripts and the code sent with them."""

START = b"\n"
"""What an interpreter of the project waits for before it runs."""

_PROBE_SECONDS = 10.0


def choose_interpreter(folder: str, environ: Mapping[str, str], session: ToolSession, *, strict: bool) -> str:
    """Return the interpreter for a script on this machine; a strict script does not get the project's."""
    for path in () if strict else project_interpreters(folder, environ):
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            continue
        if is_current_interpreter(path) or _can_run(path, session.home or "", found.st_mtime_ns, found.st_ino):
            return path
    return sys.executable or "python3"


def project_interpreters(folder: str, environ: Mapping[str, str]) -> list[str]:
    """Return the possible interpreters of a project or virtual environment. Running one runs code of the project."""
    places = [environ[name] for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if environ.get(name)]
    return [os.path.join(environment, "bin", "python") for environment in (*places, os.path.join(folder, ".venv"))]


def is_current_interpreter(path: str) -> bool:
    """Return whether it is the interpreter of this process, by any path."""
    try:
        return bool(sys.executable) and os.path.samefile(path, sys.executable)
    except (OSError, ValueError):
        return False


def waiting(python: str, arguments: Sequence[str]) -> list[str]:
    """Return a command that starts an interpreter after it has read `START`.

    An interpreter of the project may be any program: it is marked before it runs and can start others.
    """
    started = [python, *arguments]
    return started if python == sys.executable else ["/bin/sh", "-c", 'read -r _; exec "$@"', "sh", *started]


@cache
def _can_run(path: str, home: str, _changed: int, _file: int) -> bool:
    """Return whether it starts and is new enough; cached for each file."""
    session = ToolSession(home)
    probe = f"import sys; sys.exit(sys.version_info < {OLDEST})"
    try:
        with subprocess.Popen(  # noqa: S603 - the user's own interpreter
            waiting(path, ["-S", "-c", probe]),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**script_variables(), **session.variables},  # it may be any program: no secrets
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

# Everything else comes by the input, which is then at its end: nothing shows in process lists or stays in files.
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
"""The code that starts a supervisor, which reads the first frame of its input."""

LACKING = 96
"""The exit status of a supervisor that lacks a module, whose name it prints."""


def interpreter_arguments(*, strict: bool) -> list[str]:
    """Return the interpreter's arguments; a strict script ignores the working directory and the variables."""
    # UTF-8 in every locale, and no cache files beside the project's modules.
    return [*(["-I"] if strict else []), "-S", "-B", "-X", "utf8", "-c", _START]


@cache
def runtime_source(name: str) -> str:
    """Return the source of a module that runs in other processes."""
    return (Path(__file__).parent / "runtime" / f"{name}.py").read_text(encoding="utf-8")


@cache
def bundled_json() -> bytes:
    """Return the module `json`, compressed: tool calls need it, and some builds lack it, such as python3-minimal."""
    texts = {}
    for name in ("json", "json.decoder", "json.encoder", "json.scanner"):
        found = find_spec(name)
        if found is not None and isinstance(found.loader, InspectLoader):
            texts[name] = found.loader.get_source(name) or ""
    return zlib.compress(marshal.dumps(texts, FORMAT), 9)


@cache
def compiled_bootstrap() -> CodeType:
    """Return the compiled bootstrap module, for interpreters of this version."""
    return compile(runtime_source("bootstrap"), "<hermes>", "exec", dont_inherit=True)
