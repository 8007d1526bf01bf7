"""Data types for the functions and loops of a script, and the keywords that introduce them."""

from dataclasses import dataclass, field
from typing import NamedTuple

from hermes_guard.languages.tokens import Token
from hermes_guard.name_sets import names

Span = tuple[int, int]
#: Keywords followed by parentheses that are not an argument list.
CONTROL = names("if for while switch catch with function elsif until unless foreach return typeof await match")
#: Methods that call a function for each item.
ITERATORS = names(
    "forEach map each each_pair each_with_index each_entry collect flatMap flat_map filter every some select"
)
STATEMENT_ENDS = frozenset({";", "\n"})


@dataclass(slots=True)
class Function:
    """A function that the script defines or passes on."""

    name: str
    #: None for a Perl function without a signature, which receives a list.
    params: list[list[Token]] | None
    body: Span
    end: int
    called: int = 0
    #: True when it may be called with unknown arguments.
    open: bool = False
    #: Positions of the findings made while its body was read without a call.
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
