"""The state of a persistent shell between commands: functions, aliases, variables, traps, and written files.

The guard judges one command at a time, but earlier commands may have changed its meaning. This state holds their
effects, not their text. It is limited in size: whatever exceeds the limits is marked as unknown, never dropped
silently.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

from hermes_guard import lazy_re as re
from hermes_guard.budget import MAX_LENGTH, Budget
from hermes_guard.deceptive_text import clean
from hermes_guard.shell.abridgement import abridge
from hermes_guard.shell.reader import read
from hermes_guard.shell.reader_state import Reading, Shell
from hermes_guard.shell.scope import Body, Definition, Recorder, Scope
from hermes_guard.shell.state_limits import LONGEST, MAX_CHARACTERS, MAX_NAMES, bound_code, bound_variables
from hermes_guard.shell.virtual_files import VirtualFiles
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding
from hermes_guard.write_history import WriteHistory, named, rewritten, scattered, writer

if TYPE_CHECKING:
    from hermes_guard.shell.command import Command

#: The maximum number of characters that are searched for the names a command uses.
_MAX_SEARCHED = 65_536
_VARIABLE = re.compile(r"\$\{?[!#]?([A-Za-z_]\w*)")
#: Programs that change nothing, and their arguments that depend on no variable.
_READERS = frozenset("cat date df du head id ls ps pwd stat tail true uname wc which whoami".split())  # noqa: SIM905 - a list that is read
_PLAIN = re.compile(r"[A-Za-z0-9_./:,%@^+ -]*\Z")
_LONGEST_INERT = 200
_COPROCESS = re.compile(r"\bcoproc\b")
_RUNNERS = re.compile(r"(?:\w*sh|source|\.|python|node|ruby|perl|php|lua)[\d.]*\Z")
#: Scope fields that last for one command only, and those that are passed on.
_PASSING = {"cwd", "followed", "home", "locals", "name", "taken", "uses"}
_COMPARED = tuple(name for name in Scope.__slots__ if name not in _PASSING)
_versions = count()
_NAME = re.compile(r"[^\s;&|()<>$`\"'\\={}\[\],!#*?]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """The parts of a shell's state that a command uses, by name. An unknown value is None."""

    variables: Mapping[str, str | None] = field(default_factory=dict)
    functions: Mapping[str, str | None] = field(default_factory=dict)
    aliases: Mapping[str, str | None] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.variables or self.functions or self.aliases)


class ShellState:
    """The immutable state of one shell; `after` returns the state that a command leaves.

    Args:
        environment: Variables that the shell inherited, as far as they are known.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        scope = Scope(cwd=None, home="")
        for name, value in (environment or {}).items():
            scope.assign(name, value)
        self._shell = Shell(scope, VirtualFiles([]), {})
        self._writers = WriteHistory()
        #: Why anything may have been defined or changed; empty when nothing is missing that could affect every command.
        self.incomplete = ""
        #: Tables with dropped entries: `variables`, `files`.
        self.lost: frozenset[str] = frozenset()
        #: A unique number for every state.
        self.version = next(_versions)

    # What the shell knows

    @cached_property
    def functions(self) -> Mapping[str, str | None]:
        """Bodies by name; None for an unknown one."""
        scope = self._shell.scope
        return {
            name: body.text if isinstance(body, Definition) and name not in scope.bodies else None
            for name, body in scope.functions.items()
        }

    @cached_property
    def aliases(self) -> Mapping[str, str | None]:
        """Meanings by name, including those of `hash -p`; None for an unknown one."""
        scope = self._shell.scope
        return {name: None if name in scope.meanings else text for name, text in scope.aliases.items()}

    @cached_property
    def variables(self) -> Mapping[str, str | None]:
        """Values by name; None for an unknown one."""
        scope = self._shell.scope
        return {
            name: None if HOLE in value or name in scope.choices else value
            for name, value in scope.variables.items()
            if name not in scope.removed
        }

    @property
    def positions(self) -> list[str] | None:
        """`$1` and following; None when they are unknown."""
        return self._shell.scope.positions

    @property
    def arrays(self) -> Mapping[str, dict[str, str]]:
        """Elements of arrays by name and key."""
        return self._shell.scope.arrays

    @property
    def exported(self) -> Mapping[str, str | None]:
        """The variables that a command has exported to programs."""
        scope = self._shell.scope
        everything = scope.options.get("allexport", False)
        return {
            name: value for name, value in self.variables.items() if everything or "x" in scope.attributes.get(name, "")
        }

    @property
    def sourced(self) -> frozenset[str]:
        """Files that the shell has sourced and whose content is unknown; an empty name for other code."""
        return self._shell.scope.sourced

    @property
    def files(self) -> Mapping[str, str | None]:
        """The content of files that commands have written, by path; None when it is unknown."""
        return self._shell.disk.contents()

    @property
    def traps(self) -> Mapping[str, str | None]:
        """Code by signal; None when it is unknown."""
        return dict(self._shell.scope.traps)

    @property
    def options(self) -> frozenset[str]:
        """Enabled options of `set -o` and `shopt`."""
        return frozenset(name for name, on in self._shell.scope.options.items() if on)

    def dependencies(self, command: str) -> Dependencies:
        """Return what a command may use of this state, directly and indirectly. The result may name too much, never too
        little.

        Args:
            command: The text of the command.
        """
        found = Dependencies(variables={}, functions={}, aliases={})
        texts, searched = [command], 0
        while texts:
            text = texts.pop()
            searched += len(text)
            for name in dict.fromkeys(_NAME.findall(text[:_MAX_SEARCHED])):
                for table, used in (
                    (self.variables, found.variables),
                    (self.functions, found.functions),
                    (self.aliases, found.aliases),
                ):
                    if name in table and name not in used:
                        value = table[name]
                        used[name] = value  # type: ignore[index]
                        if value and searched < MAX_CHARACTERS:
                            texts.append(value)
        return found

    def inert(self, command: str) -> bool:
        """Return True for a command of plain words that neither depends on this state nor changes it."""
        scope, disk, _ = self._shell
        if self.incomplete or self.lost or scope.traps or scope.replaced or "PROMPT_COMMAND" in scope.variables:
            return False
        name = command[:_LONGEST_INERT].split(" ", 1)[0]
        return (
            name in _READERS
            and len(command) < _LONGEST_INERT
            and _PLAIN.match(command) is not None
            and name not in scope.functions
            and name not in scope.aliases
            and not disk.used
        )

    def findings(self, command: str, reading: Reading) -> Iterator[Finding]:
        """Return the findings that are due because this state is incomplete."""
        if self.incomplete:
            yield _unknown(f"{self.incomplete}, so every word may mean something else now", command)
        elif "variables" in self.lost and (name := self._lost_variable(command, reading)):
            yield _unknown(f"too many variables were set to know the value of {name[:80]}", command)
        if "coproc" in self._shell.scope.options and any(map(_writes_elsewhere, reading.commands)):
            yield _unknown("it may write to a coprocess that an earlier command has started", command)
        paths = [path for each in reading.commands if each.called and (path := run_file(each))]
        disk = self._shell.disk
        unknown = next((path for path in paths if disk.unknown(path) or disk.scattered(path)), "")
        if unknown:
            yield _unknown(f"it runs a file that was written before with unknown content: {unknown[:200]}", command)
        elif "files" in self.lost and any(not disk.text(path) for path in paths):
            yield _unknown("it may run a file that was written earlier and is no longer known", command)

    def _lost_variable(self, command: str, reading: Reading) -> str:
        known = reading.shell.scope.variables if reading.shell else {}
        return next((name for name in _VARIABLE.findall(command[:_MAX_SEARCHED]) if name not in known), "")

    # How it changes

    def unknown(self, reason: str) -> ShellState:
        """Return the state after something that may have changed anything.

        Args:
            reason: What that was, as the beginning of a sentence.
        """
        scope = self._shell.scope.child()
        scope.unknown = reason
        return self._bounded(self._shell._replace(scope=scope), self._writers)

    def after(self, command: str, *, cwd: str | None = None, home: str | None = None) -> ShellState:
        """Return the state that a command leaves behind.

        Args:
            command: The text of the command.
            cwd: The directory that it ran in.
            home: The user's home directory; taken from the environment by default.
        """
        return self.left_by(self.read(command, cwd=cwd, home=home or os.path.expanduser("~")))

    def after_write(self, path: str, text: str | None) -> ShellState:
        """Return the state after something other than the shell has written a file.

        Args:
            path: The absolute path of the file.
            text: Its content; None when it is unknown.
        """
        scope, disk, exported = self._shell
        disk = disk.copy([])
        disk.write(path, text)
        return self._bounded(Shell(scope, disk, exported), self._writers)

    def beside(self, after: ShellState) -> ShellState:
        """Return the state after a command ran in another shell, which affects only the files.

        Args:
            after: The state that the command left there.
        """
        unread = after.incomplete and not self.incomplete
        lost = self.lost | ({"files"} if unread else after.lost & {"files"})
        if lost == self.lost and after._writers is self._writers and after._shell.disk.same(self._shell.disk):
            return self
        return ShellState._of(self._shell._replace(disk=after._shell.disk), after._writers, lost)

    def restarted(self, environment: Mapping[str, str] | None = None) -> ShellState:
        """Return the state of a new shell, which keeps only the files of the old one.

        Args:
            environment: As for a new state.
        """
        return ShellState(environment).beside(self)

    def after_failed_exec(self) -> ShellState:
        """Return the state after an `exec` that did not replace the shell, so that its knowledge remains valid."""
        scope = self._shell.scope.child()
        scope.replaced = False
        return self._bounded(self._shell._replace(scope=scope), self._writers)

    def read(
        self,
        command: str,
        *,
        cwd: str | None,
        home: str,
        budget: Budget | None = None,
        uses: Recorder | None = None,
    ) -> Reading:
        """Read a command in this state. A command that is too long is read without its long quotations.

        Args:
            command: The text of the command.
            cwd: The directory that it would run in.
            home: The user's home directory.
            budget: The limit for the work of reading.
            uses: Records what the command uses of this state.
        """
        shell = self._shell
        if uses is not None:
            shell = shell._replace(scope=shell.scope.child())
            shell.scope.record(uses)
        if shell.scope.replaced:
            scope = shell.scope.child()
            scope.restart(dict(shell.exported))
            shell = shell._replace(scope=scope)
        text = clean(command).text
        if len(text) > MAX_LENGTH:
            text = abridge(text)
        if len(text) <= MAX_LENGTH:
            reading = read(text, cwd=cwd, home=home, budget=budget, shell=shell)
            if reading.stopped and len(brief := abridge(text)) < len(text):
                reading.shell = read(brief, cwd=cwd, home=home, shell=shell).shell
            if reading.shell is not None and _COPROCESS.search(text):
                reading.shell.scope.options["coproc"] = True
            return reading
        scope = shell.scope.child()
        scope.unknown = "a command was too long to read"
        return Reading(stopped=True, shell=shell._replace(scope=scope))

    def left_by(self, reading: Reading) -> ShellState:
        """Return the state after a command that was read in this one."""
        shell = reading.shell
        assert shell is not None
        scope = shell.scope
        scope.taken, scope.followed, scope.locals = {}, None, []
        scope.stop_recording()
        scope.functions = {name: _definition(body) for name, body in scope.functions.items()}
        scope.bodies = {
            name: tuple(body and _definition(body) for body in bodies) for name, bodies in scope.bodies.items()
        }
        for path in {path for command in reading.commands for path in rewritten(command)}:
            if shell.disk.text(path) is not None and shell.disk.text(path) is self._shell.disk.text(path):
                shell.disk.write(path, None)
        for name in {name for command in reading.commands for name in scattered(command)}:
            shell.disk.scatter(name)
        exported: dict[str, Body] = {name: _definition(body) for name, body in shell.exported.items()}
        return self._bounded(Shell(scope, shell.disk.copy([]), exported), self._writers.plus(reading.commands))

    def related(self, commands: Sequence[Command]) -> list[Command]:
        """Return earlier commands, and stand-ins for them, that wrote the files which these commands name."""
        paths = dict.fromkeys(path for command in commands for path in named(command))
        texts = {path: text for path in paths if (text := self._shell.disk.text(path))}
        return [*self._writers.related(commands), *(writer(path, text) for path, text in texts.items())]

    def _bounded(self, shell: Shell, writers: WriteHistory) -> ShellState:
        """Return a state within the limits; this one if nothing has changed."""
        scope, disk, _ = shell
        before = self._shell
        if (
            writers is self._writers
            and all(getattr(scope, name) == getattr(before.scope, name) for name in _COMPARED)
            and disk.same(before.disk)
            and shell.exported == before.exported
        ):
            return self
        lost = self.lost
        if bound_variables(scope):
            lost |= {"variables"}
        bound_code(scope)
        if disk.bound(MAX_NAMES, MAX_CHARACTERS, LONGEST) or writers.lost:
            lost |= {"files"}
        return ShellState._of(shell, writers, lost)

    @classmethod
    def _of(cls, shell: Shell, writers: WriteHistory, lost: frozenset[str]) -> ShellState:
        state = cls.__new__(cls)
        state._shell, state._writers, state.lost = shell, writers, lost
        state.incomplete = "" if shell.scope.replaced else shell.scope.unknown
        state.version = next(_versions)
        return state


def _unknown(reason: str, command: str) -> Finding:
    return Finding(
        rule="shell.unknown-state",
        severity="ask",
        reason=f"{reason}; `exec bash` restarts the shell",
        effects=frozenset({"unknown"}),
        span=(0, len(command)),
    )


def _writes_elsewhere(command: Command) -> bool:
    """Return True when a command writes to a descriptor that is neither its output nor its error output."""
    return any(
        found.operator in {">&", "&>"} and found.target.raw not in {"1", "2", "-"} for found in command.redirects
    )


def run_file(command: Command) -> str:
    """Return the file that a command names and runs; empty when there is none."""
    if not command.argv:
        return ""
    if _RUNNERS.match(command.program or ""):
        script = next((word for word in command.args if not word.raw.startswith("-")), None)
        given = any(word.raw in {"-c", "-e", "-m", "--eval"} for word in command.args)
        return "" if script is None or given else command.path(script) or ""
    return (command.path(command.argv[0]) or "") if "/" in command.argv[0].raw else ""


def _definition(body: Body) -> Definition:
    """Return a function's body as text; unknown when a here-document of the function follows it."""
    if isinstance(body, Definition):
        return body
    frame, node = body
    start, end = node.start_byte, node.end_byte
    cut = any(start <= at < end < found.start + len(found.text) for at, found in frame.heredocs.items())
    return Definition(None if cut else frame.text[start:end])
