"""Masks the inside of words, so that the grammar sees only the structure.

Every character keeps its position: quotes, expansions, patterns and here-documents become plain letters or blanks.
"""

from collections.abc import Callable
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.shell.heredocs import HEREDOC, body_of, heredoc_name
from hermes_guard.shell.keywords import CLOSERS, FOLLOWERS, LEVELS, OPENERS, PLAIN_LINES, PREFIXES, STRUCTURE
from hermes_guard.shell.quotes import UnclosedError, ansi_end, block_end, closing

#: Patterns of `case`, which have closing parentheses only.
MAX_PATTERNS = 400


class Heredoc(NamedTuple):
    """The body of a here-document."""

    text: str
    start: int
    quoted: bool


class Mask(NamedTuple):
    """The masked text, its here-documents by the position of their operator, and whether all of it could be read."""

    text: str
    heredocs: dict[int, Heredoc]
    complete: bool
    #: Positions of lines of plain words, each a command.
    plain: tuple[tuple[int, int], ...] = ()


class MaskBuffer:
    """The masked text so far, and the constructs that are open."""

    __slots__ = (
        "_functions", "arrays", "cases", "complete", "dangling", "equals", "fewest", "fresh", "heredocs", "index",
        "lenient", "level", "out", "parens", "pending", "plain", "ready", "text", "unended",
    )  # fmt: skip

    def __init__(self, text: str, *, lenient: bool) -> None:
        self.text = text
        self.lenient = lenient
        self.index = 0
        self.out: list[str] = []
        self.heredocs: dict[int, Heredoc] = {}
        #: Announced here-documents: position, delimiter, whether it is quoted, and whether tabs are stripped.
        self.pending: list[tuple[int, str, bool, bool]] = []
        #: A command may start here; a word may start here; a redirection needs its target.
        self.ready = self.fresh = True
        self.dangling = False
        self.complete = True
        #: The position of an assignment's equals sign: elsewhere it is part of a word, as in `$a=1`.
        self.equals = -1
        self.arrays = self.parens = 0
        #: The number of open compound commands, and the number of parentheses at the start of each `case`.
        self.level = 0
        self.cases: list[int] = []
        #: Positions of lines of plain words, each a command.
        self.plain: list[tuple[int, int]] = []
        #: True after an unclosed block, which is not searched for again, so that the time stays linear.
        self.unended = False
        self.fewest = -MAX_PATTERNS if "esac" in text else -4
        self._functions = "function" in text

    def keep(self, piece: str) -> None:
        """Show a part to the grammar unchanged."""
        self.out.append(piece)
        self.index += len(piece)

    def hide(self, end: int) -> None:
        """Show letters to the grammar up to here."""
        self.out.append("x" * (end - self.index))
        self.index = end

    def blank(self, end: int) -> None:
        """Show blanks to the grammar up to here."""
        self.out.append(" " * (end - self.index))
        self.index = end

    def within(self, end: int) -> None:
        """Hide a part of a word."""
        self.hide(end)
        self.ready = self.fresh = False

    def aside(self) -> None:
        """Hide the content of parentheses that is not a command."""
        end = self.index + 1
        if not self.unended:
            try:
                end = closing(self.text, self.index)
            except UnclosedError:
                self.unended = True
        self.within(end)

    def last(self) -> str:
        """Return the previous word."""
        return self.out[-2] if len(self.out) > 1 and self.out[-1].isspace() else ""

    def no_shell(self) -> None:
        """Record invalid syntax; the rest is hidden unless `lenient` is set."""
        self.complete = False
        if not self.lenient:
            raise UnclosedError(self.text[:20])

    def names_function(self) -> bool:
        """Return True when the last visible word is the name after `function`."""
        return self._functions and len(self.out) > 2 and "".join(self.out[-4:-1]).strip() == "function"

    def end_before(self) -> None:
        """End the previous command: in `{ { a; } }` the grammar requires a separator between the ends."""
        if len(self.out) > 1 and self.out[-2] in CLOSERS and self.out[-1].isspace():
            self.out[-1] = self.out[-1][:-1] + ";"


_PLAIN = re.compile(r"[A-Za-z0-9_./:,%@~^-]+")
#: The number of parts before plain lines that are searched for a token that continues the line.
_LOOK_BACK = 8
_BLANKS = re.compile(r"[ \t]+")
#: Characters that mean nothing to the grammar inside of a word.
_SIGNS = re.compile(r"[][{}!*?=+#\x80-\U0010ffff]+")
_FOR_GROUP = re.compile(r"[ \t;]\s*\{\s")
#: One word in parentheses.
_ASIDE = re.compile(r"\([^\s()]*\)")
_EMPTY = re.compile(r"\(\s*\)")
_FD = re.compile(r"\{[A-Za-z_]\w*(?:\[\w{1,20}\])?\}(?=[<>])")
_ASSIGN = re.compile(r"[A-Za-z_]\w*(?:\[[^\]\n]{0,200}\])?\+?=(\()?")
#: A word that starts with a letter outside of ASCII.
_FOREIGN = re.compile(r"[^\x00-\x7f][^\s;&|()<>'\"$`\\]*")


#: Nested parentheses; the grammar slows down on more.
MAX_PARENS = 40


def mask(text: str, *, lenient: bool = False) -> Mask:
    """Mask a text for the grammar, in linear time.

    `lenient` continues after invalid syntax, which the grammar would not accept.
    """
    masker = _Masker(text, lenient=lenient)
    try:
        masker.read()
    except UnclosedError:
        masker.hide(len(text))
        masker.complete = False
    return Mask("".join(masker.out)[: len(text)], masker.heredocs, masker.complete, tuple(masker.plain))


class _Masker(MaskBuffer):
    """Reads a text character by character."""

    __slots__ = ()

    def read(self) -> None:
        """Mask the whole text."""
        text, size, handlers = self.text, len(self.text), _HANDLERS
        self._lines()
        while self.index < size:
            char = text[self.index]
            if self.dangling and char not in " \t<>":
                self.dangling = False
            if self.fresh and char in _STARTS and self._start(char):
                continue
            handler = handlers.get(char)
            if handler is not None:
                handler(self, char)
            elif char in _NO_LETTERS or not self._plain():
                self._sign(char)

    def _lines(self) -> None:
        """Record lines of plain words outside of any construct, each a command."""
        if self.level or self.parens or self.arrays or self.pending:
            return
        found = PLAIN_LINES.match(self.text, self.index)
        if found is None:
            return
        before = "".join(self.out[-_LOOK_BACK:]).rstrip()
        if before[-1:] not in {"|", "&"} and (before or len(self.out) < _LOOK_BACK):
            self.plain.append(found.span())
        lines = found.group()
        self.keep(lines.removesuffix("\n"))
        if lines.endswith("\n"):
            self.keep("\n")

    def _start(self, char: str) -> bool:
        """Read what only the start of a word can be; return False if it is nothing of that."""
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
        end = 0 if self.unended else block_end(text, index)
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
        # `for((...)){` opens a group.
        self.ready = self.fresh = text.startswith("{", end)
        return True

    def _blanks(self, char: str) -> None:
        end = self.index + 1
        if self.text[end : end + 1] in {" ", "\t"}:
            found = _BLANKS.match(self.text, self.index)
            char = found.group() if found else char
        self.out.append(char)
        self.index += len(char)
        self.fresh = True

    def _line_end(self, _: str) -> None:
        text = self.text
        self.keep("\n")
        for number, (at, name, quoted, strip) in enumerate(self.pending):
            if number and self.index < len(text):
                self.keep("\n")
            body, start, end, ended = body_of(text, self.index, name, strip=strip, quoted=quoted)
            self.complete = self.complete and ended
            self.heredocs[at] = Heredoc(body, start, quoted)
            self.out.append(" " * (end - start))
            self.index = end
        self.pending.clear()
        self.ready = self.fresh = True
        self._lines()

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
            self.no_shell()
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
                # A word followed by a parenthesis is invalid, and the grammar would take long to find that out.
                self.no_shell()
                # zsh's `=(...)` is a file with the output of a command; others are part of the word.
                if text[index - 1] != "=" or text[index - 2 : index - 1] not in _BEFORE_WORDS:
                    self.aside()
                    return
        elif not (self.ready or self.arrays or _EMPTY.match(text, index) or self.last() == "in"):
            # A parenthesis among words is invalid in bash, and a command's output in another shell.
            self.complete = False
            if _ASIDE.match(text, index):
                self.aside()
                return
        self.keep(char)
        self.ready = self.fresh = True
        self.parens += 1
        if self.parens > MAX_PARENS:
            self.no_shell()

    def _close(self, char: str) -> None:
        self.parens -= 1
        if self.parens < self.fewest:
            self.no_shell()
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
        """Read letters and the characters between them in names; return False when there are none."""
        text, fresh = self.text, self.fresh
        found = _PLAIN.match(text, self.index)
        if found is None:
            return False
        piece, end = found.group(), found.end()
        whole = fresh and (end >= len(text) or text[end] in _ENDS)
        if whole and self.ready and piece in PREFIXES:
            extra = PREFIXES[piece].match(text, end)
            if extra:
                self.blank(extra.end())
                return True
        if fresh and piece.isdigit() and text[end : end + 1] in {"<", ">"}:
            # A descriptor number, which the grammar would treat as a word before a blank.
            self.blank(end)
            return True
        if whole and self.ready and piece in STRUCTURE:
            self._word(piece)
        self.out.append(piece if fresh or piece.isalnum() else "x" * len(piece))
        self.index = end
        self.fresh = False
        if self.ready and whole:
            # `for((...))` and `if(...)` need no blank; the grammar requires one.
            if text.startswith("(", end) and (piece in OPENERS or (piece == "for" and text.startswith("((", end))):
                self.fresh = True
                self.complete = False
            self.ready = piece in OPENERS or self.names_function()
        else:
            self.ready = whole and self.names_function()
        return True

    def _word(self, piece: str) -> None:
        """Read a keyword that opens or ends a compound command."""
        if piece in FOLLOWERS:
            self.end_before()
        self.level += LEVELS.get(piece, 0)
        if piece == "case":
            self.cases.append(self.parens)
        elif piece == "esac" and self.cases:
            # Its patterns have parentheses that only close.
            self.parens = self.cases.pop()

    def _sign(self, char: str) -> None:
        """Read one special character that is not a separator: a brace, an equals sign, a pattern."""
        text, index, fresh = self.text, self.index, self.fresh
        if not (fresh or self.ready or index <= self.equals <= index + 1):
            # Inside of a word, adjacent special characters are hidden at once.
            signs = _SIGNS.match(text, index)
            if signs:
                self.hide(min(signs.end(), self.equals - 1) if index < self.equals else signs.end())
                return
        if char == "{" and self.ready and "".join(self.out[-3:]).rstrip().endswith("()"):
            # `f(){cmd` is invalid, but its intention is clear.
            self.keep(char)
            self.parens += 1
            return
        following = text[index + 1 : index + 2]
        if char in "{}!" and fresh and self.ready and (not following or following in _ENDS):
            if char == "!":
                # Negating the result does not change the command.
                self.blank(index + 1)
                return
            if char == "}":
                self.end_before()
            self.keep(char)
            self.fresh = False
            self.parens += 1 if char == "{" else -1
            if self.parens > MAX_PARENS:
                self.no_shell()
            return
        foreign = _FOREIGN.match(text, index) if fresh else None
        if foreign:
            self.hide(foreign.end())
            self.fresh = False
            self.ready = self.names_function()
            return
        shown = (
            index == self.equals
            or (char == "+" and index + 1 == self.equals)
            or (char == "*" and fresh and following == ")")
        )
        self.keep(char if shown else "x")
        self.ready = self.fresh = False


_BEFORE_WORDS = frozenset({"", " ", "\t", "\n", ";", "&", "|"})
_ENDS = " \t\n;&|()<>"
#: Characters with a special meaning only at the start of a word.
_STARTS = frozenset("#([{_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
#: Frequent characters that are not part of a name.
_NO_LETTERS = frozenset("{}[]=!*?+")
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
