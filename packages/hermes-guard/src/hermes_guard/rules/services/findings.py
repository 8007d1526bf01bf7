"""Converts calls that stop services into findings."""

from collections.abc import Iterator, Sequence

from hermes_guard.rules.services.rules import STOP
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding


def report_stop(command: Command, words: Sequence[str]) -> Iterator[Finding]:
    """Report a service that a command stops, with the arguments."""
    yield STOP.found(command, path=" ".join([command.program or "", *words])[:100])
