"""Facts that an approval depends on besides the arguments: environment, directory, variables and symbolic links."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from shutil import which
from typing import TYPE_CHECKING

from hermes_core import Binding
from hermes_text.secrets import redact
from hermes_tools_terminal.tasks import start_up_code

if TYPE_CHECKING:
    from hermes_guard import ShellState, Uses
    from hermes_tools_terminal.environments.base import Environment
    from hermes_tools_terminal.settings import TerminalSettings
    from hermes_tools_terminal.tasks import Task

MAX_MATCHES = 1_000
"""How many files a glob may match; links among more are not checked."""

_MAX_PIECES = 2_000
_LONGEST_PATH = 4_096
_WORDS = re.compile(r"[^\s'\"`;,(){}<>|&$]+")
_VALUE = re.compile(r"[=:]")


class TooMany(Exception):  # noqa: N818 - a signal to the caller, never shown
    """Raised when there are too many paths to check."""


class Links:
    """Finds symbolic links in paths. Each path is checked once."""

    def __init__(self) -> None:
        self._plain: set[str] = set()
        self._bases: dict[str, str] = {}
        self._pieces = 0

    def targets(self, cwd: str, text: str, *, pattern: bool = False) -> Iterator[tuple[str, str]]:
        """Yield the paths in a word that lead through a link, each with its target.

        Raises:
            TooMany: There are too many paths.
        """
        base = self._bases.get(cwd) or self._bases.setdefault(cwd, os.path.realpath(cwd))
        for piece in dict.fromkeys(_pieces(text)):
            self._pieces += 1
            if self._pieces > _MAX_PIECES:
                raise TooMany
            for path in _matches(base, piece) if pattern else (piece,):
                target = self._target(base, path)
                if target:
                    yield path, target

    def _target(self, base: str, path: str) -> str:
        """Return the target of a path; empty if it contains no link."""
        at = "" if path.startswith("/") else base.rstrip("/")
        for name in path.split("/"):
            if name in ("", "."):
                continue
            if name == "..":
                return self._resolved(base, path)
            at = f"{at}/{name}"
            if at in self._plain:
                continue
            if _is_link(at):
                return self._resolved(base, path)
            self._plain.add(at)
        return ""

    @staticmethod
    def _resolved(base: str, path: str) -> str:
        whole = os.path.join(base, path)
        target = os.path.realpath(whole)
        return "" if target == os.path.normpath(whole) else target


def _pieces(text: str) -> Iterator[str]:
    """Yield everything in a word that may be a path."""
    if len(text) > _LONGEST_PATH or _WORDS.fullmatch(text) is None:
        for found in _WORDS.finditer(text):  # code, or a name with spaces
            yield from _pieces(found.group()[:_LONGEST_PATH])
        if len(text) > _LONGEST_PATH:
            return
    if not text.startswith("-"):
        yield text
    elif len(text) > 2 and text[1] != "-":
        yield text[2:]  # as in -Cdirectory
    if text.startswith("@"):
        yield text[1:]  # as in --data @file
    if _VALUE.search(text):
        yield from filter(None, _VALUE.split(text)[1 if text.startswith("-") else 0 :])


def _matches(base: str, pattern: str) -> Iterable[str]:
    import glob

    found = []
    for path in glob.iglob(pattern, root_dir=base):
        found.append(path)
        if len(found) > MAX_MATCHES:
            raise TooMany
    fixed = re.split(r"[*?\[]", pattern, maxsplit=1)[0].rpartition("/")[0]
    return [*([fixed] if fixed else []), *found]


def _is_link(path: str) -> bool:
    try:
        return os.path.islink(path)
    except ValueError:  # a NUL character: no file has such a name
        return False


Fact = tuple[str, str]

IN_DIRECTORY = "in this directory"
IN_ENVIRONMENT = "in this environment"
IN_PROJECT = "in this project"

_LONGEST_VALUE = 200
"""How many characters of a value are stored; longer values are compared by their digest."""

# Variables that follow from the environment and the directory, which are facts themselves.
_IMPLIED = frozenset(
    """
    HOME USER LOGNAME SHELL PWD HOSTNAME HOSTTYPE MACHTYPE OSTYPE UID EUID GROUPS IFS BASH BASH_VERSION OPTIND
    """.split()  # noqa: SIM905 - a word list
)
# Variables that the shell keeps changing.
_CHANGING = frozenset(
    """
    ! $ - _ 0 @ * # BASHPID BASH_COMMAND BASH_LINENO BASH_SOURCE DIRSTACK EPOCHREALTIME EPOCHSECONDS FUNCNAME HISTCMD
    LINENO OLDPWD OPTARG PPID RANDOM REPLY SECONDS SHLVL SRANDOM
    """.split()  # noqa: SIM905 - a word list
)
# Programs that depend on no variables except those that affect how every program starts.
_INDEPENDENT = frozenset(
    """
    cat chgrp chmod chown cp cut dd echo find head kill killall ln ls mkdir mv pkill printf rm rmdir sed shred sleep
    sort stat tail tee test touch tr truncate uniq unlink wc
    """.split()  # noqa: SIM905 - a word list
)
_FOR_ALL = ("PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "BASH_ENV", "ENV")
_MAX_USES = 64
_LONGEST_SCRIPT = 100_000
# Commands that run other code in the same shell, or define names that are not in the text.
_RUNS_CODE = re.compile(r"(?:^|[\s;&|({`])(?:eval|source|\.|trap|mapfile|readarray|read|printf\s+-v|getopts)\s")
_DEFINES = re.compile(
    r"([A-Za-z_]\w*)(?:\[[^\]\n]*\])?\+?=|([^\s;&|(){}$`\"'=]+)\s*\(\s*\)|\bfunction\s+([^\s;&|(){}$`\"']+)"
    r"|\bunset\s+(?:-\w+\s+)*(\w+)|([\w.-]+)="
)
_UNIMPORTANT = frozenset({"connect_timeout", "keep", "lifetime", "orphan_reaper"})
"""Settings of environments that do not change what a command does there."""


def command_binding(task: Task, command: str, workdir: str | None, uses: Uses | None = None) -> Binding:
    """Return what an approval of a command depends on: the environment, and the meaning of its words there.

    Args:
        task: The task.
        command: The command.
        workdir: The working directory of the call; None for that of the shell.
        uses: What the command uses in the present state of the shell, if the guard has just determined it.

    Raises:
        TerminalEnvironmentError: The environment cannot be used.
    """
    environment, directory = task.planned, directory_of(task, workdir)
    facts = location_facts(task, directory)
    if not directory:
        return Binding(facts=tuple(facts), once="the directory is unknown until the environment is open")
    inherited = _inherited_variables(environment, task.settings)
    state = task.history.state
    if uses is not None and uses.outside.isdisjoint(inherited or ()) and directory == task.directory(workdir):
        _remember_uses(task, (command, directory, state.version), uses)
    uses = _uses(task, command, directory, state, inherited)
    try:
        if uses.sourced:
            _require_sourced(uses, directory, state.files if environment.quick else None)
        facts += _meanings(uses, state, inherited)
        if environment.quick:
            facts += _links(uses, directory)
            if inherited is None:
                _require_programs(uses)
    except _Unknown as unknown:
        return Binding(facts=tuple(facts), once=str(unknown))
    return Binding(facts=tuple(facts), once=uses.unknown)


def _uses(task: Task, command: str, directory: str, state: ShellState, inherited: Mapping[str, str] | None) -> Uses:
    """Return what a command uses; computed once for approval and run unless the state of the shell changes."""
    from hermes_guard import uses_of

    key = (command, directory, state.version)
    found = task.uses.get(key)
    if found is None:
        found = uses_of(command, cwd=directory, home=task.history.home or None, state=state, environment=inherited)
        _remember_uses(task, key, found)
    return found


def _remember_uses(task: Task, key: tuple[str, str, int], uses: Uses) -> None:
    if len(task.uses) >= _MAX_USES:
        task.uses.clear()
    task.uses[key] = uses


def script_binding(task: Task, code: str, *, strict: bool) -> Binding:
    """Return what an approval of a Python script depends on: the environment, the interpreter and symbolic links.

    Args:
        task: The task.
        code: The script.
        strict: Whether the script does not use the project's Python.

    Raises:
        TerminalEnvironmentError: The environment cannot be used.
    """
    environment, directory = task.planned, directory_of(task, None)
    facts = location_facts(task, directory)
    if not directory:
        return Binding(facts=tuple(facts), once="the directory is unknown until the environment is open")
    if not environment.quick:
        return Binding(facts=tuple(facts))
    facts.append(("with this Python", _python(directory, strict=strict)))
    links = Links()
    found: dict[str, str] = {}
    try:
        for text in _string_constants(code):
            found.update(links.targets(directory, text))
    except TooMany:
        return Binding(facts=tuple(facts), once="the script names too many files to check for links")
    return Binding(facts=(*facts, *(link_fact(*each) for each in sorted(found.items()))))


def _python(directory: str, *, strict: bool) -> str:
    """Return the interpreter that would run a script, without running anything."""
    from hermes_tools_terminal.environments.env_vars import script_variables
    from hermes_tools_terminal.scripts.interpreters import project_interpreters

    interpreters = (
        [] if strict else [path for path in project_interpreters(directory, script_variables()) if os.path.exists(path)]
    )
    return os.path.realpath(interpreters[0] if interpreters else sys.executable)


def _string_constants(code: str) -> Iterator[str]:
    """Yield the string constants of a script, some of which are paths."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # it does not run
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def location_facts(task: Task, directory: str = "") -> list[Fact]:
    """Return the environment, the project and the directory of a call."""
    environment = task.planned
    facts = [(IN_DIRECTORY, directory)] if directory else []
    return [*facts, (IN_ENVIRONMENT, environment_name(environment, task.settings)), (IN_PROJECT, _project(task))]


def directory_of(task: Task, workdir: str | None) -> str:
    """Return the directory of a command, resolved if it is local; empty if unknown."""
    environment = task.planned
    base = task.real_folder or environment.folder
    if not environment.quick:
        return base if not workdir else os.path.join(base, workdir) if base or workdir.startswith("/") else ""
    return os.path.realpath(os.path.join(base, os.path.expanduser(workdir))) if workdir else os.path.realpath(base)


def environment_name(environment: Environment, settings: TerminalSettings) -> str:
    """Describe an environment: equal for environments in which commands have the same effect."""
    if environment.kind == "local":
        return "this machine"
    section = getattr(settings, environment.kind, None)
    values = asdict(section) if section is not None else settings.providers.get(environment.kind, {})
    values = {name: value for name, value in values.items() if name not in _UNIMPORTANT}
    subject = " ".join(str(values[name]) for name in ("user", "host", "image") if values.get(name))
    text = json.dumps(values, sort_keys=True, default=str)
    return f"{environment.kind} {subject} (settings {_digest(text)[:8]})".replace("  ", " ")


def shown_value(name: str, value: str) -> str:
    """Format a value for a grant; long values and likely secrets are replaced by a digest."""
    line = f"{name}={value}"
    if redact(line) != line:
        return f"a secret (sha256 {_digest(line)})"
    if len(value) > _LONGEST_VALUE:
        return f"{value[:_LONGEST_VALUE]}... ({len(value):,} characters, sha256 {_digest(value)})"
    return value


class _Unknown(Exception):  # noqa: N818 - a signal within this module
    """Raised with the reason why an approval can only be for one call."""


def _meanings(uses: Uses, state: ShellState, inherited: Mapping[str, str] | None) -> Iterator[Fact]:
    """Yield the values of variables, functions and aliases that a command uses."""
    for name, value in sorted({**_for_programs(uses, state, inherited or {}), **uses.variables}.items()):
        if value is None:
            raise _Unknown(f"the value of the variable {name} is unknown")
        if name not in _IMPLIED or name in ("HOME", "IFS") or value != (inherited or {}).get(name):
            yield f"with the variable {name}", shown_value(name, value)
    for name in sorted(uses.outside - _IMPLIED):
        if inherited is None or name in _CHANGING or not name.isidentifier():
            raise _Unknown(f"the value of the variable {name} is unknown")
        yield f"while the variable {name} is not set", ""
    for kind, meanings in (("function", uses.functions), ("alias", uses.aliases), ("file", uses.files)):
        for name, meaning in sorted(meanings.items()):
            if meaning is None:
                raise _Unknown(f"what the {kind} {name} does is unknown")
            yield f"with the {kind} {name}", shown_value(name, meaning)


def _require_sourced(uses: Uses, directory: str, changed: Mapping[str, str | None] | None) -> None:
    """Require that sourced files define nothing that the command uses.

    `changed` are the local files that were written since the shell started; None if files are remote.
    """
    for name in sorted(uses.sourced):
        path = os.path.join(directory, name)
        defined = _defined(path) if changed is not None and name and path not in changed else None
        used = {*uses.names, *uses.programs, *uses.exported, *uses.functions, *uses.aliases}
        if defined is None or defined & used or ("PATH" in defined and not _only_adds(path, uses.programs)):
            raise _Unknown(f"what {name or 'unknown code'} has defined in the shell is unknown")


def _only_adds(path: str, programs: Iterable[str]) -> bool:
    """Return whether a script activates a Python environment without these programs."""
    folder = os.path.dirname(path)
    is_python = os.path.exists(os.path.join(os.path.dirname(folder), "pyvenv.cfg"))
    return is_python and not any(os.path.lexists(os.path.join(folder, name)) for name in programs)


def _defined(path: str) -> set[str] | None:
    """Return the names that a script may define; None if unknown."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(_LONGEST_SCRIPT + 1)
    except (OSError, ValueError):
        return None
    if len(text) > _LONGEST_SCRIPT or _RUNS_CODE.search(text):
        return None
    return {name for found in _DEFINES.findall(text) for name in found if name}


def _for_programs(uses: Uses, state: ShellState, inherited: Mapping[str, str]) -> dict[str, str | None]:
    """Return the exported variables that the programs of a command may depend on.

    Inherited variables are exported already: another value is enough.
    """
    changed = {
        name: value
        for name, value in state.variables.items()
        if name in inherited and name != "OLDPWD" and value != inherited[name]
    }
    given = {**uses.exported, **changed}
    if uses.programs <= _INDEPENDENT:
        return {name: given[name] for name in _FOR_ALL if name in given}
    return given


def _links(uses: Uses, directory: str) -> list[Fact]:
    """Return the paths of a command that lead through symbolic links, with their targets."""
    links = Links()
    found: dict[str, str] = {}
    try:
        for used in uses.paths:
            cwd = os.path.join(directory, used.cwd)
            for path, target in links.targets(cwd, used.text, pattern=used.glob):
                found[path if used.cwd == directory else os.path.join(used.cwd, path)] = target
    except TooMany:
        raise _Unknown("the command names too many files to check for links") from None
    return [link_fact(path, target) for path, target in sorted(found.items())]


def link_fact(path: str, target: str) -> Fact:
    """Return the fact that a path leads through a link."""
    return f"while {path} leads to", target


def _require_programs(uses: Uses) -> None:
    """Require that all programs exist: a missing one may be a function defined at startup."""
    missing = next((name for name in sorted(uses.programs) if which(name) is None), "")
    if missing:
        raise _Unknown(f"what the command {missing} does is unknown")


def _inherited_variables(environment: Environment, settings: TerminalSettings) -> Mapping[str, str] | None:
    """Return the variables that a local shell inherits; None if others may be set remotely or at startup."""
    given = None if start_up_code(settings) else getattr(environment, "variables", None)
    # A shell sets its own PWD.
    return None if given is None else {name: value for name, value in given.items() if name != "PWD"}


def _project(task: Task) -> str:
    """Return the repository that a task started in, or its directory if there is none."""
    environment = task.planned
    if not environment.quick:
        return environment.folder
    if not task.project:
        task.project = _repository(os.path.realpath(environment.folder))
    return task.project


def _repository(folder: str) -> str:
    start = folder
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return start
        folder = above
    return folder


def file_binding(task: Task, paths: Iterable[str]) -> Binding:
    """Return what an approval of a call with files depends on: the resolved paths."""
    return Binding(facts=(*(("for this file", path) for path in sorted(set(paths))), *location_facts(task)))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
