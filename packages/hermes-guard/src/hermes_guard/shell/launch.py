"""Reads a command with its words: what it is, and whatever else it runs."""

import posixpath
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import TYPE_CHECKING

from hermes_guard.budget import Budget
from hermes_guard.shell.builtins import BUILTINS
from hermes_guard.shell.code import SHELLS, code_of
from hermes_guard.shell.command import Command, Redirect, Wrapper
from hermes_guard.shell.expand import Expander
from hermes_guard.shell.frames import (
    MAX_ALL_CHARACTERS,
    MAX_ALL_WORDS,
    MAX_COMMANDS,
    MAX_DEPTH,
    MAX_WRAPPERS,
    Flow,
    Frame,
    Reading,
    StopError,
)
from hermes_guard.shell.inner import Inner
from hermes_guard.shell.outputs import output
from hermes_guard.shell.redirects import inputs_of
from hermes_guard.shell.scope import Scope
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.shell.wrappers import inner
from hermes_guard.verdict import Finding

if TYPE_CHECKING:
    from tree_sitter import Node

#: A script that another interpreter reads.
_FOREIGN = re.compile(r"#!(?!.*\b(?:ba|z|da|k|a|fi)?sh\b)")
#: Names that a pattern such as `/bin/r?` may hide.
_FEARED = ("rm", "dd", "reboot", "shutdown", "poweroff", "halt", "mkfs", "bash", "sh")
_COPIES = frozenset({"cp", "ln", "mv", "install"})
_NO_SCRIPT = re.compile(r"-[a-zA-Z]*[cn]|noexec\Z")
#: After how many commands the clock is looked at.
_COMMANDS_PER_LOOK = 32
_SYMBOLIC = re.compile(r"-[a-zA-Z]*s|--symbolic\Z")
_NO_LINKS: dict[str, str] = {}
_PROGRAM = re.compile(r"/(?:usr/)?(?:local/)?s?bin/[\w.+-]+\Z")
#: Builtins that calculate the subscripts in their words.
_SUBSCRIPTS = frozenset({"let", "test", "[", "unset", "printf", "read", "wait"})
#: Of these, only the word behind an option.
_SUBSCRIPT_OPTIONS = {"test": "-v", "[": "-v", "printf": "-v", "wait": "-p"}
#: Names that are empty in a command of its own, or that are there to hold `sudo`.
_VANISHES = re.compile(r'"?\$\{?([@*1-9]|\w*(?i:sudo|doas|as_root)\w*)\}?"?$')


class CommandReader(ABC):
    """Adds commands, and follows aliases, functions, wrappers and code for shells."""

    __slots__ = (
        "active",
        "budget",
        "called",
        "copies",
        "depth",
        "files",
        "links",
        "nesting",
        "reading",
        "size",
        "words",
    )

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.reading = Reading()
        self.depth = -1
        self.nesting = 0
        self.active: list[str] = []
        self.called: set[str] = set()
        self.size = 0
        #: Words of all commands, and their characters.
        self.words = [0, 0]
        #: Files that the text itself writes, by path, with their text.
        self.files: dict[str, str] = {}
        #: Programs that the text itself copies or links, by path.
        self.copies: dict[str, str] = {}
        #: Where links lead to that the text itself makes.
        self.links: dict[str, str] = {}

    @abstractmethod
    def code(self, text: str, scope: Scope, flow: Flow, *, base: int, origin: tuple[int, int] | None) -> list[Command]:
        """Read a text and return the commands whose output is its output."""

    @abstractmethod
    def substitute(self, code: str, at: int | None, scope: Scope) -> tuple[str, tuple[Command, ...]]:
        """Read a substitution in a subshell."""

    @abstractmethod
    def node(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        """Read one node and return the commands whose output is its output."""

    def find(self, rule: str, reason: str, span: tuple[int, int] | None, command: Command | None = None) -> None:
        """Note something about the reading itself, once per place."""
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
        """Note a command that would run."""
        self.reading.commands.append(command)
        count = len(self.reading.commands)
        if count > MAX_COMMANDS or (count % _COMMANDS_PER_LOOK == 0 and self.budget.late):
            self.find("shell.too-long", "there are too many commands to read", command.span)
            raise StopError

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
        """Add a command, and whatever it runs."""
        self._count(words, span)
        command = self._command_of(words, redirects, flow, scope, span, guessed=guessed)
        self.add(command)
        if not words:
            return [command]
        inside = flow._replace(stdin=command.stdin, redirects=())
        if command.program is None:
            if not guessed:
                self._guess(words, command, inside, scope)
            return [command]
        name = words[0].raw
        if name in scope.aliases and name not in self.active and not words[0].quoted:
            # A shell that nobody talks to knows no aliases.
            return [*self._alias(name, words, inside, scope, command), *self._run(command, inside, scope)]
        if name in scope.functions:
            return self._call(name, words, inside, scope, command)
        original = self._original(command) if "/" in name and (self.copies or self.links) else ""
        if original:
            renamed = Word(original, words[0].source, words[0].span)
            return self.emit([renamed, *words[1:]], redirects, flow, scope, span)
        return self._run(command, inside, scope)

    def _command_of(
        self,
        words: Sequence[Word],
        redirects: Sequence[Redirect],
        flow: Flow,
        scope: Scope,
        span: tuple[int, int],
        *,
        guessed: bool,
    ) -> Command:
        inputs = inputs_of(redirects, scope.inputs) if redirects or scope.inputs else {}
        stdin = inputs.get(0) if any((found.fd or 0) == 0 for found in redirects) else None
        return Command(
            program=_program(words[0]) if words else "",
            argv=tuple(words),
            span=span,
            redirects=tuple(redirects),
            assignments=dict(word.raw.partition("=")[::2] for word in flow.assignments) if flow.assignments else {},
            stdin=stdin or flow.stdin or inputs.get(0),
            wrappers=flow.wrappers,
            cwd=scope.cwd,
            depth=self.depth,
            function=flow.function,
            called=flow.called,
            loop=flow.loop,
            condition=flow.condition,
            background=flow.background,
            piped=flow.piped,
            guessed=guessed,
            inputs=inputs,
            links=dict(self.links) if self.links else _NO_LINKS,
        )

    def _run(self, command: Command, flow: Flow, scope: Scope) -> list[Command]:
        """Follow what a command does to the shell, and what it runs."""
        program = command.program or ""
        if program in _COPIES:
            self._copied(command)
        for key, value in command.assignments.items():
            if key.startswith("BASH_FUNC_"):
                self.code(f"f {value}; f", scope.child(), Flow(), base=0, origin=command.span)
        builtin = BUILTINS.get(program)
        if builtin:
            builtin(command, scope)
        if program in _SUBSCRIPTS:
            self._subscripts(command, scope)
        producers = [command]
        for found in inner(command):
            producers = self._inner(found, flow, scope, command.span) or producers
        producers = self._shell_code(command, flow, scope) or producers
        command.output = output(command)
        if command.output is not None and (command.redirects or program == "tee"):
            self._written(command, command.output)
        for word in (*command.argv, *(found.target for found in command.redirects)):
            if word.process == ">":
                self._fed(word, command, flow, scope)
        return producers

    def _original(self, command: Command) -> str:
        """The program that a copy or link of it would run; empty when it is none."""
        path = command.path(command.argv[0]) or ""
        linked = path if path.rsplit("/", 1)[-1] != command.program and _PROGRAM.match(path) else ""
        return self.copies.get(path, linked)

    def _copied(self, command: Command) -> None:
        """Remember a program under its new name: `cp /bin/rm x; ./x -rf d`."""
        words = [word for word in command.args if not word.raw.startswith("-")]
        if len(words) != 2:
            return
        if command.program == "ln" and any(_SYMBOLIC.match(word.raw) for word in command.args):
            link, target = command.path(words[1]), words[0].raw
            if link is not None and HOLE not in target:
                self.links[link] = target if target[:1] == "/" else posixpath.join(posixpath.dirname(link), target)
        original, path = self.copies.get(command.path(words[0]) or "", words[0].raw), command.path(words[1])
        if path is not None and _PROGRAM.match(original):
            self.copies[path] = self.copies[f"{path}/{original.rsplit('/', 1)[-1]}"] = original

    def _count(self, words: Sequence[Word], span: tuple[int, int]) -> None:
        self.words[0] += len(words)
        self.words[1] += sum(len(word.raw) for word in words)
        if self.words[0] > MAX_ALL_WORDS or self.words[1] > MAX_ALL_CHARACTERS:
            self.find("shell.too-long", "there are too many words to read", span)
            raise StopError

    def _subscripts(self, command: Command, scope: Scope) -> None:
        """Read what arithmetic runs that a builtin does with its words: `let 'a[$(cmd)]=1'`."""
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
            reason = "a shell reads code that nobody knows before it runs"
            self.find("shell.unknown-code", reason, command.span, command)
        else:
            self._nested(Word(command.output, command.output, command.span), scope.child(), flow._replace(stdin=None))

    def _written(self, command: Command, text: str) -> None:
        targets = [
            (found.target, found.operator == ">>")
            for found in command.redirects
            if found.writes and found.fd in {None, 1}
        ]
        if command.program == "tee":
            targets += [(word, False) for word in command.args if not word.raw.startswith("-")]
        for word, append in targets:
            path = command.path(word)
            if path is not None:
                self.files[path] = (self.files.get(path, "") if append else "") + text

    def _script(self, command: Command) -> Word | None:
        """The text of a script that was written before, when this command runs it."""
        word = command.argv[0]
        if command.program in SHELLS or command.program in {"source", "."}:
            names = [word for word in command.args if not word.raw.startswith("-")]
            # With `-c` the operands are no script, and with `-n` nothing is run.
            if not names or any(_NO_SCRIPT.match(word.raw) for word in command.args):
                return None
            word = names[0]
        elif "/" not in word.raw:
            return None
        text = self.files.get(command.path(word) or "")
        if text is None or _FOREIGN.match(text):
            return None
        return Word(text, text, command.span)

    def _guess(self, words: Sequence[Word], command: Command, flow: Flow, scope: Scope) -> None:
        self.find(
            "shell.unknown-command",
            f"the name of the command is not certain: {words[0].source[:80]}",
            command.span,
            command,
        )
        # An unset variable vanishes, and so a hole may hide a name: `r${x}m` is `rm`.
        name = words[0].raw.replace(HOLE, "")
        if words[0].glob and len(name) < 64:
            pattern = name.rsplit("/", 1)[-1]
            name = next((known for known in _FEARED if fnmatchcase(known, pattern)), name)
        rest = [Word(name, words[0].source, words[0].span), *words[1:]] if name else list(words[1:])
        # Of `$(which rm)` the folder is unknown, and the name is not.
        known = name if not words[0].commands or name.startswith("/") else ""
        if rest and (known or not words[0].commands):
            certain = bool(known) or _VANISHES.match(words[0].source) is not None
            self.emit(rest, command.redirects, flow, scope, command.span, guessed=not certain)

    def _alias(self, name: str, words: Sequence[Word], flow: Flow, scope: Scope, command: Command) -> list[Command]:
        self.active.append(name)
        try:
            alias = scope.aliases[name]
            rest = [_quote(word) for word in words[1:]]
            if alias[-1:] in {" ", "\t"} and rest and rest[0] in scope.aliases and rest[0] not in self.active:
                # After an alias that ends in a blank, the next word may be one too.
                rest[0] = scope.aliases[rest[0]]
            text = alias + " " + " ".join(rest)
            return self.code(text, scope, flow, base=0, origin=command.span)
        finally:
            self.active.pop()

    def _call(self, name: str, words: Sequence[Word], flow: Flow, scope: Scope, command: Command) -> list[Command]:
        frame, body = scope.functions[name]
        if name in self.active:
            command.recursive = True
            return [command]
        self.called.add(name)
        self.active.append(name)
        positions = scope.positions
        scope.positions = [word.raw for word in words[1:]] if not any(word.splits for word in words[1:]) else None
        try:
            return self.node(body, frame, scope, flow._replace(function=name)) or [command]
        finally:
            scope.positions = positions
            self.active.pop()

    def _inner(self, found: Inner, flow: Flow, scope: Scope, span: tuple[int, int]) -> list[Command]:
        wrapper = found.wrapper
        inside = flow._replace(wrappers=(*flow.wrappers, wrapper), assignments=(*flow.assignments, *found.assignments))
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
        if len(inside.wrappers) > MAX_WRAPPERS:
            return []
        if wrapper.program not in {"time", "builtin", "command"}:
            where.functions, where.aliases = {}, {}
        words = found.words
        # `env env env a` is `env a`.
        again = 0
        while again + 1 < len(words) and words[again].raw == words[again + 1].raw == wrapper.program:
            again += 1
        if again + len(inside.wrappers) + (words[again].raw == wrapper.program) > MAX_DEPTH:
            # It is followed all the same, for what is refused.
            self.find("shell.too-deep", "more than eight programs wrap this command", span)
        words = words[again:]
        span = (min(word.span[0] for word in words), max(word.span[1] for word in words))
        return self.emit(words, (), inside, where, span)

    def _nested(self, code: Word, scope: Scope, flow: Flow) -> list[Command]:
        """Read code that is the value of a word."""
        origin = code.span
        # Only text without quotes inside stands in the judged text as it is read.
        plain = code.source[1:-1] == code.raw and origin[1] - origin[0] == len(code.source)
        if plain:
            return self.code(code.raw, scope, flow, base=origin[0] + 1, origin=None)
        return self.code(code.raw, scope, flow, base=0, origin=origin)

    def _shell_code(self, command: Command, flow: Flow, scope: Scope) -> list[Command]:
        found: list[Command] = []
        script = self._script(command) if self.files else None
        if script is not None:
            inside = flow._replace(wrappers=(*flow.wrappers, Wrapper(command.program or "", command.texts)))
            return self._nested(script, scope.child(), inside)
        for code in code_of(command):
            inside = flow._replace(wrappers=(*flow.wrappers, Wrapper(command.program or "", command.texts)))
            if code.consumes_stdin:
                inside = inside._replace(stdin=None)
            if code.unknown:
                self.find("shell.unknown-code", code.unknown, command.span, command)
                continue
            if code.word is None:
                continue
            where = scope if code.same_shell else scope.child()
            if code.positions is not None:
                where.positions = code.positions
            if code.name is not None:
                where.name = code.name
            found.extend(self._nested(code.word, where, inside))
        return found


def _program(word: Word) -> str | None:
    text = word.raw
    if HOLE in text or (word.glob and len(text) > 1):
        return None
    return text.rsplit("/", 1)[-1]


def _quote(word: Word) -> str:
    return word.source or "''"
