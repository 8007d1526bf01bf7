"""One word of a command after expansion, and how much of it is certain."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_guard.shell.command import Command

#: The placeholder for text that is known only at run time. It is in the private use area and is removed from input.
HOLE = "\ue000"


@dataclass(slots=True, eq=False)
class Word:
    """One argument. `raw` has a hole wherever the text is unknown."""

    raw: str
    #: The text as written.
    source: str
    span: tuple[int, int]
    #: True with an unquoted `*`, `?` or `[`.
    glob: bool = False
    quoted: bool = False
    #: True with an unquoted unknown expansion, which may become several words or none.
    splits: bool = False
    #: Commands inside its substitutions.
    commands: tuple["Command", ...] = ()
    #: `<` or `>` for a process substitution; then `text_inside` is its output when that is certain.
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
        """The text when it is certain, else the word as written."""
        return self.raw if HOLE not in self.raw else self.source

    @property
    def parts(self) -> tuple[str, ...]:
        """The certain parts between the unknown ones."""
        return tuple(self.raw.split(HOLE))

    @property
    def prefix(self) -> str:
        """Its certain beginning."""
        return self.raw.split(HOLE, 1)[0]

    @property
    def suffix(self) -> str:
        """Its certain end."""
        return self.raw.rsplit(HOLE, 1)[-1]

    def tail(self, start: int) -> "Word":
        """Return the word without its first characters, such as the value in `of=/dev/sda`."""
        return Word(self.raw[start:], self.source, self.span, self.glob, self.quoted, self.splits, self.commands)

    def __str__(self) -> str:
        return self.text
