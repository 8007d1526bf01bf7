"""Reads shell text and collects every command that would run."""

import re

from hermes_guard.budget import Budget
from hermes_guard.shell.command import Command
from hermes_guard.shell.frames import (
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
    StopError,
)
from hermes_guard.shell.mask import mask
from hermes_guard.shell.parser import parse
from hermes_guard.shell.scope import Scope
from hermes_guard.shell.statements import StatementReader
from hermes_guard.shell.word import Word

_SIMPLE = re.compile(r"[A-Za-z0-9_./:,%@^=+ -]*\Z")
_KEYWORDS = frozenset(
    [
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "while",
        "until",
        "for",
        "do",
        "done",
        "case",
        "esac",
        "in",
        "function",
        "select",
        "time",
        "coproc",
        "export",
        "declare",
        "typeset",
        "local",
        "readonly",
        "unset",
    ]
)


_LINES = re.compile(r"(?:;|&|(?<=[^|\s])[ \t]*\n)")


def _longest_pipeline(masked: str) -> int:
    """How many pipes one pipeline has at most; it goes on behind a line that ends in a pipe."""
    if masked.count("|") <= MAX_PIPES:
        return 0
    return max(line.count("|") - 2 * line.count("||") for line in _LINES.split(masked))


def read(
    text: str, *, cwd: str | None = None, home: str = "/home/user", base: int = 0, budget: Budget | None = None
) -> Reading:
    """Read a text the way bash does. Nothing is run. `base` is where it starts in a longer one."""
    reader = _Reader(budget or Budget())
    scope = Scope(cwd=cwd or ".", home=home)
    try:
        reader.code(text, scope, Flow(), base=base, origin=None)
        reader.uncalled(scope)
    except StopError:
        reader.reading.stopped = True
    return reader.reading


class _Reader(StatementReader):
    """Reads texts, those inside of others too."""

    __slots__ = ()

    def code(self, text: str, scope: Scope, flow: Flow, *, base: int, origin: tuple[int, int] | None) -> list[Command]:
        """Read a text and return the commands whose output is its output."""
        if self.depth >= MAX_DEPTH:
            self.find("shell.too-deep", "shell code is nested more than eight deep", origin or (base, base + len(text)))
            return []
        # A text costs something even when it is empty, and more the deeper it stands.
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
            pieces = text.split()
            if not pieces:
                return []
            if len(pieces) > MAX_WORDS:
                origin = origin or (base, base + len(text))
                self.find("shell.too-long", "there are too many words to read", origin)
                pieces = pieces[:KEPT_WORDS] + pieces[-KEPT_WORDS:]
            if pieces[0] not in _KEYWORDS and "=" not in pieces[0]:
                return self._simple(text, pieces, scope, flow, base, origin)
        if len(text) > MAX_SIGNS and max(map(text.count, "$*;|&<>([{")) > MAX_SIGNS:
            self.find("shell.too-long", "there are too many signs to read", origin or (base, base + len(text)))
            raise StopError
        masked = mask(text)
        if len(masked.text.split()) > 4 * MAX_WORDS:
            self.find("shell.too-long", "there are too many words to read", origin or (base, base + len(text)))
            raise StopError
        if _longest_pipeline(masked.text) > MAX_PIPES or sum(map(masked.text.count, ";|&\n(")) > 5 * MAX_COMMANDS:
            self.find("shell.too-long", "there are too many commands to read", origin or (base, base + len(text)))
            raise StopError
        if sum(map(masked.text.count, "<>")) > 10 * MAX_REDIRECTS:
            self.find("shell.too-long", "there are too many redirections to read", origin or (base, base + len(text)))
            raise StopError
        frame = Frame(text, masked.heredocs, base, origin)
        root, whole = parse(masked.text, self.budget)
        if root.has_error or not (whole and masked.complete):
            self.find("shell.unreadable", "the text is not complete shell code", origin or (base, base + len(text)))
        last = self.node(root, frame, scope, flow)
        if not whole:
            raise StopError
        return last

    def _simple(
        self, text: str, pieces: list[str], scope: Scope, flow: Flow, base: int, origin: tuple[int, int] | None
    ) -> list[Command]:
        words: list[Word] = []
        at = 0
        for piece in pieces:
            at = text.index(piece, at)
            words.append(Word(piece, piece, origin or (base + at, base + at + len(piece))))
            at += len(piece)
        span = origin or (words[0].span[0], words[-1].span[1])
        return self.emit(words, flow.redirects, flow, scope, span)

    def uncalled(self, scope: Scope) -> None:
        """Read the bodies of functions that nothing called."""
        for name, (frame, body) in list(scope.functions.items()):
            if name not in self.called:
                self.called.add(name)
                self.node(body, frame, scope.child(), Flow(function=name, called=False))
