"""Reads loops and branches: each iteration and each branch that makes a difference."""

from abc import abstractmethod
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from hermes_guard import lazy_re as re
from hermes_guard.shell.arithmetic import changes, counted
from hermes_guard.shell.command import Command, Stdin
from hermes_guard.shell.constant_conditions import constant, constant_number
from hermes_guard.shell.declarations import DeclarationReader
from hermes_guard.shell.reader_state import Flow, Frame, span_of
from hermes_guard.shell.scope import Scope, merged
from hermes_guard.shell.scope_merge import forget_changed, join, same, widen
from hermes_guard.shell.word import HOLE, Word

if TYPE_CHECKING:
    from tree_sitter import Node

#: Nodes that use the values of variables directly; container nodes leave that to their children.
_USES = frozenset(
    ["command", "redirected_statement", "variable_assignment", "variable_assignments", "declaration_command"]
)
_USED = re.compile(r"\$(?:\{[!#]?)?([A-Za-z_]\w*|[0-9@*#])")
#: The maximum number of combinations of variable values for one command.
_MAX_WAYS = 12
#: Up to the first number, every value of a list is read; of more, one of each kind, within the second number.
_FEW, _MANY = 8, 64
#: Numbers of the same kind. Small ones have meanings, as in `init 6`.
_LONG_NUMBER = re.compile(r"\d{2,}")
#: Iterations of a loop without a list: the first, one after it, and one for all others.
_MAX_TURNS = 3
#: Commands that set variables in a loop to values that depend on others; constants are known after the first iteration.
_SETS = re.compile(
    r"([A-Za-z_]\w*)(?:\[[^\]\n]*\])?(?:\+=|=(?:\"[^\"]*|[^\s;|&]*)[$`])"
    r"|\b(?:read|mapfile|readarray|getopts|let)\b([^\n;|&]*)"
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
#: Commands that only print their words.
_TELLS = re.compile(r"(?:echo|printf|test|\[\[?|return|exit|:)\s")
_READS = re.compile(r"\s*(?:[A-Za-z_]\w*=\S*\s+)*read\b(?![^;\n]*\s-\w*[udnN])")


class LoopReader(DeclarationReader):
    """Reads loops and branches."""

    __slots__ = ()

    def chosen(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command] | None:
        """Read a node once for each value of its variables; return None when none of them depends on a branch."""
        if node.type not in _USES or not self.spare:
            return None
        source = frame.text[node.start_byte : node.end_byte]
        if _TELLS.match(source):
            return None
        used = {name if name[0].isalpha() or name[0] == "_" else "@" for name in _USED.findall(source)}
        names = [name for name in scope.choices if name in used]
        ways = 1
        for name in names:
            ways *= len(scope.choices[name])
        if not names or ways > _MAX_WAYS:
            return None
        start = len(self.reading.commands)
        found: list[Command] = []
        worlds: list[Scope] = []
        for values in product(*(scope.choices[name] for name in names)):
            own = scope.child()
            for name, value in zip(names, values, strict=True):
                own.become(name, (value,))
                if name in scope.removed and not value:
                    own.removed.add(name)
            worlds.append(own)
            found += self.node(node, frame, own, flow)
        self.spend(start)
        join(scope, worlds)
        return found

    @abstractmethod
    def node(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        """Read one node and return the commands whose output is its output."""

    def condition(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        """Read an `if`. Its first condition always runs, whichever branch is taken."""
        found: list[Command] = []
        inside = flow._replace(condition=True)
        worlds: list[Scope] = []
        ended: set[Scope] = set()
        complete = False
        for number, child in enumerate(node.children):
            if not child.is_named:
                continue
            if node.field_name_for_child(number) == "condition":
                found += self.node(child, frame, scope, flow)
                continue
            if not worlds or child.type in {"elif_clause", "else_clause"}:
                worlds.append(scope.child())
            complete = complete or child.type == "else_clause"
            found += self.node(child, frame, worlds[-1], inside)
            if _exits(child, frame) and "exit" not in scope.functions and "exit" not in scope.aliases:
                ended.add(worlds[-1])
        # Nothing follows a branch that ends the shell.
        left = [world for world in worlds if world not in ended]
        join(scope, left if complete and left else [*left, scope.child()])
        return found

    def cases(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        """Read a `case`: one of its items runs, none, or several joined by `;&`."""
        found: list[Command] = []
        worlds: list[Scope] = []
        through = False
        for child in node.named_children:
            if child.type != "case_item":
                self.expander(frame, scope).word(frame.text[child.start_byte : child.end_byte], child.start_byte)
                continue
            own = scope.child()
            if through:
                widen(own, worlds[-1])
            worlds.append(own)
            found += self.node(child, frame, own, flow)
            through = any(sign.type in {";&", ";;&"} for sign in child.children[-1:])
        join(scope, [*worlds, scope.child()])
        return found

    def repeated(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        """Read a `while` or `until` until another iteration changes nothing that is known."""
        test = node.child_by_field_name("condition") if node.type == "while_statement" else None
        if test is not None:
            # The grammar puts the exclamation mark before the condition.
            held = constant(frame.text[node.start_byte + len("while") : test.end_byte])
            if held is not None and held != frame.text.startswith("until", node.start_byte):
                flow = flow._replace(endless=node.start_byte, forked=False)
        if flow.stdin is not None and flow.stdin.text and HOLE not in flow.stdin.text:
            found = self._lines(flow.stdin, node, frame, scope, flow)
            if found is not None:
                return found
        found = []
        for turn in range(_MAX_TURNS):
            start = len(self.reading.commands)
            own, before = scope.child(), scope.child()
            found += self._turn(node, frame, own, flow)
            widen(scope, own)
            forget_changed(scope, before, numbers=not turn)
            if turn:
                self.spend(start)
            if same(scope, before) or turn == _MAX_TURNS - 1:
                break
            if turn == _MAX_TURNS - 2 or not self.spare:
                # In the last iteration, what any iteration sets may also be something else.
                for names in _SETS.findall(frame.text[node.start_byte : node.end_byte]):
                    for name in _IDENTIFIER.findall(" ".join(names)):
                        scope.become(name, merged(scope.state(name), (HOLE,)))
        return found

    def _turn(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        inside = flow._replace(condition=True)
        return [found for child in node.named_children for found in self.node(child, frame, scope, inside)]

    def _lines(self, stdin: Stdin, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command] | None:
        """Read `while read` once for each line of a known input; return None for any other loop."""
        test = node.child_by_field_name("condition")
        if test is None or not _READS.match(frame.text[test.start_byte : test.end_byte]):
            return None
        lines = (stdin.text or "").removesuffix("\n").split("\n")
        if len(lines) > _MANY or not self.spare:
            return None
        found: list[Command] = []
        total = scope.child()
        for number in range(len(lines)):
            left = Stdin("\n".join(lines[number:]) + "\n", stdin.commands, stdin.file, stdin.span)
            scope.followed = left
            start = len(self.reading.commands)
            found += self._turn(node, frame, scope, flow._replace(stdin=left))
            self.spend(start)
            widen(total, scope)
        scope.take(total)
        return found

    def each(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        """Read a `for`: one iteration for each value that makes a difference."""
        name = ""
        values: list[Word] | None = None
        body: Node | None = None
        expander = self.expander(frame, scope)
        for number, child in enumerate(node.children):
            field_name = node.field_name_for_child(number)
            source = frame.text[child.start_byte : child.end_byte]
            if field_name == "variable":
                name = source
            elif field_name == "value":
                values = [*(values or ()), *expander.words(source, child.start_byte)]
            elif field_name == "body":
                body = child
        if body is None:
            return []
        if name.startswith("((") or node.type == "c_style_for_statement":
            header = frame.text[node.start_byte : body.start_byte].partition("((")[2].rpartition("))")[0]
            name, values = self._counted(header, frame, scope, span_of(node, frame))
            if not name:
                middle = header.split(";")[1:2]
                ends = any(expression.strip() and not constant_number(expression) for expression in middle)
                if not ends:
                    flow = flow._replace(endless=node.start_byte, forked=False)
                return self.repeated(node, frame, scope, flow._replace(loop=True))
        elif values is None and scope.positions is not None and not any(child.type == "in" for child in node.children):
            scope.use("@")
            values = [Word(text, text, span_of(node, frame)) for text in scope.positions]
        return self._valued(name, values or [], body, frame, scope, flow)

    def _counted(self, header: str, frame: Frame, scope: Scope, span: tuple[int, int]) -> tuple[str, list[Word]]:
        """Return the variable and the numbers of `for ((i=0; i<9; i++))`; no variable for any other loop."""
        loop = counted(header)
        if loop is not None and len(loop[1]) <= _MANY:
            return loop[0], [Word(str(number), str(number), span) for number in loop[1]]
        expander = self.expander(frame, scope)
        for expression in header.split(";"):
            expander.arithmetic(expression)
            for name in changes(expression):
                scope.forget(name)
        return "", []

    def _valued(
        self, name: str, values: Sequence[Word], body: "Node", frame: Frame, scope: Scope, flow: Flow
    ) -> list[Command]:
        nested, flow = flow.loop, flow._replace(loop=True)
        kinds = values if len(values) <= _FEW else list({_kind(word): word for word in values}.values())
        found: list[Command] = []
        total = scope.child()
        for number, value in enumerate(kinds):
            # A short list in an outermost loop is always read completely.
            if (nested or len(kinds) > _FEW) and (len(kinds) > _MANY or not self.spare):
                kinds = []
                break
            start = len(self.reading.commands)
            self._one(name, value, scope)
            found += self.node(body, frame, scope, flow)
            if number and (nested or len(kinds) > _FEW):
                self.spend(start)
            widen(total, scope)
        if not kinds:
            # Too many values, or none that is known.
            self._one(name, None, scope)
            found += self.node(body, frame, scope, flow)
            widen(total, scope)
        scope.take(total)
        return found

    def _one(self, name: str, value: Word | None, scope: Scope) -> None:
        if name.isidentifier():
            scope.assign(name, HOLE if value is None or value.splits else value.raw)
            if value is not None and value.glob:
                scope.patterns.add(name)


def _exits(node: "Node", frame: Frame) -> bool:
    """Return True when a branch ends by exiting the shell."""
    while node.type in {"elif_clause", "else_clause"} and node.named_children:
        node = node.named_children[-1]
    return node.type == "command" and frame.text[node.start_byte : node.end_byte].split()[:1] == ["exit"]


def _kind(word: Word) -> tuple[str, bool, bool]:
    return _LONG_NUMBER.sub("00", word.raw), word.glob, word.splits
