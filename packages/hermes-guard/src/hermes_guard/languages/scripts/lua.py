"""Reads Lua."""

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation
from hermes_guard.languages.scripts.script import Script
from hermes_guard.languages.scripts.verbs import Verbs
from hermes_guard.languages.tokens import LUA
from hermes_guard.name_sets import names

VERBS = Verbs(
    LUA,
    shell=names("execute popen"),
    files=names("remove"),
    evals=names("load loadstring"),
    writes={"rename": 1},
    opens=names("open"),
    sockets=names("socket tcp"),
    forks=names("fork"),
)


def read(code: str, *, home: str, looped: bool, budget: Budget) -> list[Operation]:
    """Return what Lua code would do."""
    return Script(code, VERBS, home, looped=looped, budget=budget).read()
