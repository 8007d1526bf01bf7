"""Reads what a command runs in turn: other programs, code for shells, and scripts written before."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from hermes_guard.budget import Budget
from hermes_guard.shell.builtins import BUILTINS
from hermes_guard.shell.command import Command, Redirect, Wrapper
from hermes_guard.shell.command_output import output
from hermes_guard.shell.expansion import Expander
from hermes_guard.shell.reader_state import (
    KEPT_WORDS,
    MAX_ALL_WORDS,
    MAX_COMMANDS,
    MAX_DEPTH,
    MAX_WRAPPERS,
    Flow,
    Frame,
    Reading,
    StopError,
)
from hermes_guard.shell.scope import Body, Scope
from hermes_guard.shell.shell_code import SHELLS, code_of, is_unknown_script
from hermes_guard.shell.virtual_files import Script, VirtualFiles
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.shell.wrappers.containers import wrapped
from hermes_guard.shell.wrappers.dispatch import inner
from hermes_guard.shell.wrappers.inner_command import InnerCommand, powerful
from hermes_guard.verdict import Finding

if TYPE_CHECKING:
    from tree_sitter import Node

#: The number of commands between two checks of the clock.
_COMMANDS_PER_LOOK = 32
_EXPORTS = frozenset({"export", "declare", "typeset", "set"})
#: Builtins that evaluate array subscripts in their arguments.
_SUBSCRIPTS = frozenset({"let", "test", "[", "unset", "printf", "read", "wait"})
#: Builtins whose code is read by the current shell.
_SAME_SHELL = frozenset({"eval", "source", ".", "exec"})
#: Of these, only the word after an option.
_SUBSCRIPT_OPTIONS = {"test": "-v", "[": "-v", "printf": "-v", "wait": "-p"}


class NestedCommandReader(ABC):
    """Records commands, and reads the wrappers, scripts and shell code that they run."""

    __slots__ = (
        "active", "budget", "called", "depth", "disk", "exported", "exports", "nesting", "reading", "size", "words",
    )  # fmt: skip

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.reading = Reading()
        self.depth = -1
        self.nesting = 0
        self.active: list[str] = []
        self.called: set[str] = set()
        self.size = 0
        #: The number of words in all commands, and of their characters.
        self.words = [0, 0]
        self.disk = VirtualFiles(self.reading.commands)
        #: Functions exported to inner shells, and whether that list is complete.
        self.exported: dict[str, Body] = {}
        self.exports = False

    @abstractmethod
    def code(self, text: str, scope: Scope, flow: Flow, *, base: int, origin: tuple[int, int] | None) -> list[Command]:
        """Read a text and return the commands whose output is its output."""

    @abstractmethod
    def substitute(self, code: str, at: int | None, scope: Scope) -> tuple[str, tuple[Command, ...]]:
        """Read a substitution in a subshell."""

    @abstractmethod
    def node(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        """Read one node and return the commands whose output is its output."""

    @abstractmethod
    def emit(
        self,
        words: Sequence[Word],
        redirects: Sequence[Redirect],
        flow: Flow,
        scope: Scope,
        span: tuple[int, int],
        *,
        guessed: bool = False,
    ) -> list[Command]:
        """Add a command and everything it runs."""

    def find(self, rule: str, reason: str, span: tuple[int, int] | None, command: Command | None = None) -> None:
        """Record a finding of the reader itself, once per position."""
        self.reading.findings.append(
            Finding(
                rule=rule,
                severity="ask",
                reason=reason,
                effects=frozenset({"unknown"}),
                span=span,
                argv=command.texts if command is not None else (),
                place=command.place if command is not None else (),
            )
        )

    def add(self, command: Command) -> None:
        """Record a command that would run."""
        if command.group:
            self.disk.group(command)
        self.reading.commands.append(command)
        count = len(self.reading.commands)
        if count > MAX_COMMANDS or (count % _COMMANDS_PER_LOOK == 0 and self.budget.late):
            self.find("shell.too-long", "there are too many commands to read", command.span)
            raise StopError

    def _run(self, command: Command, flow: Flow, scope: Scope) -> list[Command]:
        """Read what a command does to the shell, and what it runs."""
        program = command.program or ""
        for key in command.assignments:
            if key.startswith("BASH_FUNC_"):
                self.code(f"f {command.assignments[key]}; f", scope.child(), Flow(), base=0, origin=command.span)
        builtin = BUILTINS.get(program)
        if builtin:
            builtin(command, scope)
        if program in _EXPORTS:
            self._export(command, scope)
        elif program == "exec" and any(word.raw.rsplit("/", 1)[-1] in SHELLS for word in command.args):
            scope.replaced = True
        if program in _SUBSCRIPTS:
            self._subscripts(command, scope)
        producers = [command]
        for found in inner(command):
            producers = self._inner(found, flow, scope, command.span) or producers
        producers = self._shell_code(command, flow, scope) or producers
        command.output = output(command)
        if command.output is None and self.disk.used:
            command.output = self.disk.printed(command)
        for text in self.disk.note(command, producers if producers[0] is not command else ()):
            self._nested(Word(text, text, command.span), scope.child(), flow._replace(stdin=None))
        for word in command.argv:
            if word.process == ">":
                self._fed(word, command, flow, scope)
        for redirect in command.redirects:
            if redirect.target.process == ">":
                self._fed(redirect.target, command, flow, scope)
        return producers

    def _export(self, command: Command, scope: Scope) -> None:
        """Track `export -f name`, `declare -fx name` and `set -a`."""
        letters = "".join(word.raw for word in command.args if word.raw.startswith("-"))
        if command.program == "set":
            self.exports = self.exports or "a" in letters or any(word.raw == "allexport" for word in command.args)
            scope.options["allexport"] = self.exports
            return
        if "f" in letters and (command.program == "export" or "x" in letters):
            names = [word.raw for word in command.args if word.raw in scope.functions]
            self.exported.update((name, scope.functions[name]) for name in names)

    def _subscripts(self, command: Command, scope: Scope) -> None:
        """Read what a builtin's arithmetic runs: `let 'a[$(cmd)]=1'`."""
        words = command.args
        option = _SUBSCRIPT_OPTIONS.get(command.program or "")
        if option:
            words = tuple(after for word, after in pairwise(words) if word.raw == option)
        for word in words:
            if "$(" in word.raw or "`" in word.raw:
                Expander(self, scope, 0, command.span).body(word.raw, None)
            elif command.program == "let":
                Expander(self, scope, 0, command.span).subscripts(word.raw)

    def _fed(self, word: Word, command: Command, flow: Flow, scope: Scope) -> None:
        """Read what a command writes into `>(shell)`."""
        if not any(found.program in SHELLS and found.stdin is None for found in word.commands):
            return
        if command.output is None or HOLE in command.output:
            reason = "a shell reads code that is unknown until it runs"
            self.find("shell.unknown-code", reason, command.span, command)
        else:
            self._nested(Word(command.output, command.output, command.span), scope.child(), flow._replace(stdin=None))

    def _inner(self, found: InnerCommand, flow: Flow, scope: Scope, span: tuple[int, int]) -> list[Command]:
        wrapper = found.wrapper
        inside = flow._replace(
            wrappers=wrapped(flow.wrappers, wrapper), assignments=(*flow.assignments, *found.assignments)
        )
        if found.consumes_stdin:
            inside = inside._replace(stdin=None)
        where = scope if wrapper.program in {"builtin", "command"} else scope.child()
        if found.folder is not None:
            where.change_folder(found.folder.raw)
        if wrapper.elsewhere:
            where.cwd = "/" if wrapper.program == "chroot" else None
            where.functions, where.aliases = {}, {}
        if found.code is not None:
            return self._nested(found.code, where, inside)
        if wrapper.program not in {"time", "builtin", "command"}:
            if self.exports and not wrapper.elsewhere:
                self.exported.update(where.functions)
            where.functions, where.aliases = {}, {}
        words = found.words
        if len(inside.wrappers) > MAX_WRAPPERS or self.words[0] + len(words) > MAX_ALL_WORDS - KEPT_WORDS:
            # No ordinary command has that many; refusals must still be found behind them.
            self.find("shell.too-deep", "too many programs wrap this command", span)
            words = powerful(words)[:KEPT_WORDS]
            return self.emit(words, (), flow, where, span) if words else []
        # `env env env a` is `env a`.
        again = 0
        while again + 1 < len(words) and words[again].raw == words[again + 1].raw == wrapper.program:
            again += 1
        if again + len(inside.wrappers) + (words[again].raw == wrapper.program) > MAX_DEPTH:
            # It is still read, so that refusals are found.
            self.find("shell.too-deep", "more than eight programs wrap this command", span)
        words = words[again:]
        span = (min(word.span[0] for word in words), max(word.span[1] for word in words))
        return self.emit(words, (), inside, where, span)

    def _nested(self, code: Word, scope: Scope, flow: Flow) -> list[Command]:
        """Read code that is the value of a word."""
        origin = code.span
        # Only text without inner quotes has the same positions in the judged text.
        plain = code.source[1:-1] == code.raw and origin[1] - origin[0] == len(code.source)
        if plain:
            return self.code(code.raw, scope, flow, base=origin[0] + 1, origin=None)
        return self.code(code.raw, scope, flow, base=0, origin=origin)

    def _subshell(self, scope: Scope, flow: Flow) -> Scope:
        """Return the state of a shell that is started here: exported functions, whatever program starts it."""
        where = scope.child()
        if self.exported and not any(wrapper.elsewhere for wrapper in flow.wrappers):
            where.functions = {**self.exported, **where.functions}
        return where

    def _scripts(self, command: Command, scope: Scope) -> list[Script]:
        given = command.assignments
        start_up = [given.get(name, scope.variables.get(name, "")) for name in ("BASH_ENV", "ENV")]
        return self.disk.scripts(command, search_path(command, scope), [name for name in start_up if name])

    def _shell_code(self, command: Command, flow: Flow, scope: Scope) -> list[Command]:
        found: list[Command] = []
        sourced = command.args[0] if command.program in {"source", "."} and command.args else None
        if sourced is not None and not sourced.process and not command.loop and is_unknown_script(sourced):
            scope.unknown = "a script was sourced whose name is not known"
        scripts = self._scripts(command, scope) if self.disk.used else []
        if command.program in _SAME_SHELL and not any(script.text for script in scripts):
            _sourced(command, scope)
        for script in scripts:
            if not script.text:
                reason = "a shell runs a script that was just created"
                self.find("shell.unknown-code", reason, command.span, command)
                if script.same_shell:
                    scope.unknown = "a script was sourced that could not be read"
                continue
            inside = flow._replace(wrappers=(*flow.wrappers, Wrapper(command.program or "", command.texts)))
            where = scope if script.same_shell else self._subshell(scope, flow)
            before = where.positions
            if script.positions or not script.same_shell:
                where.positions = script.positions
            found.extend(self._nested(Word(script.text, script.text, command.span), where, inside))
            where.positions = before
        for code in code_of(command):
            inside = flow._replace(wrappers=(*flow.wrappers, Wrapper(command.program or "", command.texts)))
            if code.consumes_stdin:
                inside = inside._replace(stdin=None)
            if code.unknown:
                self.find("shell.unknown-code", code.unknown, command.span, command)
                if command.program in _SAME_SHELL:
                    scope.unknown = "code ran that was not known before"
                continue
            if code.word is None:
                continue
            where = scope if code.same_shell else self._subshell(scope, flow)
            if code.positions is not None:
                where.positions = code.positions
            if code.name is not None:
                where.name = code.name
            found.extend(self._nested(code.word, where, inside))
        return found


def _sourced(command: Command, scope: Scope) -> None:
    """Record unknown code that the current shell reads."""
    if command.program == "eval":
        if any(HOLE in word.raw for word in command.args):
            scope.source("")
    elif command.args:
        scope.source(command.path(command.args[0]) or "")


def search_path(command: Command, scope: Scope) -> str:
    """Return the directories that the shell searches for programs."""
    return command.assignments.get("PATH") or scope.lookup("PATH") or ""
