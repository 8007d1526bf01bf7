"""The names of a language that matter, by what they do."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from hermes_guard.languages.tokens import Language
from hermes_guard.name_sets import names

#: Methods that send a statement to a database, as the libraries of most languages call them.
STATEMENTS = names("query exec execute run prepare raw unsafe sql statement unprepared executeQuery executeStatement")


class Verbs(NamedTuple):
    """The names of a language that matter."""

    language: Language
    #: Their first argument is shell code.
    shell: frozenset[str] = frozenset()
    #: Their arguments are a program and its arguments; one argument alone is shell code.
    spawn: frozenset[str] = frozenset()
    trees: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    evals: frozenset[str] = frozenset()
    #: Functions that write a file, and the place of its path.
    writes: Mapping[str, int] = MappingProxyType({})
    #: Functions that open a file, with a mode behind the path.
    opens: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    sockets: frozenset[str] = frozenset()
    fetches: frozenset[str] = frozenset()
    forks: frozenset[str] = frozenset()
    #: One of their arguments is a statement for a database.
    statements: frozenset[str] = STATEMENTS
    #: Methods without a statement that empty what a database keeps.
    empties: frozenset[str] = frozenset()


class Named(NamedTuple):
    """A name, and the place that its arguments follow."""

    at: int
    name: str
    #: The text of the token before it.
    before: str
