"""Reads Raku."""

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation
from hermes_guard.languages.scripts.script import Script
from hermes_guard.languages.scripts.verbs import Verbs
from hermes_guard.languages.tokens import RAKU
from hermes_guard.name_sets import names

VERBS = Verbs(
    RAKU,
    shell=names("shell qqx"),
    spawn=names("run system exec"),
    trees=names("rmtree remove_tree rm_rf empty-directory remove-tree"),
    files=names("unlink"),
    evals=names("EVAL EVALFILE eval"),
    opens=names("open"),
    reads=names("slurp"),
    writes={"spurt": 0, "rename": 1, "copy": 1, "move": 1, "symlink": 1},
    sockets=names("IO::Socket::INET IO::Socket::Async"),
    fetches=names("HTTP::UserAgent HTTP::Tiny LWP::Simple Cro::HTTP::Client"),
    statements=names("do execute query prepare"),
)


def read(code: str, *, home: str, looped: bool, budget: Budget) -> list[Operation]:
    """Return what Raku code would do."""
    return Script(code, VERBS, home, looped=looped, budget=budget).read()
