"""A function and a loop of a script, and the words by which they are told."""

from dataclasses import dataclass, field
from typing import NamedTuple

from hermes_guard.languages.tokens import Token
from hermes_guard.name_sets import names

Span = tuple[int, int]
#: Words that a bracket follows which is no list of arguments.
CONTROL = names("if for while switch catch with function elsif until unless foreach return typeof await match")
#: Methods that call a function for each item.
ITERATORS = names(
    "forEach map each each_pair each_with_index each_entry collect flatMap flat_map filter every some select"
)
STATEMENT_ENDS = frozenset({";", "\n"})


@dataclass(slots=True)
class Function:
    """A function that the script defines, or that it hands over."""

    name: str
    #: None for a function of Perl without a signature, which is given a list.
    params: list[list[Token]] | None
    body: Span
    end: int
    called: int = 0
    #: Something may call it with what nobody knows.
    open: bool = False
    #: Where the readings of its body without a call stand among what was found.
    readings: list[Span] = field(default_factory=list)


class Loop(NamedTuple):
    """A loop over the items of a list."""

    target: list[list[Token]]
    items: Span
    body: Span
    end: int
    #: Tokens before the body that are read once.
    header: Span = (0, 0)


Block = Function | Loop
