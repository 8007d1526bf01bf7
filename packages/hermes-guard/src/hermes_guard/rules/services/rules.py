"""Declares the rules for services."""

from collections.abc import Iterator, Sequence

from hermes_guard.rules.family import Family
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

FAMILY = Family("services")

STOP = FAMILY.rule("service.stop", "stops, restarts or disables a service: {path}", effects=("service",))
LEVEL = FAMILY.rule("service.runlevel", "changes the runlevel of the machine: {path}", effects=("service",))


def stopped(command: Command, said: Sequence[str]) -> Iterator[Finding]:
    """Report a service that a command stops, with the arguments."""
    yield STOP.found(command, path=" ".join([command.program or "", *said])[:100])
