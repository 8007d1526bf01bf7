"""Registers git verbs: how each is judged, and which options it has."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hermes_guard.argv import Options, Spec
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding


class Call(NamedTuple):
    """One call of a git verb with its arguments."""

    command: Command
    context: Context
    verb: str
    options: Options
    #: The words after the verb.
    rest: Sequence[Word]


class Verb(NamedTuple):
    """How a verb is judged."""

    judge: Callable[[Call], Iterator[Finding]]
    options: Spec
    #: `-h` belongs to a command that the verb runs, or has another meaning.
    own_help: bool


VERBS: dict[str, Verb] = {}
#: Options of verbs that do not declare theirs.
OTHER = Spec(
    "f n a d D q v u x= force dry-run all prune? expire= expire-unreachable= delete stdin reset cached quiet "
    "verbose exec= extcmd= analyze recursive no-deref m= i interactive onto= autosquash root continue abort skip help"
)


def verb(
    *names: str, options: Spec = OTHER, own_help: bool = False
) -> Callable[[Callable[[Call], Iterator[Finding]]], Callable[[Call], Iterator[Finding]]]:
    """Register a judging function for these verbs."""

    def register(judge: Callable[[Call], Iterator[Finding]]) -> Callable[[Call], Iterator[Finding]]:
        for name in names:
            VERBS[name] = Verb(judge, options, own_help)
        return judge

    return register
