"""The state of the reader: the current text, the position in its control flow, the limits, and the findings."""

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

#: Nesting of shell code in shell code: deeper nesting only serves to hide commands.
MAX_DEPTH = 8
#: Nesting of syntax nodes; typical scripts have fewer than ten levels.
MAX_NESTING = 80
#: Commands of one text, after unrolling loops and calls.
MAX_COMMANDS = 1_000
#: Pipes of one pipeline. The grammar takes quadratic time when the last one is incomplete.
MAX_PIPES = 200
#: Words of one command.
MAX_WORDS = 2000
#: Of a command with more words, this many are read at each end.
KEPT_WORDS = 100
#: Words of all commands together, and the number of their characters.
MAX_ALL_WORDS = 6_000
MAX_ALL_CHARACTERS = 200_000
#: Nested programs that run programs: `env nice sudo ...`.
MAX_WRAPPERS = 40
#: Redirections of one command.
MAX_REDIRECTS = 100
#: Occurrences of one special character in a text, including here-documents. Real programs have fewer, and each costs
#: time.
MAX_SIGNS = 5_000
#: Characters of all texts together, counting nested ones again.
MAX_TEXT = 70_000


class Frame(NamedTuple):
    """One text that is being read."""

    text: str
    heredocs: dict[int, Heredoc]
    base: int
    #: The position of the word that contains this text, when it is not literally part of the judged text.
    origin: tuple[int, int] | None


class Flow(NamedTuple):
    """The position of a node in the control flow."""

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
    #: The start of a loop that never ends.
    endless: int = -1
    #: True in the background of that loop.
    forked: bool = False


class Shell(NamedTuple):
    """A shell between two texts: its scope, the files that were written, and the exported functions."""

    scope: "Scope"
    disk: "VirtualFiles"
    exported: "dict[str, Body]"


@dataclass(slots=True)
class Reading:
    """The commands of a text, and the findings of the reader itself."""

    commands: list[Command] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    #: True when a limit was reached, and the rest was not read.
    stopped: bool = False
    #: The shell after the text.
    shell: Shell | None = None


class StopError(Exception):
    """Raised when a limit is reached; the finding has already been recorded."""


def span_of(node: "Node", frame: Frame) -> tuple[int, int]:
    """Return the position of a node in the judged text."""
    return frame.origin or (frame.base + node.start_byte, frame.base + node.end_byte)
