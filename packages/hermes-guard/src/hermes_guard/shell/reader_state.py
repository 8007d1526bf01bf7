"""Where the reading stands: the text under it, the flow around it, its bounds and what it found."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from hermes_guard.shell.command import Command, Redirect, Stdin, Wrapper
from hermes_guard.shell.word import Word
from hermes_guard.shell.word_mask import Heredoc
from hermes_guard.verdict import Finding

if TYPE_CHECKING:
    from tree_sitter import Node

    from hermes_guard.shell.scope import Body, Scope
    from hermes_guard.shell.virtual_files import VirtualFiles

#: Shell code inside of shell code: deeper is a disguise, not a need.
MAX_DEPTH = 8
#: Nodes inside of nodes; a person's script has fewer than ten.
MAX_NESTING = 80
#: Commands of one text, loops and calls unrolled.
MAX_COMMANDS = 1_000
#: Pipes of one pipeline. The grammar takes time that grows with their square when the last one leads nowhere.
MAX_PIPES = 200
#: Words of one command.
MAX_WORDS = 2000
#: Of a command with more words, so many at its beginning and at its end are read.
KEPT_WORDS = 100
#: Words of all commands together, and their characters.
MAX_ALL_WORDS = 6_000
MAX_ALL_CHARACTERS = 200_000
#: Programs that run programs: `env nice sudo ...`.
MAX_WRAPPERS = 40
#: Redirections of one command.
MAX_REDIRECTS = 100
#: One sign of the shell in one text, here-documents included. More is no program, and each costs time.
MAX_SIGNS = 5_000
#: Characters of all texts together, those inside of others counted again.
MAX_TEXT = 70_000


class Frame(NamedTuple):
    """One text under reading."""

    text: str
    heredocs: dict[int, Heredoc]
    base: int
    #: The place of the word that holds this text, when it does not stand in the judged text as it is.
    origin: tuple[int, int] | None


class Flow(NamedTuple):
    """Where a node stands."""

    stdin: Stdin | None = None
    loop: bool = False
    condition: bool = False
    background: bool = False
    piped: bool = False
    redirects: tuple[Redirect, ...] = ()
    wrappers: tuple[Wrapper, ...] = ()
    assignments: tuple[Word, ...] = ()
    function: str = ""
    called: bool = True
    #: Where the loop begins that never ends.
    endless: int = -1
    #: Inside of that loop, in the background.
    forked: bool = False


class Shell(NamedTuple):
    """A shell between two texts: what it knows, the files that were made, and the functions that it exports."""

    scope: "Scope"
    disk: "VirtualFiles"
    exported: "dict[str, Body]"


@dataclass(slots=True)
class Reading:
    """The commands of a text and what the reading itself found."""

    commands: list[Command] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    #: A bound was reached, and what lies behind was not read.
    stopped: bool = False
    #: What the shell knows behind the text.
    shell: Shell | None = None


class StopError(Exception):
    """Raised when a bound is reached; the finding is already there."""


def span_of(node: "Node", frame: Frame) -> tuple[int, int]:
    """Where a node stands in the judged text."""
    return frame.origin or (frame.base + node.start_byte, frame.base + node.end_byte)
