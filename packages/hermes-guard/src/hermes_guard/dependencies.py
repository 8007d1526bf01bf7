"""Finds what a command depends on besides its text: variables, functions, aliases, programs and paths.

An approval of a command approves what it would do. It must not apply to the same text once that text has a different
meaning.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.paths import Folder, text_of
from hermes_guard.shell.builtins import BUILTINS
from hermes_guard.shell.command import Command
from hermes_guard.shell.reader_state import Reading
from hermes_guard.shell.scope import EarlierValue, Scope
from hermes_guard.shell.word import HOLE
from hermes_guard.shell_state import ShellState, run_file

#: Commands whose unknown words change nothing, as long as their output is not read.
_INERT = frozenset({"echo", "printf", "test", "[", "[[", ":", "true", "false", "exit", "return", ""})
#: Commands that run something for each line of input.
_PER_LINE = frozenset({"xargs", "parallel"})
#: Commands that search for files themselves, so their results depend on the file system.
_FINDERS = frozenset({"find", "fd", "fdfind"})
#: No command depends on these: the exit status of the previous command follows from the text itself.
_ENDINGS = frozenset({"?", "PIPESTATUS"})
_POSITIONS = frozenset({"@", "*", "#"})
#: Options of `shopt` that decide which files a pattern matches.
_PATTERN_OPTIONS = frozenset({"dotglob", "extglob", "globstar", "nocaseglob"})
#: Variables that do the same.
_PATTERN_VARIABLES = frozenset({"GLOBIGNORE", "LC_ALL", "LC_COLLATE"})
#: Builtins that follow links differently with the option `physical`.
_MOVING = frozenset({"cd", "pushd"})
#: A directory of the stack of `pushd`.
_ON_STACK = re.compile(r"~[+-]?\d+(?:/|\Z)")
#: Shell builtins other than those that change the shell state.
_OWN = frozenset(
    """
    . : [ [[ bg bind break builtin caller command compgen complete continue declare dirs disown echo enable eval exit
    export false fc fg help history jobs kill let local logout return source suspend test time times trap true type
    typeset ulimit umask unset wait pwd readonly shopt
    """.split()  # noqa: SIM905 - a list that is read
)
#: With more paths than this, the dependencies are reported as unknown.
MAX_PATHS = 1_000


class UsedPath(NamedTuple):
    """A word that may name a file."""

    #: The directory of the command that uses it; `.` for the initial directory.
    cwd: str
    text: str
    #: True for an unquoted glob pattern.
    glob: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """What a command depends on besides its text.

    Attributes:
        variables: Values that the shell inherited or earlier commands set; None for an unknown value.
        outside: Variables that the shell did not inherit and that neither this command nor an earlier one sets.
        functions: Bodies of functions that earlier commands defined; None for an unknown one.
        aliases: Meanings of aliases that earlier commands defined.
        exported: Variables that earlier commands exported to every program; None for an unknown value.
        names: Every variable that the command uses, including those it sets itself.
        files: Content of files that earlier commands wrote and this command runs or reads for another; None for an
        unknown one.
        sourced: Files that the shell has sourced, now or earlier, and whose content is unknown; an empty name for code
        from another source.
        programs: Programs that are looked up in the search path.
        paths: Words that may name files.
        unknown: Why the effect of the command is unknown; empty when it is known.
    """

    variables: Mapping[str, str | None] = field(default_factory=dict)
    outside: frozenset[str] = frozenset()
    functions: Mapping[str, str | None] = field(default_factory=dict)
    aliases: Mapping[str, str | None] = field(default_factory=dict)
    exported: Mapping[str, str | None] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    files: Mapping[str, str | None] = field(default_factory=dict)
    sourced: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    paths: tuple[UsedPath, ...] = ()
    unknown: str = ""


class UseRecorder:
    """Records what a text uses while it is read.

    Args:
        state: What earlier commands left in the shell.
        environment: Variables that the shell inherited, as far as they are known.
    """

    def __init__(self, state: ShellState, environment: Mapping[str, str] | None = None) -> None:
        self.environment = environment or {}
        self._state = state
        self.variables: dict[str, str | None] = {}
        self.outside: set[str] = set()
        self.functions: dict[str, str | None] = {}
        self.aliases: dict[str, str | None] = {}
        self.names: set[str] = set()
        self.sourced: set[str] = set()

    def source(self, path: str) -> None:
        self.sourced.add(path)

    def variable(self, name: str, scope: Scope) -> None:
        self.names.add(name)
        if name in _POSITIONS or name.isdigit():
            self._position(name, scope)
            return
        value = scope.variables.get(name)
        array = scope.arrays.get(name)
        if array is not None and array is self._state.arrays.get(name):
            text = "\0".join(f"{key}={element}" for key, element in array.items())
            self.variables[name] = None if HOLE in text or name in scope.choices else text
        elif type(value) is EarlierValue:
            self.variables[name] = None if HOLE in value or name in scope.choices else str(value)
        elif value is None and name not in _ENDINGS:
            self.outside.add(name)

    def _position(self, name: str, scope: Scope) -> None:
        known = scope.positions
        if known is None:
            self.outside.add(name)
        elif known is self._state.positions and name != "0":
            text = "\0".join(known)
            self.variables["@"] = None if HOLE in text or "@" in scope.choices else text

    def function(self, name: str, body: str | None) -> None:
        self.functions[name] = body

    def alias(self, name: str, meaning: str) -> None:
        if type(meaning) is EarlierValue:
            self.aliases[name] = str(meaning)

    def result(self, reading: Reading) -> Uses:
        """Return what the text uses, after it was read."""
        state = self._state
        commands = [each for each in reading.commands if each.called]
        paths = dict.fromkeys(path for each in commands for path in _paths(each))
        switched_on = sorted(_PATTERN_OPTIONS & state.options)
        if any(path.glob for path in paths):
            if switched_on:
                self.variables["BASHOPTS"] = ":".join(switched_on)
            self.variables.update((name, state.variables[name]) for name in _PATTERN_VARIABLES & state.variables.keys())
        if "physical" in state.options and any(each.program in _MOVING for each in commands):
            self.variables["SHELLOPTS"] = "physical"
        lost = "variables" in state.lost and bool(self.outside)
        unknown = "too many variables were set to know all of them" if lost else ""
        return Uses(
            variables=self.variables,
            outside=frozenset(self.outside),
            functions=self.functions,
            aliases=self.aliases,
            exported=state.exported,
            names=frozenset(self.names),
            files=_files(state, commands),
            sourced=state.sourced | self.sourced,
            programs=frozenset(_programs(commands, self)),
            paths=tuple(paths),
            unknown=unknown or _unknown(state, reading, commands, len(paths)),
        )


def uses_of(
    command: str,
    *,
    cwd: Folder = None,
    home: Folder = None,
    state: ShellState | None = None,
    environment: Mapping[str, str] | None = None,
) -> Uses:
    """Return what a command depends on besides its text. Nothing is run, and no file is accessed.

    Args:
        command: The text as passed to a shell.
        cwd: The directory that it would run in.
        home: The user's home directory; taken from the environment by default.
        state: What earlier commands left in the shell.
        environment: Variables that the shell inherited, as far as they are known.
    """
    known = state or ShellState()
    recorder = UseRecorder(known, environment)
    own = text_of(home) or os.path.expanduser("~")
    return recorder.result(known.read(command, cwd=text_of(cwd) or None, home=own, uses=recorder))


def _unknown(state: ShellState, reading: Reading, commands: list[Command], paths: int) -> str:
    """Return why the effect of a command is unknown; empty when it is known."""
    if state.incomplete:
        return state.incomplete
    unread = next((found.reason for found in reading.findings if found.rule.startswith("shell.")), "")
    if unread or reading.stopped:
        return unread or "the command is too long to read"
    if paths > MAX_PATHS:
        return f"the command names more than {MAX_PATHS:,} files"
    return next((reason for command in commands if (reason := _uncertain(command))), "")


def _uncertain(command: Command) -> str:
    """Return what is unknown about one command."""
    program = command.program or ""
    if program in _PER_LINE and (command.stdin is None or command.stdin.text is None or HOLE in command.stdin.text):
        return f"what {program} reads is not known"
    if command.cwd is None and not command.elsewhere:
        return "the directory that a command runs in is not known"
    if program in _INERT and not command.feeds and not any(redirect.writes for redirect in command.redirects):
        return ""
    if command.guessed or command.wrapped_by(*_FINDERS):
        return ""
    words = [*command.argv, *(redirect.target for redirect in command.redirects)]
    word = next((word for word in words if (HOLE in word.raw and not word.process) or _ON_STACK.match(word.raw)), None)
    if word is not None:
        return f"the value of {' '.join(word.source[:80].split())} is not known"
    if any(HOLE in value for value in command.assignments.values()):
        return "the value of a variable is not known"
    if command.stdin is not None and command.stdin.text is not None and HOLE in command.stdin.text:
        return f"what {program or 'a command'} reads is not known"
    return ""


def _files(state: ShellState, commands: list[Command]) -> dict[str, str | None]:
    """Return the earlier files that decide what commands do: scripts, input, and files that a command prints."""
    known = state.files
    found: dict[str, None] = {}
    for command in commands:
        words = [] if command.output is None else [*command.args]
        if command.stdin is not None and command.stdin.file is not None:
            words.append(command.stdin.file)
        found |= dict.fromkeys([run_file(command), *(command.path(word) or "" for word in words)])
    written = {each.path(redirect.target) for each in commands for redirect in each.redirects if redirect.writes}
    return {path: known[path] for path in found if path in known and path not in written}


def _paths(command: Command) -> Iterator[UsedPath]:
    if command.elsewhere or command.cwd is None:
        return
    words = [*command.args, *(redirect.target for redirect in command.redirects)]
    if command.argv and "/" in command.argv[0].raw:
        words.append(command.argv[0])
    if command.stdin is not None and command.stdin.file is not None:
        words.append(command.stdin.file)
    for word in words:
        if word.raw and HOLE not in word.raw:
            yield UsedPath(command.cwd, word.raw, word.glob)
    for value in command.assignments.values():
        yield UsedPath(command.cwd, value)


def _programs(commands: list[Command], recorder: UseRecorder) -> Iterator[str]:
    """Yield the programs that the shell would look up. Programs on another machine are looked up there."""
    own = {*_OWN, *BUILTINS, *recorder.functions, *recorder.aliases, *(command.function for command in commands)}
    for command in commands:
        name = command.argv[0].raw if command.argv else ""
        here = not command.elsewhere and not command.guessed
        if here and name not in own and "/" not in name and HOLE not in name:
            yield name
