"""Masks what is inside of words, so that the grammar sees only the structure.

Every character keeps its place: quotes, expansions, patterns and here-documents become plain letters or blanks.
"""

from collections.abc import Callable
from typing import NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.shell.heredocs import HEREDOC, body_of, heredoc_name
from hermes_guard.shell.keywords import CLOSERS, FOLLOWERS, LEVELS, OPENERS, PLAIN_LINES, PREFIXES, STRUCTURE
from hermes_guard.shell.quotes import UnclosedError, ansi_end, block_end, closing

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
    #: Where lines of plain words stand that are commands by themselves.
    plain: tuple[tuple[int, int], ...] = ()


class MaskBuffer:
    """What is shown to the grammar so far, and what the text has opened."""

    __slots__ = (
        "_functions",
        "arrays",
        "cases",
        "complete",
        "dangling",
        "equals",
        "fewest",
        "fresh",
        "heredocs",
        "index",
        "lenient",
        "level",
        "out",
        "parens",
        "pending",
        "plain",
        "ready",
        "text",
        "unended",
    )

    def __init__(self, text: str, *, lenient: bool) -> None:
        self.text = text
        self.lenient = lenient
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
        self.arrays = self.parens = 0
        #: How many compound commands are open, and how many parentheses were where each `case` began.
        self.level = 0
        self.cases: list[int] = []
        #: Where lines of plain words stand that are commands of their own.
        self.plain: list[tuple[int, int]] = []
        #: A block without an end was found: it is not looked for again, so that time stays linear.
        self.unended = False
        self.fewest = -MAX_PATTERNS if "esac" in text else -4
        self._functions = "function" in text

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

    def aside(self) -> None:
        """Hide what stands in parentheses and is no command."""
        end = self.index + 1
        if not self.unended:
            try:
                end = closing(self.text, self.index)
            except UnclosedError:
                self.unended = True
        self.within(end)

    def last(self) -> str:
        """The word before this one."""
        return self.out[-2] if len(self.out) > 1 and self.out[-1].isspace() else ""

    def no_shell(self) -> None:
        """Note what no shell would read; the rest is hidden, unless it is wanted all the same."""
        self.complete = False
        if not self.lenient:
            raise UnclosedError(self.text[:20])

    def names_function(self) -> bool:
        """Whether the word that was shown last is the name behind `function`."""
        return self._functions and len(self.out) > 2 and "".join(self.out[-4:-1]).strip() == "function"

    def end_before(self) -> None:
        """End the command before: `{ { a; } }` needs no sign between its ends; the grammar wants one."""
        if len(self.out) > 1 and self.out[-2] in CLOSERS and self.out[-1].isspace():
            self.out[-1] = self.out[-1][:-1] + ";"


_PLAIN = re.compile(r"[A-Za-z0-9_./:,%@~^-]+")
#: How many pieces before plain lines are looked at for a sign that goes on behind the end of a line.
_LOOK_BACK = 8
_BLANKS = re.compile(r"[ \t]+")
#: Signs that mean nothing to the grammar inside of a word.
_SIGNS = re.compile(r"[][{}!*?=+#\x80-\U0010ffff]+")
_FOR_GROUP = re.compile(r"[ \t;]\s*\{\s")
#: One word in parentheses.
_ASIDE = re.compile(r"\([^\s()]*\)")
_EMPTY = re.compile(r"\(\s*\)")
_FD = re.compile(r"\{[A-Za-z_]\w*(?:\[\w{1,20}\])?\}(?=[<>])")
_ASSIGN = re.compile(r"[A-Za-z_]\w*(?:\[[^\]\n]{0,200}\])?\+?=(\()?")
#: A word that starts with a letter outside of ASCII.
_FOREIGN = re.compile(r"[^\x00-\x7f][^\s;&|()<>'\"$`\\]*")


#: Parentheses in parentheses; the grammar slows down on more.
MAX_PARENS = 40


def mask(text: str, *, lenient: bool = False) -> Mask:
    """Mask a text for the grammar. Linear in its size.

    `lenient` goes on behind what is no shell code, which the grammar would not stand.
    """
    masker = _Masker(text, lenient=lenient)
    try:
        masker.read()
    except UnclosedError:
        masker.hide(len(text))
        masker.complete = False
    return Mask("".join(masker.out)[: len(text)], masker.heredocs, masker.complete, tuple(masker.plain))


class _Masker(MaskBuffer):
    """Reads a text sign by sign."""

    __slots__ = ()

    def read(self) -> None:
        """Mask all of it."""
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
        """Lines of plain words that stand in nothing else: each is a command."""
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
                # A word and a parenthesis are no shell; the grammar would search long for a meaning.
                self.no_shell()
                # zsh's `=(...)` is a file that holds the output of a command; others are a part of the word.
                if text[index - 1] != "=" or text[index - 2 : index - 1] not in _BEFORE_WORDS:
                    self.aside()
                    return
        elif not (self.ready or self.arrays or _EMPTY.match(text, index) or self.last() == "in"):
            # A parenthesis among words is no bash, and the output of a command in another shell.
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
        """Letters and what stands between them in names; False when there are none."""
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
            # The number of a descriptor, which the grammar takes for a word when a blank follows.
            self.blank(end)
            return True
        if whole and self.ready and piece in STRUCTURE:
            self._word(piece)
        self.out.append(piece if fresh or piece.isalnum() else "x" * len(piece))
        self.index = end
        self.fresh = False
        if self.ready and whole:
            # `for((...))` and `if(...)` need no blank; the grammar wants one.
            if text.startswith("(", end) and (piece in OPENERS or (piece == "for" and text.startswith("((", end))):
                self.fresh = True
                self.complete = False
            self.ready = piece in OPENERS or self.names_function()
        else:
            self.ready = whole and self.names_function()
        return True

    def _word(self, piece: str) -> None:
        """A word that opens or ends a compound command."""
        if piece in FOLLOWERS:
            self.end_before()
        self.level += LEVELS.get(piece, 0)
        if piece == "case":
            self.cases.append(self.parens)
        elif piece == "esac" and self.cases:
            # Its patterns had parentheses that only close.
            self.parens = self.cases.pop()

    def _sign(self, char: str) -> None:
        """One sign that is no separator: a brace, an equals sign, a pattern."""
        text, index, fresh = self.text, self.index, self.fresh
        if not (fresh or self.ready or index <= self.equals <= index + 1):
            # Inside of a word, signs in a row are hidden at once.
            signs = _SIGNS.match(text, index)
            if signs:
                self.hide(min(signs.end(), self.equals - 1) if index < self.equals else signs.end())
                return
        if char == "{" and self.ready and "".join(self.out[-3:]).rstrip().endswith("()"):
            # `f(){cmd` is no shell, but its intention is plain.
            self.keep(char)
            self.parens += 1
            return
        following = text[index + 1 : index + 2]
        if char in "{}!" and fresh and self.ready and (not following or following in _ENDS):
            if char == "!":
                # What a command is does not change when its answer is turned around.
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
#: What may start a word in a way that only the start of a word can.
_STARTS = frozenset("#([{_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
#: Frequent signs that are no part of a name.
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
