"""Reads Julia."""

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation
from hermes_guard.languages.scripts.script import Script
from hermes_guard.languages.scripts.verbs import Verbs
from hermes_guard.languages.tokens import JULIA
from hermes_guard.name_sets import names

VERBS = Verbs(
    JULIA, trees=names("rm"), evals=names("eval include_string"), opens=names("open"), fetches=names("download")
)


def read(code: str, *, home: str, looped: bool, budget: Budget) -> list[Operation]:
    """Return what Julia code would do."""
    return Script(code, VERBS, home, looped=looped, budget=budget).read()
