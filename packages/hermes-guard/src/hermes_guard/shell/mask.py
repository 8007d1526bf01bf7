"""Masks what is inside of words, so that the grammar sees only the structure.

Every character keeps its place: quotes, expansions, patterns and here-documents become plain letters or blanks.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from hermes_guard.shell.quotes import HEREDOC, UnclosedError, ansi_end, closing, heredoc_name

_PLAIN = re.compile(r"[A-Za-z0-9_./:,%@~^-]+")
_BLANKS = re.compile(r"[ \t]+")
_FOR_GROUP = re.compile(r"[ \t;]\s*\{\s")
_EMPTY = re.compile(r"\(\s*\)")
_FD = re.compile(r"\{[A-Za-z_]\w*\}(?=[<>])")
_COPROC = re.compile(r"[ \t]+(?:[A-Za-z_]\w*(?=[ \t]+[{(]))?")
#: With other options it is the program of that name.
_TIME = re.compile(r"(?:[ \t]+-p(?=[ \t]))?(?=[ \t])(?![ \t]+-(?!-[ \t]))")
_ASSIGN = re.compile(r"[A-Za-z_]\w*(?:\[[^\]\n]{0,200}\])?\+?=(\()?")
#: After these words, when they stand where a command may, another command may stand.
_OPENERS = frozenset({"if", "then", "else", "elif", "while", "until", "do", "!", "{", "fi", "done", "esac"})


#: Parentheses in parentheses; the grammar slows down on more.
MAX_PARENS = 40
#: Patterns of `case` have closing parentheses only.
MAX_PATTERNS = 400


class Heredoc(NamedTuple):
    """The text between a here-document's start and its end."""

    text: str
    start: int
    quoted: bool


class Mask(NamedTuple):
    """The masked text, its here-documents by where they were announced, and whether all of it could be read."""

    text: str
    heredocs: dict[int, Heredoc]
    complete: bool


def mask(text: str) -> Mask:
    """Mask a text for the grammar. Linear in its size."""
    masker = _Masker(text)
    try:
        masker.read()
    except UnclosedError:
        masker.hide(len(text))
        masker.complete = False
    return Mask("".join(masker.out)[: len(text)], masker.heredocs, masker.complete)


class _Masker:
    """A text on its way from left to right."""

    __slots__ = (
        "arrays",
        "bangs",
        "complete",
        "dangling",
        "equals",
        "fewest",
        "fresh",
        "heredocs",
        "index",
        "out",
        "parens",
        "pending",
        "ready",
        "text",
        "unended",
    )

    def __init__(self, text: str) -> None:
        self.text = text
        self.index = 0
        self.out: list[str] = []
        self.heredocs: dict[int, Heredoc] = {}
        #: Here-documents that were announced: where, name, quoted, with tabs that do not count.
        self.pending: list[tuple[int, str, bool, bool]] = []
        #: A command may start here; a word may start here; a redirection waits for its target.
        self.ready = self.fresh = True
        self.dangling = False
        self.complete = True
        #: Where the equals sign of an assignment stands: elsewhere it is a part of a word, as in `$a=1`.
        self.equals = -1
        self.arrays = self.parens = self.bangs = 0
        #: A block without an end was found: it is not looked for again, so that time stays linear.
        self.unended = False
        self.fewest = -MAX_PATTERNS if "esac" in text else -4

    def read(self) -> None:
        """Mask all of it."""
        text, size = self.text, len(self.text)
        while self.index < size:
            char = text[self.index]
            if char not in " \t<>":
                self.dangling = False
            if self.fresh and char in _STARTS and self._start(char):
                continue
            handler = _HANDLERS.get(char)
            if handler is not None:
                handler(self, char)
            elif not self._plain():
                self._sign(char)

    def keep(self, piece: str) -> None:
        """Show a piece to the grammar as it is."""
        self.out.append(piece)
        self.index += len(piece)

    def hide(self, end: int) -> None:
        """Let the grammar see letters up to here."""
        self.out.append("x" * (end - self.index))
        self.index = end

    def blank(self, end: int) -> None:
        """Let the grammar see nothing up to here."""
        self.out.append(" " * (end - self.index))
        self.index = end

    def within(self, end: int) -> None:
        """Hide a part of a word."""
        self.hide(end)
        self.ready = self.fresh = False

    def _start(self, char: str) -> bool:
        """What only the start of a word can be; False when it is none of that."""
        text, index = self.text, self.index
        if char == "#":
            end = text.find("\n", index)
            self.blank(len(text) if end < 0 else end)
            return True
        if not self.arrays and (self._array() or (char in "([" and self._block())):
            return True
        fd = _FD.match(text, index) if char == "{" else None
        if fd:
            self.blank(fd.end())
        return fd is not None

    def _array(self) -> bool:
        found = _ASSIGN.match(self.text, self.index)
        if found is None:
            return False
        if not found.group(1):
            self.equals = found.end() - 1
            return False
        self.out.append(re.sub(r"\W", "x", found.group()[:-2].removesuffix("+")))
        self.out.append("+=(" if found.group()[-3] == "+" else "=(")
        self.index = found.end()
        self.arrays += 1
        self.parens += 1
        return True

    def _block(self) -> bool:
        """`((...))` and `[[ ... ]]`."""
        text, index = self.text, self.index
        if not (
            text.startswith("((", index) or (text.startswith("[[", index) and text[index + 2 : index + 3].isspace())
        ):
            return False
        end = 0 if self.unended else _block_end(text, index)
        self.unended = not end
        if not end:
            return False
        if len(self.out) > 1 and self.out[-2] == "for" and _FOR_GROUP.match(text, end):
            # `for ((...)) { ...; }` is read as a command and a group.
            self.out[-2] = "   "
            self.hide(end)
            self.out.append(";")
            self.index = end + 1
            self.ready = self.fresh = True
            return True
        self.within(end)
        return True

    def _blanks(self, _: str) -> None:
        found = _BLANKS.match(self.text, self.index)
        assert found
        self.keep(found.group())
        self.fresh = True

    def _line_end(self, _: str) -> None:
        text = self.text
        self.keep("\n")
        for number, (at, name, quoted, strip) in enumerate(self.pending):
            if number and self.index < len(text):
                self.keep("\n")
            body, start, end, ended = _body(text, self.index, name, strip=strip, quoted=quoted)
            self.complete = self.complete and ended
            self.heredocs[at] = Heredoc(body, start, quoted)
            self.out.append(" " * (end - start))
            self.index = end
        self.pending.clear()
        self.ready = self.fresh = True

    def _separator(self, char: str) -> None:
        if self.text.startswith("&>", self.index):
            self.keep("&>>" if self.text.startswith("&>>", self.index) else "&>")
        else:
            self.keep(char)
            self.ready = True
        self.fresh = True

    def _redirection(self, char: str) -> None:
        text, index = self.text, self.index
        if text.startswith(("<(", ">("), index):
            self.within(closing(text, index + 1))
            return
        if self.dangling:
            raise UnclosedError(text[:20])
        heredoc = HEREDOC.match(text, index) if char == "<" and not text.startswith("<<<", index) else None
        if heredoc:
            name = heredoc.group(2)
            plain = heredoc_name(name)
            self.pending.append((index, plain, plain != name, bool(heredoc.group(1))))
            self.keep("<")
            self.hide(heredoc.end())
            self.fresh = False
            return
        self.dangling = self.fresh = True
        for operator, shown in (("<<<", "<  "), ("<>", "> ")):
            if text.startswith(operator, index):
                self.keep(shown)
                return
        step = text[index : index + 2]
        self.keep(step if step in {">>", ">&", "<&", ">|"} else char)
        self.fresh = not step.endswith("&") or text[self.index : self.index + 1] in {" ", "\t"}

    def _open(self, char: str) -> None:
        text, index = self.text, self.index
        if not self.fresh:
            if text[index - 1] in "?*+@!" and text[index + 1 : index + 2] != ")":
                self.hide(closing(text, index))
                return
            if not _EMPTY.match(text, index):
                # A word and a parenthesis are no shell; the grammar would search long for a meaning.
                raise UnclosedError(text[:20])
        self.keep(char)
        self.ready = self.fresh = True
        self.parens += 1
        if self.parens > MAX_PARENS:
            raise UnclosedError(text[:20])

    def _close(self, char: str) -> None:
        self.parens -= 1
        if self.parens < self.fewest:
            raise UnclosedError(self.text[:20])
        self.keep(char)
        self.ready = self.fresh = True
        self.arrays -= self.arrays > 0

    def _escape(self, _: str) -> None:
        if self.text.startswith("\n", self.index + 1) and self.fresh:
            self.keep("  ")
        else:
            self.within(min(self.index + 2, len(self.text)))

    def _quote(self, _: str) -> None:
        self.within(closing(self.text, self.index))

    def _dollar(self, _: str) -> None:
        text, index = self.text, self.index
        following = text[index + 1 : index + 2]
        if following == "'":
            end = ansi_end(text, index + 2)
        elif following and following in "({":
            end = closing(text, index)
        else:
            end = index + (2 if following and following in "?!@*#$-" else 1)
        self.within(end)

    def _plain(self) -> bool:
        """Letters and what stands between them in names; False when there are none."""
        text, fresh = self.text, self.fresh
        found = _PLAIN.match(text, self.index)
        if found is None:
            return False
        piece, end = found.group(), found.end()
        whole = fresh and (end >= len(text) or text[end] in _ENDS)
        if whole and self.ready and piece in {"time", "coproc"}:
            extra = (_TIME if piece == "time" else _COPROC).match(text, end)
            if extra:
                self.blank(extra.end())
                return True
        if fresh and piece.isdigit() and text[end : end + 1] in {"<", ">"}:
            # The number of a descriptor, which the grammar takes for a word when a blank follows.
            self.blank(end)
            return True
        self.out.append(piece if fresh or piece.isalnum() else "x" * len(piece))
        self.index = end
        self.ready = whole and (
            (self.ready and piece in _OPENERS) or (len(self.out) > 2 and "".join(self.out[-4:-1]).strip() == "function")
        )
        self.fresh = False
        return True

    def _sign(self, char: str) -> None:
        """One sign that is no separator: a brace, an equals sign, a pattern."""
        text, index, fresh = self.text, self.index, self.fresh
        if char == "{" and self.ready and "".join(self.out[-3:]).rstrip().endswith("()"):
            # `f(){cmd` is no shell, but its intention is plain.
            self.keep(char)
            self.parens += 1
            return
        following = text[index + 1 : index + 2]
        if char in "{}!" and fresh and self.ready and (not following or following in _ENDS):
            if char == "}" and len(self.out) > 1 and self.out[-2] in _CLOSERS and self.out[-1].isspace():
                # `{ { a; } }` needs no sign between its ends; the grammar wants one.
                self.out[-1] = self.out[-1][:-1] + ";"
            self.keep(char)
            self.fresh = False
            self.parens += {"{": 1, "}": -1}.get(char, 0)
            self.bangs += char == "!"
            if self.parens > MAX_PARENS or self.bangs > MAX_PATTERNS:
                raise UnclosedError(text[:20])
            return
        shown = (
            index == self.equals
            or (char == "+" and index + 1 == self.equals)
            or (char == "*" and fresh and following == ")")
        )
        self.keep(char if shown else "x")
        self.ready = self.fresh = False


_CLOSERS = frozenset({"}", ")", "fi", "done", "esac"})
_ENDS = " \t\n;&|()<>"
#: What may start a word in a way that only the start of a word can.
_STARTS = frozenset("#([{_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_HANDLERS: dict[str, Callable[[_Masker, str], None]] = {
    **dict.fromkeys(" \t", _Masker._blanks),
    "\n": _Masker._line_end,
    **dict.fromkeys(";&|", _Masker._separator),
    **dict.fromkeys("<>", _Masker._redirection),
    "(": _Masker._open,
    ")": _Masker._close,
    "\\": _Masker._escape,
    **dict.fromkeys("'\"`", _Masker._quote),
    "$": _Masker._dollar,
}


def _block_end(text: str, index: int) -> int:
    if text.startswith("((", index):
        try:
            end = closing(text, index)
        except UnclosedError:
            return 0
        # `((a); b)` and `((a); (b))` are subshells in a subshell, and no arithmetic.
        return end if text[end - 2 : end] == "))" and closing(text, index + 1) == end - 1 else 0
    at = index + 2
    while at < len(text):
        char = text[at]
        if char == "]" and text.startswith("]]", at) and (text[at - 1].isspace() or text[at - 1] == ")"):
            return at + 2
        try:
            if text.startswith("$'", at):
                at = ansi_end(text, at + 2)
                continue
            if char in "'\"`" or text.startswith(("$(", "${"), at):
                at = closing(text, at)
                continue
        except UnclosedError:
            return 0
        at += 2 if char == "\\" else 1
    return 0


def _body(text: str, index: int, name: str, *, strip: bool, quoted: bool) -> tuple[str, int, int, bool]:
    """The body of a here-document, where it starts, where reading goes on, and whether its end was found."""
    at, size = index, len(text)
    lines: list[str] = []
    held = ""
    while at < size:
        end = text.find("\n", at)
        end = size if end < 0 else end
        raw = text[at:end]
        line = raw.lstrip("\t") if strip else raw
        at = min(end + 1, size)
        # Without quotes around its name, a line goes on behind a backslash, the last one, too.
        if not quoted and (len(line) - len(line.rstrip("\\"))) % 2 and end < size:
            held += line[:-1]
            lines.append(line + "\n")
            continue
        if name in (held + line, held + raw):
            # The newline after the end belongs to the structure.
            return "".join(lines), index, end, True
        held = ""
        lines.append(line + "\n")
    return "".join(lines), index, size, False
