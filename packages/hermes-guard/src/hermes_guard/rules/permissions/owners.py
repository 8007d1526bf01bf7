"""Judges changes of owner and group."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.path_arguments import format_words
from hermes_guard.rules.common.path_findings import MANY, judged, path_rules
from hermes_guard.rules.family import Context
from hermes_guard.rules.permissions.affected_paths import PLACES, crowded, wide
from hermes_guard.rules.permissions.rules import BROAD, FAMILY, ROOT, SYSTEM
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

_CHOWN = Spec(
    "R v c f h H L P x recursive verbose changes silent quiet reference= from= preserve-root no-preserve-root "
    "dereference no-dereference help version"
)
_OWNED = PLACES | path_rules("ssh-write")


@FAMILY.judges("chown", "gchown", "chgrp", "gchgrp")
def chown(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about giving files and directories to another user."""
    options = parse(command, _CHOWN)
    if options.helps:
        return
    operands = list(options.operands)
    owner = operands.pop(0).raw if operands and not options.has("reference") else ""
    if options.has("R", "recursive") or command.wrapped_by("find", "xargs", "fd", "parallel"):
        if {"root", "0", "wheel"}.intersection(owner.replace(".", ":").split(":")):
            yield ROOT.found(command, path=format_words(operands))
        path = wide(operands, command, context)
        if path:
            yield BROAD.found(command, path=path)
    yield from crowded(operands, command)
    mine = HOLE in owner or context.home.rsplit("/", 1)[-1] in owner
    for word in operands[:MANY]:
        for path, _ in judged("write", word, command, context, only=_OWNED):
            if not (mine and "/.ssh" in path):
                yield SYSTEM.found(command, path=path)
                return
