"""Judges coprocess shells that run the commands written to them: `coproc sh`."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.tool_escapes.nested_commands import runs
from hermes_guard.rules.tool_escapes.rules import ESCAPE, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.shell_code import SHELLS
from hermes_guard.verdict import Finding

#: The descriptor that a coprocess reads from; its array has the name of the coprocess.
_END = re.compile(r"\$\{\w+\[[^\]]{1,8}\]\}")
_OTHERS = names("python python3 perl ruby node php ssh")
#: The maximum number of commands checked for one that reads.
_NEAR = 64


@FAMILY.judges(">")
def coprocesses(command: Command, context: Context) -> Iterator[Finding]:
    """Judge what is written to a coprocess that reads code."""
    if not any(found.operator[:1] in ">&" and _END.search(found.target.source) for found in command.redirects):
        return
    readers = {other.program for other in context.commands[:_NEAR] if other is not command and _reads(other)}
    if not readers:
        return
    if command.output is None or readers.isdisjoint(SHELLS):
        yield ESCAPE.found(command, path="a coprocess that takes code")
    else:
        yield from runs(command.output, command, context)


def _reads(command: Command) -> bool:
    """Return True for a program that reads code from its input."""
    if command.program == "ssh":
        return len([word for word in command.args if word.raw[:1] != "-"]) == 1
    if command.program not in SHELLS and command.program not in _OTHERS:
        return False
    return all(word.raw[:1] == "-" and "c" not in word.raw for word in command.args)
