"""What a program runs that runs another command."""

from collections.abc import Sequence
from typing import NamedTuple

from hermes_guard.argv.options import Spec
from hermes_guard.shell.command import Wrapper
from hermes_guard.shell.word import Word


class Inner(NamedTuple):
    """What a wrapper runs: words, or code for a shell."""

    wrapper: Wrapper
    words: tuple[Word, ...] = ()
    code: Word | None = None
    #: A new environment or user: home and folder are not ours.
    assignments: tuple[Word, ...] = ()
    #: The folder it runs in, when the wrapper changes that.
    folder: Word | None = None
    #: The wrapper has read the input, and the command has none of it.
    consumes_stdin: bool = False


def posix(names: str) -> Spec:
    """Options that end at the first operand: what follows belongs to the inner command."""
    return Spec(names, posix=True)


def join(words: Sequence[Word]) -> Word:
    """Several words as the one text that a shell is given."""
    first = words[0]
    if len(words) == 1:
        return first
    commands = tuple(command for word in words for command in word.commands)
    return Word(
        " ".join(word.raw for word in words), first.source, (first.span[0], words[-1].span[1]), commands=commands
    )
