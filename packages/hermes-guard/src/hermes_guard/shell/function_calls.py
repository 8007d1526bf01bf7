"""Reads calls of functions and aliases: each possible body, with the arguments of the call."""

from collections.abc import Sequence

from hermes_guard.budget import Budget
from hermes_guard.shell.command import Command
from hermes_guard.shell.command_reader import CommandReader
from hermes_guard.shell.reader_state import Flow
from hermes_guard.shell.scope import Body, Scope
from hermes_guard.shell.scope_merge import join
from hermes_guard.shell.word import HOLE, Word

#: The maximum depth of recursion with different arguments; beyond it the arguments are unknown.
_MAX_LEVELS = 4
#: The number of commands in one text that may be read again: for other iterations, bodies or values. Typical scripts
#: need few; beyond the limit, whatever depends on them is unknown.
_SPARE = 80


class CallReader(CommandReader):
    """Reads functions and aliases."""

    __slots__ = ("_calls", "_spare")

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget)
        #: The calls in progress.
        self._calls: list[tuple[str, ...]] = []
        self._spare = _SPARE

    @property
    def spare(self) -> bool:
        """True when something may be read again."""
        return self._spare > 0

    def spend(self, start: int) -> None:
        """Count what was read again: the commands from `start` on, and the reading itself."""
        self._spare -= len(self.reading.commands) - start + 1

    def _call(self, name: str, words: Sequence[Word], flow: Flow, scope: Scope, command: Command) -> list[Command]:
        if name in self.active:
            return self._recursion(name, words, flow, scope, command)
        bodies = scope.bodies.get(name)
        if not bodies:
            return self._followed(name, words, flow, scope, command)
        found: list[Command] = []
        worlds: list[Scope] = []
        for body in (scope.functions[name], *bodies):
            own = scope.child()
            worlds.append(own)
            found += self._as(body, name, words, flow, own, command)
        join(scope, worlds)
        return found

    def _as(
        self, body: Body | None, name: str, words: Sequence[Word], flow: Flow, scope: Scope, command: Command
    ) -> list[Command]:
        if body is None:
            del scope.functions[name], scope.bodies[name]
            return self._run(command, flow, scope)
        scope.define(name, body)
        return self._followed(name, words, flow, scope, command)

    def _recursion(self, name: str, words: Sequence[Word], flow: Flow, scope: Scope, command: Command) -> list[Command]:
        """Follow a recursive call, which may run something new if its arguments differ."""
        command.recursive = True
        if sum(call[0] == name for call in self._calls) >= _MAX_LEVELS:
            words = [words[0], Word(HOLE, HOLE, words[0].span, splits=True)]
        call = (name, *(HOLE if HOLE in word.raw else word.raw for word in words[1:]))
        if call in self._calls or not self.spare:
            return [command]
        start = len(self.reading.commands)
        active = self.active
        self.active = [known for known in active if known != name]
        try:
            return self._followed(name, words, flow, scope, command)
        finally:
            self.active = active
            self.spend(start)

    def _followed(self, name: str, words: Sequence[Word], flow: Flow, scope: Scope, command: Command) -> list[Command]:
        """Read a body with its own positional parameters and local variables."""
        self._calls.append((name, *(HOLE if HOLE in word.raw else word.raw for word in words[1:])))
        scope.locals.append({})
        positions = scope.choices.pop("@", None)
        try:
            return super()._call(name, words, flow, scope, command)
        finally:
            scope.choices.pop("@", None)
            if positions is not None:
                scope.choices["@"] = positions
            scope.leave()
            self._calls.pop()

    def _alias(self, name: str, words: Sequence[Word], flow: Flow, scope: Scope, command: Command) -> list[Command]:
        found = super()._alias(name, words, flow, scope, command)
        for meaning in scope.meanings.get(name, ()):
            own = scope.child()
            own.rename(name, meaning)
            found += super()._alias(name, words, flow, own, command)
        return found
