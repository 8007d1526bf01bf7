"""Tables of the function names in a language that matter to the reader, by what they do."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from hermes_guard.languages.tokens import Language
from hermes_guard.name_sets import names

#: Methods that send a statement to a database, as named in the libraries of most languages.
STATEMENTS = names("query exec execute run prepare raw unsafe sql statement unprepared executeQuery executeStatement")


class Functions(NamedTuple):
    """The function names of a language that matter."""

    language: Language
    #: Functions whose first argument is shell code.
    shell: frozenset[str] = frozenset()
    #: Functions that take a program and its arguments; a single argument is shell code.
    spawn: frozenset[str] = frozenset()
    trees: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    evals: frozenset[str] = frozenset()
    #: Functions that write a file, and the index of its path.
    writes: Mapping[str, int] = MappingProxyType({})
    #: Functions that open a file, with a mode after the path.
    opens: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    sockets: frozenset[str] = frozenset()
    fetches: frozenset[str] = frozenset()
    forks: frozenset[str] = frozenset()
    #: Methods that take a database statement.
    statements: frozenset[str] = STATEMENTS
    #: Methods that empty a table without a statement.
    empties: frozenset[str] = frozenset()


class Named(NamedTuple):
    """A name, and the position before its arguments."""

    at: int
    name: str
    #: The text of the token before it.
    before: str
