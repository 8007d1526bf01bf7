"""Reads the nodes of a syntax tree: lists, pipelines, groups, functions and commands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.shell.command import Command, Redirect, Stdin
from hermes_guard.shell.declarations import WORDS_PER_LOOK, Assigned
from hermes_guard.shell.expansion import Expander
from hermes_guard.shell.loops import LoopReader
from hermes_guard.shell.reader_state import (
    KEPT_WORDS,
    MAX_NESTING,
    MAX_REDIRECTS,
    MAX_WORDS,
    Flow,
    Frame,
    StopError,
    span_of,
)
from hermes_guard.shell.redirects import redirect_of, stdin_of
from hermes_guard.shell.scope import Scope
from hermes_guard.shell.scope_merge import widen
from hermes_guard.shell.word import HOLE, Word

if TYPE_CHECKING:
    from tree_sitter import Node

#: Functions that the shell itself calls.
_CALLED = frozenset({"command_not_found_handle", "command_not_found_handler"})
_ASSIGNMENTS = frozenset({"variable_assignment", "variable_assignments"})
_DECLARATIONS = frozenset({*_ASSIGNMENTS, "declaration_command", "unset_command"})
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
#: Two adjacent words are a command, not arithmetic.
_NO_ARITHMETIC = re.compile(r"[\s(]*[A-Za-z_./][\w./-]*[ \t]+[-/~.]?[A-Za-z/~.]")
#: In a longer list it is not tracked which of its parts ran.
_LONGEST_LIST = 32
#: A command whose name may be set by the caller.
_DEFAULT = re.compile(r'"?\$\{([A-Za-z_]\w*):?[-=]')
#: Conventional variables for choosing another tool of the same kind; their default is what runs.
_CONVENTIONAL = re.compile(
    r"(?:EDITOR|VISUAL|PAGER|BROWSER|SHELL|TERMINAL|DIFF|PYTHON\d*|PIP\d*|NODE|NPM|NPX|YARN|PNPM|BUN|DENO|RUBY|PERL|PHP"
    r"|COMPOSER|JAVA|JAVAC|MVN|GRADLE|GO|CARGO|RUSTC|CC|CXX|CPP|LD|AR|AS|NM|FC|STRIP|RANLIB|MAKE|CMAKE|NINJA|GIT"
    r"|DOCKER|PODMAN|COMPOSE|DOCKER_COMPOSE|CONTAINER_ENGINE|KUBECTL|HELM|TERRAFORM|SUDO|DOAS|SED|AWK|GREP|FIND|TAR"
    r"|CURL|WGET|JQ|OPENSSL|UV|POETRY|PYTEST|RUFF|MYPY|TOX|NOX|CLANG\w*|LLVM_\w+|\w+_(?:BIN|EXE|CMD|COMMAND))\Z"
)


class _Parts(NamedTuple):
    """The words, redirections and assignments of one command."""

    words: list[Word]
    redirects: list[Redirect]
    assigned: list[Assigned]


class StatementReader(LoopReader):
    """Walks the tree and passes on every command with its words."""

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
        if node.type == "comment":
            return []
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            self.find("shell.too-deep", "the commands are nested too deeply to read", span_of(node, frame))
            scope.unknown = "commands were nested too deeply to read"
            self.nesting -= 1
            return []
        try:
            if scope.choices:
                chosen = self.chosen(node, frame, scope, flow)
                if chosen is not None:
                    return chosen
            return self._node(node, frame, scope, flow)
        finally:
            self.nesting -= 1

    def _node(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        kind = node.type
        if kind == "command":
            return self._command(node, frame, scope, flow)
        if kind == "pipeline":
            return self._pipeline(node, frame, scope, flow)
        if kind == "list":
            return self._list(node, frame, scope, flow)
        if kind == "redirected_statement":
            return self._redirected(node, frame, scope, flow)
        if kind in _DECLARATIONS:
            return self.declaration(node, frame, scope, flow)
        if kind == "subshell":
            return self._sequence(node, frame, scope.child(), flow)
        if kind == "function_definition":
            # A function with redirections is its own body: every call applies them.
            called = scope.functions.get(flow.function) == (frame, node)
            return self._redirected(node, frame, scope, flow) if called else self._function(node, frame, scope)
        if kind == "if_statement":
            return self.condition(node, frame, scope, flow)
        if kind == "while_statement":
            return self.repeated(node, frame, scope, flow._replace(loop=True))
        if kind in {"for_statement", "c_style_for_statement"}:
            return self.each(node, frame, scope, flow)
        if kind == "case_statement":
            return self.cases(node, frame, scope, flow._replace(condition=True))
        return self._sequence(node, frame, scope, flow)

    def _sequence(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        children = node.children
        found: list[Command] = []
        for number, child in enumerate(children):
            if not child.is_named:
                continue
            if node.type == "case_item" and node.field_name_for_child(number) == "value":
                self.expander(frame, scope).word(frame.text[child.start_byte : child.end_byte], child.start_byte)
                continue
            after = children[number + 1].type if number + 1 < len(children) else ""
            if after == "&":
                apart = flow._replace(background=True, forked=flow.endless >= 0)
                found.extend(self.node(child, frame, scope.child(), apart))
            else:
                found.extend(self.node(child, frame, scope, flow))
        return found

    def _list(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> list[Command]:
        # Lists are left-recursive: thousands of `&&` are thousands of levels.
        items: list[Node] = []
        signs: list[str] = []
        while node.type == "list":
            named = node.named_children
            items.extend(reversed(named[1:]))
            signs.extend(reversed([child.type for child in node.children if child.type in {"&&", "||"}]))
            if not named:
                break
            node = named[0]
        items.append(node)
        items.reverse()
        signs.reverse()
        inside = flow._replace(redirects=()) if flow.redirects else flow
        found = self.node(items[0], frame, scope, inside if len(items) > 1 else flow)
        # The state if the previous part failed; `scope` is the state if it succeeded.
        failed = scope.child()
        for number, item in enumerate(items[1:]):
            last = number == len(items) - 2
            other = number < len(signs) and signs[number] == "||"
            own = failed if other and len(items) <= _LONGEST_LIST else scope
            found += self.node(item, frame, own, flow if last else inside)
            if len(items) <= _LONGEST_LIST and not last:
                widen(*((scope, failed) if other else (failed, scope)))
        widen(scope, failed)
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
        """Read a node with redirections: a command, a group, or a called function."""
        body: Node | None = None
        redirects: list[Redirect] = []
        extra: list[Word] = []
        expander = self.expander(frame, scope)
        for number, child in enumerate(node.children):
            if child.type == "file_redirect":
                redirect, more = redirect_of(child, frame, expander)
                redirects.extend(redirect)
                extra.extend(more)
                self._bounded(redirects, node, frame)
            elif child.is_named and child.type != "comment" and node.field_name_for_child(number) != "name":
                body = child
        inside = flow._replace(redirects=(*flow.redirects, *redirects))
        if body is None or body.type in _ASSIGNMENTS or body.type in _COMPOUND:
            # A group's redirection does not belong to a single command.
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

    def _command(
        self,
        node: "Node",
        frame: Frame,
        scope: Scope,
        flow: Flow,
        extra: Sequence[Word] = (),
        whole: "Node | None" = None,
    ) -> list[Command]:
        """Read a command. `whole` is the node that also contains its redirections."""
        parts = self._parts(node, frame, scope, flow)
        if parts is None:
            return []
        words, redirects, assigned = parts
        words.extend(extra)
        if len(words) > MAX_WORDS:
            self.find("shell.too-long", "there are too many words to read", span_of(node, frame))
            scope.unknown = "a command had too many words to read"
            words = words[:KEPT_WORDS] + words[-KEPT_WORDS:]
        if words and words[0].source[:3] in {"${" + words[0].source[2:3], '"${'}:
            words[0] = _named(words[0], scope)
        inside = flow
        if assigned:
            own = span_of(node, frame)
            names = tuple(Word(f"{name}={value}", f"{name}={value}", own) for name, value, _ in assigned)
            inside = flow._replace(assignments=(*flow.assignments, *names))
            for found in assigned:
                if words:
                    self.meant(found.name, found.value, scope, own)
                else:
                    self.assign(found, scope, own)
        span = span_of(whole or node, frame)
        return self.emit(words, (*redirects, *flow.redirects), inside, scope, span)

    def _parts(self, node: "Node", frame: Frame, scope: Scope, flow: Flow) -> _Parts | None:
        """Return the parts of a command; None for a test or arithmetic, which is read at once."""
        expander = self.expander(frame, scope)
        text = frame.text
        parts = _Parts([], [], [])
        named = False
        children = node.children
        if len(children) > MAX_WORDS:
            self.find("shell.too-long", "there are too many words to read", span_of(node, frame))
            scope.unknown = "a command had too many words to read"
            children = children[:KEPT_WORDS] + children[-KEPT_WORDS:]
        index = 0
        while index < len(children):
            child = children[index]
            index += 1
            if not index % WORDS_PER_LOOK:
                self.in_time(node, frame)
            kind = child.type
            if kind == "variable_assignment" and not named:
                parts.assigned.extend(self.assignment(child, frame, expander))
            elif kind == "file_redirect":
                found, more = redirect_of(child, frame, expander)
                parts.redirects.extend(found)
                parts.words.extend(more)
                self._bounded(parts.redirects, node, frame)
            elif kind not in {"comment", "ERROR"}:
                start, end = child.start_byte, child.end_byte
                # Adjacent parts form one word.
                while (
                    index < len(children)
                    and children[index].start_byte == end
                    and children[index].type != "file_redirect"
                ):
                    end = children[index].end_byte
                    index += 1
                if not named and end - start > 4 and text[start : start + 2] + text[end - 2 : end] in {"(())", "[[]]"}:
                    self._tested(text, start, end, expander, flow)
                    return None
                named = True
                parts.words.extend(expander.words(text[start:end], start))
        return parts

    def _tested(self, text: str, start: int, end: int, expander: Expander, flow: Flow) -> None:
        """Read what a test or arithmetic runs. Shells without `((` run nested subshells instead."""
        if text[start] == "[":
            expander.tested(text[start:end], start)
            return
        source = text[start + 2 : end - 2]
        expander.arithmetic(source, start + 2)
        if _NO_ARITHMETIC.match(source):
            self.code(source.strip(" ()"), expander.scope.child(), flow, base=0, origin=(start + 2, end - 2))

    def _function(self, node: "Node", frame: Frame, scope: Scope) -> list[Command]:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            called = frame.text[name.start_byte : name.end_byte].replace("\\\n", "")
            redirected = node.child_by_field_name("redirect") is not None
            scope.define(called, (frame, node if redirected else body))
            if called in _CALLED and called not in self.called:
                self.called.add(called)
                self.node(body, frame, scope.child(), Flow(function=called))
        return []


def joined(commands: Sequence[Command]) -> str | None:
    """Return the concatenated output of these commands."""
    if not commands:
        return None
    texts = [command.output for command in commands]
    if len(texts) == 1:
        return texts[0]
    return "".join(HOLE if text is None else text for text in texts) if any(text for text in texts) else None


def _named(word: Word, scope: Scope) -> Word:
    """Return the name of a command. A default applies only when the variable is unset."""
    found = _DEFAULT.match(word.source)
    if not found or scope.lookup(found.group(1)) is not None or _CONVENTIONAL.match(found.group(1)):
        return word
    return Word(HOLE + word.raw, word.source, word.span, word.glob, word.quoted, splits=True, commands=word.commands)
