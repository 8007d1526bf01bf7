"""Reads the nodes of a tree: lists, pipelines, loops, branches, declarations and commands."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hermes_guard.shell.arrays import extended
from hermes_guard.shell.command import Command, Redirect, Stdin
from hermes_guard.shell.expand import Expander
from hermes_guard.shell.frames import KEPT_WORDS, MAX_NESTING, MAX_REDIRECTS, MAX_WORDS, Flow, Frame, StopError, span_of
from hermes_guard.shell.launch import CommandReader
from hermes_guard.shell.redirects import redirect_of, stdin_of
from hermes_guard.shell.scope import Scope
from hermes_guard.shell.word import HOLE, Word

if TYPE_CHECKING:
    from tree_sitter import Node

_TARGET = re.compile(r"([A-Za-z_]\w*)(\[[^\]]*\])?(\+?)=")
#: Prompts: their text is expanded each time they are shown.
_PROMPTS = frozenset({"PS0", "PS1", "PS2", "PS4"})
#: Functions that the shell itself calls.
_CALLED = frozenset({"command_not_found_handle", "command_not_found_handler"})
_COMPOUND = frozenset(
    [
        "compound_statement",
        "subshell",
        "if_statement",
        "while_statement",
        "for_statement",
        "c_style_for_statement",
        "case_statement",
    ]
)

#: After how many words the clock is looked at.
_WORDS_PER_LOOK = 64
#: Two words side by side are a command, and no sum.
_NO_ARITHMETIC = re.compile(r"[\s(]*[A-Za-z_./][\w./-]*[ \t]+[-/~.]?[A-Za-z/~.]")


class _Assigned(NamedTuple):
    """A variable, its new value, and the commands whose output that holds."""

    name: str
    value: str
    commands: tuple[Command, ...]


class StatementReader(CommandReader):
    """Walks the tree and hands every command on with its words."""

    __slots__ = ()

    def substitute(self, code: str, at: int | None, scope: Scope) -> tuple[str, tuple[Command, ...]]:
        """Read a substitution in a subshell."""
        commands = self.reading.commands
        start = len(commands)
        origin = None if at is not None else (0, 0)
        last = self.code(code, scope.child(), Flow(), base=at or 0, origin=origin)
        text = joined(last)
        return (HOLE if text is None else text.rstrip("\n")), tuple(commands[start:])

    def node(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        """Read one node and return the commands whose output is its output."""
        kind = node.type
        if kind == "comment":
            return []
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            self.find("shell.too-deep", "the commands are nested too deeply to read", span_of(node, frame))
            self.nesting -= 1
            return []
        try:
            if kind == "command":
                return self._command(node, frame, scope, flow)
            if kind == "pipeline":
                return self._pipeline(node, frame, scope, flow)
            if kind == "list":
                return self._list(node, frame, scope, flow)
            if kind == "redirected_statement":
                return self._redirected(node, frame, scope, flow)
            if kind in {"variable_assignment", "variable_assignments", "declaration_command", "unset_command"}:
                return self._declaration(node, frame, scope, flow)
            if kind == "subshell":
                return self._sequence(node, frame, scope.child(), flow)
            if kind == "function_definition":
                return self._function(node, frame, scope)
            if kind in {"if_statement", "while_statement"}:
                loop = flow.loop or kind == "while_statement"
                return self._branches(node, frame, scope, flow._replace(loop=loop))
            if kind in {"for_statement", "c_style_for_statement"}:
                return self._for(node, frame, scope, flow)
            if kind == "case_statement":
                return self._branches(node, frame, scope, flow._replace(condition=True))
            return self._sequence(node, frame, scope, flow)
        finally:
            self.nesting -= 1

    def _sequence(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        children = node.children
        found: list[Command] = []
        for number, child in enumerate(children):
            if not child.is_named:
                continue
            if node.type == "case_item" and node.field_name_for_child(number) == "value":
                self._expander(frame, scope).word(frame.text[child.start_byte : child.end_byte], child.start_byte)
                continue
            after = children[number + 1].type if number + 1 < len(children) else ""
            if after == "&":
                found.extend(self.node(child, frame, scope.child(), flow._replace(background=True)))
            else:
                found.extend(self.node(child, frame, scope, flow))
        return found

    def _list(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        # Lists lean to the left: thousands of `&&` are thousands of levels.
        items: list[Node] = []
        while node.type == "list":
            named = node.named_children
            items.extend(reversed(named[1:]))
            if not named:
                break
            node = named[0]
        items.append(node)
        found: list[Command] = []
        inside = flow._replace(redirects=())
        before: dict[str, str] = {}
        functions: dict[str, tuple[Frame, Node]] = {}
        for number, item in enumerate(reversed(items)):
            if number == 1:
                before, functions = dict(scope.variables), dict(scope.functions)
            found.extend(self.node(item, frame, scope, flow if number == len(items) - 1 else inside))
        if len(items) > 1:
            # What stands behind the first `&&` or `||` may not have run.
            _blur(scope, before)
            scope.functions.update(functions)
        return found

    def _pipeline(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        stages = [child for child in node.named_children if child.type != "comment"]
        stdin = flow.stdin
        before: list[Command] = []
        for number, stage in enumerate(stages):
            last = number == len(stages) - 1
            inside = flow._replace(stdin=stdin, piped=True, redirects=flow.redirects if last else ())
            start = len(self.reading.commands)
            now = self.node(stage, frame, scope.child(), inside)
            for command in before:
                command.feeds.extend(now)
            before = now
            stdin = Stdin(joined(now), tuple(self.reading.commands[start:]), span=span_of(stage, frame))
        return before

    def _redirected(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        body: Node | None = None
        redirects: list[Redirect] = []
        extra: list[Word] = []
        expander = self._expander(frame, scope)
        for child in node.named_children:
            if child.type == "file_redirect":
                redirect, more = redirect_of(child, frame, expander)
                redirects.extend(redirect)
                extra.extend(more)
                self._bounded(redirects, node, frame)
            elif child.type != "comment":
                body = child
        inside = flow._replace(redirects=(*flow.redirects, *redirects))
        if body is None or body.type in {"variable_assignment", "variable_assignments"} or body.type in _COMPOUND:
            # A group's redirection belongs to no single command.
            span = span_of(node, frame)
            own = Command("", (), span, tuple(redirects), depth=self.depth, cwd=scope.cwd, wrappers=flow.wrappers)
            own.group = body is not None and body.type in _COMPOUND
            self.add(own)
            if body is None:
                return []
            inside = flow._replace(stdin=stdin_of(redirects) or flow.stdin)
        elif body.type == "command":
            return self._command(body, frame, scope, inside, extra, whole=node)
        return self.node(body, frame, scope, inside)

    def _bounded(self, redirects: Sequence[Redirect], node: "Node", frame: Frame) -> None:
        if len(redirects) > MAX_REDIRECTS:
            self.find("shell.too-long", "there are too many redirections to read", span_of(node, frame))
            raise StopError

    def _expander(self, frame: Frame, scope: Scope) -> Expander:
        return Expander(self, scope, frame.base, frame.origin)

    def _command(
        self,
        node: "Node",
        frame: Frame,
        scope: Scope,
        flow: Flow,
        extra: Sequence[Word] = (),
        whole: "Node | None" = None,
    ) -> list[Command]:
        """Read a command. `whole` is the node that holds its redirections, too."""
        expander = self._expander(frame, scope)
        text = frame.text
        words: list[Word] = []
        redirects: list[Redirect] = []
        assigned: list[_Assigned] = []
        named = False
        children = node.children
        if len(children) > MAX_WORDS:
            self.find("shell.too-long", "there are too many words to read", span_of(node, frame))
            children = children[:KEPT_WORDS] + children[-KEPT_WORDS:]
        index = 0
        while index < len(children):
            child = children[index]
            index += 1
            self._in_time(index, node, frame)
            kind = child.type
            if kind == "variable_assignment" and not named:
                assigned.extend(self._assignment(child, frame, expander))
            elif kind == "file_redirect":
                found, more = redirect_of(child, frame, expander)
                redirects.extend(found)
                words.extend(more)
                self._bounded(redirects, node, frame)
            elif kind not in {"comment", "ERROR"}:
                start, end = child.start_byte, child.end_byte
                while (
                    index < len(children)
                    and children[index].start_byte == end
                    and children[index].type != "file_redirect"
                ):
                    end = children[index].end_byte
                    index += 1
                if not named and end - start > 4 and text[start : start + 2] + text[end - 2 : end] in {"(())", "[[]]"}:
                    # Nothing runs in a test but its substitutions.
                    if text[start] == "(":
                        self._calculated(text, start + 2, end - 2, expander, flow)
                    else:
                        expander.word(text[start:end], start)
                        expander.subscripts(text[start:end])
                    return []
                named = True
                words.extend(expander.words(text[start:end], start))
        words.extend(extra)
        if len(words) > MAX_WORDS:
            self.find("shell.too-long", "there are too many words to read", span_of(node, frame))
            words = words[:KEPT_WORDS] + words[-KEPT_WORDS:]
        inside = flow
        if assigned:
            names = tuple(
                Word(f"{name}={value}", f"{name}={value}", span_of(node, frame)) for name, value, _ in assigned
            )
            inside = flow._replace(assignments=(*flow.assignments, *names))
        if not words:
            for name, value, commands in assigned:
                scope.assign(name, value, commands)
        span = span_of(whole or node, frame)
        if frame.origin is None:
            span = (
                min([span[0], *(word.span[0] for word in words)]),
                max([span[1], *(word.span[1] for word in words)]),
            )
        return self.emit(words, (*redirects, *flow.redirects), inside, scope, span)

    def _calculated(self, text: str, start: int, end: int, expander: Expander, flow: Flow) -> None:
        """Read what arithmetic runs. A shell that knows no `((` runs subshells in subshells instead."""
        source = text[start:end]
        expander.body(source, start)
        expander.subscripts(source)
        if _NO_ARITHMETIC.match(source):
            self.code(source.strip(" ()"), expander.scope.child(), flow, base=0, origin=(start, end))

    def _in_time(self, number: int, node: "Node", frame: Frame) -> None:
        """Look at the clock now and then while there are many words."""
        if not number % _WORDS_PER_LOOK and self.budget.late:
            self.find("shell.too-long", "there are too many words to read", span_of(node, frame))
            raise StopError

    def _assignment(self, node: "Node", frame: Frame, expander: Expander) -> list[_Assigned]:
        start, end = node.start_byte, node.end_byte
        found = _TARGET.match(frame.text, start, end)
        if not found:
            expander.value(frame.text[start:end])
            return []
        name, index, append = found.groups()
        source = frame.text[found.end() : end]
        scope = expander.scope
        if source.startswith("("):
            words: list[Word] = []
            array = node.child_by_field_name("value")
            for child in array.named_children if array is not None else ():
                if child.type != "comment":
                    words += expander.words(frame.text[child.start_byte : child.end_byte], child.start_byte)
            before = scope.arrays.get(name, {}) if append else {}
            array_now = extended(before, (word.raw for word in words), (word.source for word in words))
            scope.arrays[name] = array_now
            scope.variables[name] = array_now.get("0", "")
            return []
        word = expander.word(source, found.end()) if source else None
        value = word.raw if word is not None else ""
        if index:
            key = expander.word(index[1:-1], None).raw
            others = scope.arrays.get(name, {})
            scope.forget(name)
            if name == "BASH_ALIASES":
                scope.aliases[key] = value
            elif HOLE not in key and not append:
                scope.arrays[name] = {**others, key: value}
            return []
        if append:
            known = scope.lookup(name)
            value = (HOLE if known is None else known) + value
        if name in _PROMPTS and ("$(" in value or "`" in value):
            expander.body(value, None)
        if name == "PROMPT_COMMAND" and HOLE not in value:
            self.code(value, scope.child(), Flow(), base=0, origin=span_of(node, frame))
        return [_Assigned(name, value, word.commands if word is not None else ())]

    def _declaration(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        expander = self._expander(frame, scope)
        if node.type in {"variable_assignment", "variable_assignments"}:
            nodes = [node] if node.type == "variable_assignment" else node.named_children
            for number, child in enumerate(nodes):
                self._in_time(number, node, frame)
                for name, value, commands in self._assignment(child, frame, expander):
                    scope.assign(name, value, commands)
            return []
        words: list[Word] = []
        letters = ""
        for number, child in enumerate(node.children):
            self._in_time(number, node, frame)
            source = frame.text[child.start_byte : child.end_byte]
            if child.type == "variable_assignment":
                for name, value, commands in self._assignment(child, frame, expander):
                    if "n" in letters and value.isidentifier() and value != name:
                        scope.references[name] = scope.references.get(value, value)
                    else:
                        scope.assign(name, value, commands)
                    if "i" in letters and "$(" in value:
                        expander.body(value, None)
                    words.append(Word(f"{name}={value}", source, span_of(child, frame)))
            elif child.type != "file_redirect":
                more = expander.words(source, child.start_byte)
                letters += "".join(word.raw for word in more if word.raw.startswith("-"))
                words.extend(more)
        if node.type == "unset_command":
            for word in words[1:]:
                if "$(" in word.raw:
                    expander.body(word.raw, None)
            for word in words[1:]:
                scope.variables[word.raw] = ""
                scope.functions.pop(word.raw, None)
        return self.emit(words, flow.redirects, flow, scope, span_of(node, frame))

    def _function(self, node: "Node", frame: Frame, scope: Scope) -> list[Command]:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            called = frame.text[name.start_byte : name.end_byte]
            scope.functions[called] = (frame, body)
            if called in _CALLED and called not in self.called:
                self.called.add(called)
                self.node(body, frame, scope.child(), Flow(function=called))
        return []

    def _branches(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        before = dict(scope.variables)
        folder = scope.cwd
        found: list[Command] = []
        children = node.children
        for number, child in enumerate(children):
            if not child.is_named:
                continue
            if node.type == "case_statement" and child.type != "case_item":
                self._expander(frame, scope).word(frame.text[child.start_byte : child.end_byte], child.start_byte)
                continue
            condition = node.field_name_for_child(number) == "condition"
            if not condition and child.type in {"else_clause", "elif_clause", "case_item"}:
                scope.variables = dict(before)
                scope.cwd = folder
            inside = flow if condition and node.type != "while_statement" else flow._replace(condition=True)
            found.extend(self.node(child, frame, scope, inside))
        if node.type == "while_statement" and not flow.again and scope.variables != before:
            # What one turn leaves behind meets the next one.
            found.extend(self._branches(node, frame, scope, flow._replace(again=True)))
        _blur(scope, before)
        if scope.cwd != folder:
            scope.cwd = None
        return found

    def _for(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        expander = self._expander(frame, scope)
        name = ""
        values: list[Word] = []
        body: Node | None = None
        listed = False
        for number, child in enumerate(node.children):
            field_name = node.field_name_for_child(number)
            if field_name == "variable":
                name = frame.text[child.start_byte : child.end_byte]
                if name.startswith("(("):
                    expander.body(name, child.start_byte)
            elif field_name == "value":
                listed = True
                values.extend(expander.words(frame.text[child.start_byte : child.end_byte], child.start_byte))
            elif field_name == "body":
                body = child
        if node.type == "c_style_for_statement" and body is not None:
            expander.body(frame.text[node.start_byte : body.start_byte], node.start_byte)
        before = dict(scope.variables)
        folder = scope.cwd
        found: list[Command] = []
        # A few values are tried one by one; of many, nobody knows which.
        certain = listed and 0 < len(values) <= 8 and not flow.loop
        for value in values if certain else (None,):
            if name.isidentifier():
                scope.assign(name, HOLE if value is None or value.splits else value.raw)
                if value is not None and value.glob:
                    scope.patterns.add(name)
            if body is not None:
                found.extend(self.node(body, frame, scope, flow._replace(loop=True)))
        _blur(scope, before)
        if scope.cwd != folder:
            scope.cwd = None
        return found


def joined(commands: Sequence[Command]) -> str | None:
    """The text that these commands print one after the other."""
    if not commands:
        return None
    texts = [command.output for command in commands]
    if len(texts) == 1:
        return texts[0]
    return "".join(HOLE if text is None else text for text in texts) if any(text for text in texts) else None


def _blur(scope: Scope, before: dict[str, str]) -> None:
    for name, value in scope.variables.items():
        if before.get(name) != value:
            scope.variables[name] = HOLE
