"""Builds commands from words, and resolves aliases and functions."""

from abc import abstractmethod
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from hermes_guard import lazy_re as re
from hermes_guard.shell.command import Command, Redirect
from hermes_guard.shell.nested_commands import NestedCommandReader, search_path
from hermes_guard.shell.reader_state import MAX_ALL_CHARACTERS, MAX_ALL_WORDS, Flow, Frame, StopError
from hermes_guard.shell.redirects import inputs_of
from hermes_guard.shell.scope import Definition, Scope
from hermes_guard.shell.word import HOLE, Word

if TYPE_CHECKING:
    from tree_sitter import Node

#: Dangerous programs that a pattern such as `/bin/r?` may match.
_FEARED = ("rm", "dd", "reboot", "shutdown", "poweroff", "halt", "mkfs", "bash", "sh")
#: Variables that expand to nothing as a command name, or that conventionally hold `sudo`.
_VANISHES = re.compile(r'"?\$\{?([@*1-9]|\w*(?i:sudo|doas|as_root)\w*)\}?"?$')


class CommandReader(NestedCommandReader):
    """Adds commands, and reads the aliases and functions that they name."""

    __slots__ = ()

    @abstractmethod
    def parsed(self, text: str, place: tuple[int, int]) -> "tuple[Frame, Node] | None":
        """Parse a function's body; None when it cannot be parsed. `place` is the position of the call."""

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
        self._count(words, span)
        command = self._command_of(words, redirects, flow, scope, span, guessed=guessed)
        self.add(command)
        if not words:
            return [command]
        inside = flow
        if flow.redirects or flow.stdin is not command.stdin:
            inside = flow._replace(stdin=command.stdin, redirects=())
        if command.program is None:
            if not guessed:
                self._guess(words, command, inside, scope)
            return [command]
        name = words[0].raw
        if name in scope.aliases and name not in self.active and not words[0].quoted:
            # Noninteractive shells do not expand aliases.
            found = self._alias(name, words, inside, scope, command)
            self.disk.note(command, found)
            return [*found, *self._run(command, inside, scope)]
        if name in scope.functions:
            found = self._call(name, words, inside, scope, command)
            self.disk.note(command, found)
            return found
        original = self.disk.original(command, search_path(command, scope)) if self.disk.used else ""
        if original and original != name:
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
        stdin = inputs.get(0) if redirects and any((found.fd or 0) == 0 for found in redirects) else None
        assignments = dict(word.raw.partition("=")[::2] for word in flow.assignments) if flow.assignments else {}
        # Set individually: a call with so many keyword arguments takes twice the time, and every command passes here.
        command = Command(_program(words[0]) if words else "", tuple(words), span, tuple(redirects), assignments)
        command.stdin = stdin or flow.stdin or inputs.get(0)
        command.wrappers = flow.wrappers
        command.cwd = scope.cwd
        command.depth = self.depth
        command.function = flow.function
        command.called = flow.called
        command.loop = flow.loop
        command.endless = flow.endless
        command.forked = flow.forked
        command.condition = flow.condition
        command.background = flow.background
        command.piped = flow.piped
        command.guessed = guessed
        command.inputs = inputs
        if self.disk.links:
            command.links = dict(self.disk.links)
        if self.disk.used:
            self.disk.open(command)
        return command

    def _count(self, words: Sequence[Word], span: tuple[int, int]) -> None:
        self.words[0] += len(words)
        self.words[1] += sum([len(word.raw) for word in words])
        if self.words[0] > MAX_ALL_WORDS or self.words[1] > MAX_ALL_CHARACTERS:
            self.find("shell.too-long", "there are too many words to read", span)
            raise StopError

    def _guess(self, words: Sequence[Word], command: Command, flow: Flow, scope: Scope) -> None:
        self.find(
            "shell.unknown-command",
            f"the name of the command is not certain: {words[0].source[:80]}",
            command.span,
            command,
        )
        # An unset variable expands to nothing, so a hole may hide a name: `r${x}m` is `rm`.
        name = words[0].raw.replace(HOLE, "")
        if words[0].glob and len(name) < 64:
            pattern = name.rsplit("/", 1)[-1]
            name = next((known for known in _FEARED if fnmatchcase(known, pattern)), name)
        rest = [Word(name, words[0].source, words[0].span), *words[1:]] if name else list(words[1:])
        # The directory of `$(which rm)` is unknown, but not the name.
        known = name if not words[0].commands or name.startswith("/") else ""
        if rest and (known or not words[0].commands):
            certain = bool(known) or _VANISHES.match(words[0].source) is not None
            self.emit(rest, command.redirects, flow, scope, command.span, guessed=not certain)

    def _alias(self, name: str, words: Sequence[Word], flow: Flow, scope: Scope, command: Command) -> list[Command]:
        self.active.append(name)
        try:
            alias = scope.aliases[name]
            if scope.uses is not None:
                scope.uses.alias(name, alias)
            rest = [_quote(word) for word in words[1:]]
            if alias[-1:] in {" ", "\t"} and rest and rest[0] in scope.aliases and rest[0] not in self.active:
                # After an alias that ends in a blank, the next word may also be an alias.
                rest[0] = scope.aliases[rest[0]]
            text = alias + " " + " ".join(rest)
            return self.code(text, scope, flow, base=0, origin=command.span)
        finally:
            self.active.pop()

    def _body(self, name: str, scope: Scope, command: Command) -> "tuple[Frame, Node] | None":
        """Return the body of a function; one from an earlier command is parsed when it is called."""
        known = scope.functions[name]
        if not isinstance(known, Definition):
            return known
        if scope.uses is not None:
            scope.uses.function(name, None if name in scope.bodies else known.text)
        found = self.parsed(known.text, command.span) if known.text is not None else None
        if found is None:
            reason = f"it calls the function {name[:80]}, whose body is not known: define it again or restart the shell"
            self.find("shell.unknown-state", reason, command.span, command)
            return None
        scope.functions[name] = found
        return found

    def _call(self, name: str, words: Sequence[Word], flow: Flow, scope: Scope, command: Command) -> list[Command]:
        if name in self.active:
            command.recursive = True
            return [command]
        known = self._body(name, scope, command)
        if known is None:
            return [command]
        frame, body = known
        self.called.add(name)
        self.active.append(name)
        positions = scope.positions
        scope.positions = [word.raw for word in words[1:]] if not any(word.splits for word in words[1:]) else None
        try:
            return self.node(body, frame, scope, flow._replace(function=name)) or [command]
        finally:
            scope.positions = positions
            self.active.pop()


def _program(word: Word) -> str | None:
    text = word.raw
    if HOLE in text or (word.glob and len(text) > 1):
        return None
    return text.rsplit("/", 1)[-1]


def _quote(word: Word) -> str:
    return word.source or "''"
