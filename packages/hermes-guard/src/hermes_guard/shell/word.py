"""A word of a command after expansion, with what is certain about it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_guard.shell.command import Command

#: Stands for text that only the running shell knows. It lies in the private use area and is removed from input.
HOLE = "\ue000"


@dataclass(slots=True, eq=False)
class Word:
    """One argument. `raw` holds a hole wherever the text is unknown."""

    raw: str
    #: The text as it was written.
    source: str
    span: tuple[int, int]
    #: Holds an unquoted `*`, `?` or `[`.
    glob: bool = False
    quoted: bool = False
    #: Holds an unquoted unknown expansion, which may become several words or none.
    splits: bool = False
    #: Commands inside its substitutions.
    commands: tuple["Command", ...] = ()
    #: `<` or `>` when the word is a process substitution; then `text_inside` is its output when that is certain.
    process: str = ""
    text_inside: str | None = None

    @property
    def certain(self) -> bool:
        """True when the shell would see exactly this text."""
        return HOLE not in self.raw

    @property
    def literal(self) -> str | None:
        """The text when it is certain, else None."""
        return None if HOLE in self.raw else self.raw

    @property
    def text(self) -> str:
        """The text when it is certain, else the word as it was written."""
        return self.raw if HOLE not in self.raw else self.source

    @property
    def parts(self) -> tuple[str, ...]:
        """The certain pieces between the unknown ones."""
        return tuple(self.raw.split(HOLE))

    @property
    def prefix(self) -> str:
        """What it certainly starts with."""
        return self.raw.split(HOLE, 1)[0]

    @property
    def suffix(self) -> str:
        """What it certainly ends with."""
        return self.raw.rsplit(HOLE, 1)[-1]

    def tail(self, start: int) -> "Word":
        """The word without its first characters, such as the value in `of=/dev/sda`."""
        return Word(self.raw[start:], self.source, self.span, self.glob, self.quoted, self.splits, self.commands)

    def __str__(self) -> str:
        return self.text
