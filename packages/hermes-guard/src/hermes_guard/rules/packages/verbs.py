"""Tables of verbs: which subcommands of which programs mean the same."""

from collections.abc import Mapping

from hermes_guard.argv.names import names


def by_program(table: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """A table in which `a b` names two programs, and `x|y z` the verb `x` and the pair of words `y z`."""
    return {program: names(verbs, "|") for programs, verbs in table.items() for program in programs.split()}
