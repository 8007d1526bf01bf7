"""The words that an expansion makes, while they are made."""

from typing import TYPE_CHECKING

from hermes_guard.shell.word import HOLE, Word

if TYPE_CHECKING:
    from hermes_guard.shell.command import Command


class Fields:
    """The words under construction."""

    __slots__ = ("buffer", "commands", "glob", "one", "open", "quoted", "source", "span", "splits", "words")

    def __init__(self, source: str, span: tuple[int, int], *, one: bool) -> None:
        self.words: list[Word] = []
        #: There is only one word, whatever is expanded.
        self.one = one
        self.source, self.span = source, span
        self.commands: tuple[Command, ...] = ()
        self._reset()

    def _reset(self) -> None:
        self.buffer: list[str] = []
        self.glob = self.quoted = self.splits = self.open = False

    def flush(self) -> None:
        """End a word."""
        if self.open:
            word = Word(
                "".join(self.buffer), self.source, self.span, self.glob, self.quoted, self.splits, self.commands
            )
            self.words.append(word)
        self._reset()

    def add(self, text: str) -> None:
        """Add text to the word."""
        self.buffer.append(text)
        self.open = True

    def add_value(self, value: str, *, split: bool) -> None:
        """Add the value of an unquoted expansion."""
        if HOLE in value:
            self.splits = True
        if any(char in value for char in "*?["):
            self.glob = True
        if not split or not any(char in value for char in " \t\n"):
            if value:
                self.add(value)
            return
        if value[0] in " \t\n":
            self.flush()
        pieces = value.split()
        for number, piece in enumerate(pieces):
            if number:
                self.flush()
                self.splits = HOLE in piece
            self.add(piece)
        if pieces and value[-1] in " \t\n":
            self.flush()
