"""A text that is masked for the grammar, on its way from left to right: what is shown so far, and what is open."""

from typing import NamedTuple

from hermes_guard.shell.keywords import CLOSERS
from hermes_guard.shell.quotes import UnclosedError, closing

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


class Masked:
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
