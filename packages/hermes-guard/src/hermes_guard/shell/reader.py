"""Reads shell text and collects every command that would run."""

from typing import TYPE_CHECKING

from hermes_guard import lazy_re as re
from hermes_guard.budget import Budget
from hermes_guard.shell.command import Command
from hermes_guard.shell.fragments import pieces, stages
from hermes_guard.shell.grammar_workarounds import rewrite
from hermes_guard.shell.keywords import KEYWORDS
from hermes_guard.shell.parser import parse
from hermes_guard.shell.reader_state import (
    KEPT_WORDS,
    MAX_COMMANDS,
    MAX_DEPTH,
    MAX_PIPES,
    MAX_REDIRECTS,
    MAX_SIGNS,
    MAX_TEXT,
    MAX_WORDS,
    Flow,
    Frame,
    Reading,
    Shell,
    StopError,
)
from hermes_guard.shell.scope import Definition, Scope
from hermes_guard.shell.statements import StatementReader
from hermes_guard.shell.word import HOLE, Word
from hermes_guard.shell.word_mask import Mask, mask

if TYPE_CHECKING:
    from tree_sitter import Node

#: Traps that run with every command, and what a shell runs before every prompt.
_AROUND_COMMANDS = frozenset({"DEBUG", "ERR", "RETURN", "PROMPT_COMMAND"})
_SIMPLE = re.compile(r"[A-Za-z0-9_./:,%@^=+ -]*\Z")
_LINES = re.compile(r"(?:;|&|(?<=[^|\s])[ \t]*\n)")


def _longest_pipeline(masked: str) -> int:
    """Return the number of pipes in the longest pipeline, which may continue after a line that ends in a pipe."""
    if masked.count("|") <= MAX_PIPES:
        return 0
    return max(line.count("|") - 2 * line.count("||") for line in _LINES.split(masked))


def _excess(masked: str) -> str:
    """Return what exceeds the grammar's limits; empty when the text can be parsed."""
    if len(masked) <= MAX_PIPES:
        return ""
    if len(masked.split()) > 3 * MAX_WORDS:
        return "words"
    if _longest_pipeline(masked) > MAX_PIPES or sum(map(masked.count, ";|&\n(")) > 5 * MAX_COMMANDS:
        return "commands"
    return "redirections" if sum(map(masked.count, "<>")) > 10 * MAX_REDIRECTS else ""


def read(
    text: str,
    *,
    cwd: str | None = None,
    home: str = "/home/user",
    base: int = 0,
    budget: Budget | None = None,
    shell: Shell | None = None,
) -> Reading:
    """Read a text as bash would. Nothing is run.

    Args:
        text: The text.
        cwd: The directory that it would run in.
        home: The user's home directory.
        base: The start of the text in a longer one.
        budget: The limit for the work of reading.
        shell: The shell that earlier texts left. It is not changed.
    """
    reader = _Reader(budget or Budget())
    scope = Scope(cwd=cwd or ".", home=home)
    if shell is not None:
        scope.take(shell.scope)
        scope.cwd = cwd or "."
        reader.disk = shell.disk.copy(reader.reading.commands)
        reader.exported = shell.exported.copy()
        reader.exports = shell.scope.options.get("allexport", False)
    try:
        reader.code(text, scope, Flow(), base=base, origin=None)
        if shell is not None:
            reader.triggered(shell.scope, scope, (base, base + len(text)))
        reader.uncalled(scope)
    except StopError:
        reader.reading.stopped = True
        scope.unknown = "a command was too long to read"
    reader.reading.shell = Shell(scope, reader.disk, reader.exported)
    return reader.reading


class _Reader(StatementReader):
    """Reads texts, including nested ones."""

    __slots__ = ("piece",)

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget)
        #: True while a fragment of an unreadable text is read; it is not split again.
        self.piece = False

    def code(self, text: str, scope: Scope, flow: Flow, *, base: int, origin: tuple[int, int] | None) -> list[Command]:
        """Read a text and return the commands whose output is its output."""
        if self.depth >= MAX_DEPTH:
            self.find("shell.too-deep", "shell code is nested more than eight deep", origin or (base, base + len(text)))
            scope.unknown = "code was nested too deeply to read"
            return []
        # Even an empty text has a cost, which grows with its nesting.
        self.size += 64 + len(text) * max(1, self.depth + 1)
        if self.size > MAX_TEXT or self.budget.late:
            self.find(
                "shell.too-long", "there is too much code inside of code to read", origin or (base, base + len(text))
            )
            raise StopError
        self.depth += 1
        try:
            return self._code(text, scope, flow, base, origin)
        finally:
            self.depth -= 1

    def _code(self, text: str, scope: Scope, flow: Flow, base: int, origin: tuple[int, int] | None) -> list[Command]:
        if _SIMPLE.match(text):
            words = text.split()
            if not words:
                return []
            if words[0] not in KEYWORDS and "=" not in words[0]:
                return self._simple(text, words, scope, flow, base, origin)
        if len(text) > MAX_SIGNS and max(map(text.count, "$*;|&<>([{")) > MAX_SIGNS:
            self.find("shell.too-long", "there are too many signs to read", origin or (base, base + len(text)))
            raise StopError
        place = origin or (base, base + len(text))
        masked = mask(text)
        excess = _excess(masked.text)
        if excess:
            self.find("shell.too-long", f"there are too many {excess} to read", place)
            raise StopError
        if masked.plain and masked.complete:
            segments = self._segments(text, masked)
            if segments is not None:
                return self._read_segments(text, segments, masked, scope, flow, base, origin)
        root, whole = parse(masked.text, self.budget)
        if whole and not root.has_error and masked.complete:
            return self.node(root, Frame(text, masked.heredocs, base, origin), scope, flow)
        rewritten = self._rewritten(text, masked, place) if whole else None
        if rewritten is not None:
            return self.node(*rewritten, scope, flow)
        self.find("shell.unreadable", "the text is not complete shell code", place)
        scope.unknown = "a command could not be read"
        last = self.node(root, Frame(text, masked.heredocs, base, origin), scope, flow)
        self._pieces(text, scope, flow._replace(stdin=None, redirects=()), base, origin)
        if not whole:
            raise StopError
        return last

    def _segments(self, text: str, masked: Mask) -> "list[tuple[int, int, Node | None]] | None":
        """Return the parts of a text, with trees where the grammar is needed; None when one is incomplete by itself."""
        found: list[tuple[int, int, Node | None]] = []
        at = 0
        for start, end in (*masked.plain, (len(text), len(text))):
            part = masked.text[at:start]
            if part and not part.isspace():
                root, whole = parse(part, self.budget)
                if root.has_error or not whole:
                    return None
                found.append((at, start, root))
            if start < end:
                found.append((start, end, None))
            at = end
        return found

    def _read_segments(
        self,
        text: str,
        segments: "list[tuple[int, int, Node | None]]",
        masked: Mask,
        scope: Scope,
        flow: Flow,
        base: int,
        origin: tuple[int, int] | None,
    ) -> list[Command]:
        last: list[Command] = []
        for start, end, root in segments:
            part = text[start:end]
            if root is not None:
                heredocs = {
                    at - start: heredoc._replace(start=heredoc.start - start)
                    for at, heredoc in masked.heredocs.items()
                    if start <= at < end
                }
                last += self.node(root, Frame(part, heredocs, base + start, origin), scope, flow)
                continue
            at = base + start
            for line in part.split("\n"):
                words = line.split()
                if words:
                    last += self._simple(line, words, scope, flow, at, origin)
                at += len(line) + 1
        return last

    def _rewritten(self, text: str, masked: Mask, place: tuple[int, int]) -> "tuple[Node, Frame] | None":
        """Return the tree of an equivalent text; None when the grammar does not accept that either."""
        other = rewrite(text, masked.text)
        if other is None:
            return None
        again = mask(other)
        root, whole = parse(again.text, self.budget)
        if root.has_error or not (whole and again.complete):
            return None
        return root, Frame(other, again.heredocs, 0, place)

    def _pieces(self, text: str, scope: Scope, flow: Flow, base: int, origin: tuple[int, int] | None) -> None:
        """Read an unreadable text in fragments: an error in one does not make another harmless."""
        if self.piece:
            return
        commands, findings = self.reading.commands, self.reading.findings
        start, found = len(commands), len(findings)
        self.piece = True
        try:
            for piece in pieces(text):
                place = origin if piece.exact else origin or (base, base + len(text))
                # The directory depends on what could not be read.
                inside = scope.child()
                inside.cwd = None
                before = len(findings)
                self.code(piece.text, inside, flow, base=base + piece.start, origin=place)
                if len(findings) > before:
                    for stage in stages(piece):
                        self.code(stage.text, inside.child(), flow, base=base + stage.start, origin=place)
        finally:
            self.piece = False
            del findings[found:]
            known = {
                (command.span, command.texts) for command in commands[:start] if command.called and not command.guessed
            }
            commands[start:] = [one for one in commands[start:] if (one.span, one.texts) not in known]
            for command in commands[start:]:
                command.piece = True

    def _simple(
        self, text: str, pieces: list[str], scope: Scope, flow: Flow, base: int, origin: tuple[int, int] | None
    ) -> list[Command]:
        if len(pieces) > MAX_WORDS:
            origin = origin or (base, base + len(text))
            self.find("shell.too-long", "there are too many words to read", origin)
            pieces = pieces[:KEPT_WORDS] + pieces[-KEPT_WORDS:]
        words: list[Word] = []
        at = 0
        for piece in pieces:
            at = text.index(piece, at)
            words.append(Word(piece, piece, origin or (base + at, base + at + len(piece))))
            at += len(piece)
        span = origin or (words[0].span[0], words[-1].span[1])
        return self.emit(words, flow.redirects, flow, scope, span)

    def uncalled(self, scope: Scope) -> None:
        """Read the bodies of functions that are never called."""
        for name, body in list(scope.functions.items()) if scope.functions else ():
            if name not in self.called and not isinstance(body, Definition):
                self.called.add(name)
                self.node(body[1], body[0], scope.child(), Flow(function=name, called=False))

    def triggered(self, before: Scope, scope: Scope, place: tuple[int, int]) -> None:
        """Read what a shell runs around a command by itself: traps, and code in prompts."""
        prompt = before.variables.get("PROMPT_COMMAND")
        codes = dict(before.traps) if prompt is None else {**before.traps, "PROMPT_COMMAND": prompt}
        if "command_not_found_handle" in before.functions:
            codes["a command that is not found"] = "command_not_found_handle"
        for signal, code in codes.items():
            start = len(self.reading.commands)
            if code is None or HOLE in code:
                self.find("shell.unknown-state", f"the shell runs code at {signal} that is not known", place)
                continue
            self.code(code, scope.child(), Flow(), base=0, origin=place)
            if signal not in _AROUND_COMMANDS:  # it was judged when it was set: only refusals count
                for command in self.reading.commands[start:]:
                    command.piece = True

    def parsed(self, text: str, place: tuple[int, int]) -> "tuple[Frame, Node] | None":
        """Return the tree of a function's body; None when the grammar rejects it. `place` is where it is called."""
        masked = mask(text)
        root, whole = parse(masked.text, self.budget)
        nodes = [node for node in root.named_children if node.type != "comment"]
        if root.has_error or not (whole and masked.complete) or len(nodes) != 1:
            return None
        return Frame(text, masked.heredocs, 0, place), nodes[0]
