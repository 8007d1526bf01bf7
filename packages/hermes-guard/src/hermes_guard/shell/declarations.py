"""Tracks assignments and declarations: the value of a variable, and what the shell runs because of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.budget import Budget
from hermes_guard.shell.arrays import element, extended, subscript
from hermes_guard.shell.command import Command
from hermes_guard.shell.expansion import Expander
from hermes_guard.shell.function_calls import CallReader
from hermes_guard.shell.reader_state import Flow, Frame, StopError, span_of
from hermes_guard.shell.scope import Scope
from hermes_guard.shell.word import HOLE, Word

if TYPE_CHECKING:
    from tree_sitter import Node

_NAME = re.compile(r"[A-Za-z_]\w*")
_EQUALS = re.compile(r"(\+?)=")
#: Variables whose text every prompt, or a starting shell, expands.
_EXPANDED = frozenset({"PS0", "PS1", "PS2", "PS4", "ENV", "BASH_ENV"})
_DECLARING = frozenset({"declare", "typeset", "local", "export", "readonly"})
#: Builtins that make a variable local inside of a function.
_LOCAL = frozenset({"declare", "typeset", "local"})
_LETTERS = "ilurAn"
#: The number of words between two checks of the clock.
WORDS_PER_LOOK = 64


class Assigned(NamedTuple):
    """A variable, its new value, and the commands whose output it contains."""

    name: str
    value: str
    commands: tuple[Command, ...]


class DeclarationReader(CallReader):
    """Tracks assignments, `declare` and related builtins, and `unset`."""

    __slots__ = ("_followed_name",)

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget)
        #: The first word of the declaration that was tracked last, so that it is not tracked again as a command.
        self._followed_name: Word | None = None

    def expander(self, frame: Frame, scope: Scope) -> Expander:
        """Return the expander for the words of a text."""
        return Expander(self, scope, frame.base, frame.origin)

    def in_time(self, node: "Node", frame: Frame) -> None:
        """Check the clock occasionally while there are many words."""
        if self.budget.late:
            self.find("shell.too-long", "there are too many words to read", span_of(node, frame))
            raise StopError

    def assignment(self, node: "Node", frame: Frame, expander: Expander) -> list[Assigned]:
        """Return the value of an assignment that is yet to be made. Arrays are assigned at once."""
        start, end = node.start_byte, node.end_byte
        source = frame.text[start:end]
        found = _NAME.match(source)
        after = found.end() if found else 0
        closed = subscript(source, after) if source[after : after + 1] == "[" else after
        equals = _EQUALS.match(source, closed) if found else None
        if not found or not equals:
            expander.value(source)
            return []
        name, append = found.group(), equals.group(1)
        span = span_of(node, frame)
        if source[equals.end() : equals.end() + 1] == "(":
            self._array(name, node, frame, expander, append=bool(append))
            return []
        source = source[equals.end() :]
        word = expander.word(source, start + equals.end()) if source else None
        value = word.raw if word is not None else ""
        if closed > after:
            self._element(name, frame.text[start + after + 1 : start + closed - 1], value, expander, span, bool(append))
            return []
        if append:
            expander.scope.use(name)
            known = expander.scope.lookup(name)
            value = (HOLE if known is None else known) + value
        return [Assigned(name, value, word.commands if word is not None else ())]

    def _array(self, name: str, node: "Node", frame: Frame, expander: Expander, *, append: bool) -> None:
        scope = expander.scope
        words: list[Word] = []
        array = node.child_by_field_name("value")
        for child in array.named_children if array is not None else ():
            if child.type != "comment":
                words += expander.words(frame.text[child.start_byte : child.end_byte], child.start_byte)
        if append:
            scope.use(name)
        before = _elements(name, scope) if append else {}
        now = extended(before, (word.raw for word in words), (word.source for word in words))
        scope.become(name, (now,))
        for key, value in now.items():
            self.meant(name, value, scope, span_of(node, frame), key=key)

    def _element(
        self, name: str, index: str, value: str, expander: Expander, span: tuple[int, int], append: bool
    ) -> None:
        scope = expander.scope
        key = expander.key(name, index)
        array = _elements(name, scope)
        if append:
            known = element(array, key)
            value = (HOLE if known is None else known) + value
        self.meant(name, value, scope, span, key=key)
        if HOLE in key:
            scope.forget(name)
        else:
            scope.become(name, ({**array, key: value},))

    def meant(self, name: str, value: str, scope: Scope, span: tuple[int, int], *, key: str = "") -> None:
        """Read what the shell itself runs because a variable has this value."""
        runs = "$(" in value or "`" in value
        if runs and (name in _EXPANDED or "i" in scope.attributes.get(name, "")):
            Expander(self, scope, 0, span).body(value, None)
        elif "i" in scope.attributes.get(name, ""):
            Expander(self, scope, 0, span).subscripts(value)
        if name == "PROMPT_COMMAND" and HOLE not in value:
            self.code(value, scope.child(), Flow(), base=0, origin=span)
        if name in {"BASH_ALIASES", "BASH_CMDS"} and key:
            scope.rename(key, value)

    def assign(self, found: Assigned, scope: Scope, span: tuple[int, int]) -> None:
        """Make an assignment."""
        self.meant(found.name, found.value, scope, span)
        scope.assign(*found)

    def declaration(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        """Read assignments without a command, or the words of a declaration."""
        expander = self.expander(frame, scope)
        if node.type in {"variable_assignment", "variable_assignments"}:
            own: list[Word] = []
            for number, child in enumerate([node] if node.type == "variable_assignment" else node.named_children):
                if not number % WORDS_PER_LOOK:
                    self.in_time(node, frame)
                for found in self.assignment(child, frame, expander):
                    self.assign(found, scope, span_of(child, frame))
                    if found.name.startswith("HERMES_"):
                        own.append(Word(f"{found.name}={found.value}", found.name, span_of(child, frame)))
            # The environment already contains the agent's variables, so they are exported again with their new values.
            exported = Word("export", "export", span_of(node, frame))
            return self.emit([exported, *own], flow.redirects, flow, scope, span_of(node, frame)) if own else []
        words: list[Word] = []
        for number, child in enumerate(node.children):
            if not number % WORDS_PER_LOOK:
                self.in_time(node, frame)
            source = frame.text[child.start_byte : child.end_byte]
            if child.type == "variable_assignment":
                self._prepared(words, source, scope)
                for name, value, commands in self.assignment(child, frame, expander):
                    words.append(Word(f"{name}={value}", source, span_of(child, frame), commands=commands))
            elif child.type != "file_redirect":
                words.extend(expander.words(source, child.start_byte))
        if words and words[0].raw in _DECLARING:
            self._declared(words, scope, span_of(node, frame))
            self._followed_name = words[0]
        return self.emit(words, flow.redirects, flow, scope, span_of(node, frame))

    def _prepared(self, words: list[Word], source: str, scope: Scope) -> None:
        """Make a variable local before it gets its value, and record its attributes."""
        found = _NAME.match(source)
        if found and words:
            _declare(found.group(), words[0].raw, _letters(words), scope)

    def _run(self, command: Command, flow: Flow, scope: Scope) -> list[Command]:
        if command.program in _DECLARING and command.argv[0] is not self._followed_name:
            self._declared(command.argv, scope, command.span)
        elif command.program == "unset":
            _unset(command, scope)
        elif command.program == "let":
            for word in command.args:
                if "$(" not in word.raw and "`" not in word.raw:
                    Expander(self, scope, 0, command.span).arithmetic(word.raw)
        return super()._run(command, flow, scope)

    def _declared(self, words: Sequence[Word], scope: Scope, span: tuple[int, int]) -> None:
        letters, program = _letters(words), words[0].raw
        for word in words[1:]:
            text = word.raw
            found = _NAME.match(text)
            if not found:
                continue
            name, equals = found.group(), _EQUALS.match(text, found.end())
            fresh = _declare(name, program, letters, scope)
            if fresh and not equals:
                scope.remove(name)
            if equals:
                value = text[equals.end() :]
                if equals.group(1):
                    scope.use(name)
                    value = (scope.lookup(name) or HOLE) + value
                if "n" in letters and ("$(" in value or "`" in value):
                    Expander(self, scope, 0, span).body(value, None)
                self.assign(Assigned(name, value, word.commands), scope, span)
            elif "[" in text[found.end() :]:
                scope.forget(name)
            if program == "readonly" or "r" in letters:
                scope.attributes[name] = scope.attributes.get(name, "") + "r"
            if (program == "export" or "x" in letters) and "x" not in scope.attributes.get(name, ""):
                scope.attributes[name] = scope.attributes.get(name, "") + "x"


def _declare(name: str, program: str, letters: str, scope: Scope) -> bool:
    """Set the attributes of a variable, and return whether that made it local."""
    fresh = program in _LOCAL and "g" not in letters and bool(scope.locals) and name not in scope.locals[-1]
    if fresh:
        scope.keep(name)
    known = scope.attributes.get(name, "")
    more = "".join(letter for letter in letters if letter in _LETTERS and letter not in known + "r")
    if "l" in more or "u" in more:
        known = known.replace("l", "").replace("u", "")
    if more:
        scope.attributes[name] = known + more
    return fresh


def _letters(words: Sequence[Word]) -> str:
    return "".join(word.raw[1:] for word in words if word.raw.startswith("-"))


def _elements(name: str, scope: Scope) -> dict[str, str]:
    """Return the elements of what may have been a scalar variable."""
    found = scope.arrays.get(name)
    if found is not None:
        return found
    value = scope.variables.get(name)
    return {} if value is None or name in scope.removed else {"0": value}


def _unset(command: Command, scope: Scope) -> None:
    """Track an `unset`: without an option it removes a function only if no variable has that name."""
    letters = _letters(command.argv)
    for word in command.args:
        name = word.raw
        if name.startswith("-"):
            continue
        if "[" in name:
            scope.forget(name.partition("[")[0])
        elif "n" in letters:
            scope.references.pop(name, None)
            scope.attributes.pop(name, None)
        elif "f" in letters or ("v" not in letters and _absent(name, scope)):
            scope.functions.pop(name, None)
            scope.bodies.pop(name, None)
        else:
            scope.remove(name)


def _absent(name: str, scope: Scope) -> bool:
    return name in scope.functions and (name not in scope.variables or name in scope.removed)
