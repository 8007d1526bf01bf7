"""Judges archivers that run a command at a checkpoint or as a filter."""

import itertools
from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.tool_escapes.nested_commands import runs
from hermes_guard.rules.tool_escapes.rules import FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_NAMES = (
    "f= C= file= directory= checkpoint? checkpoint-action= to-command= I= use-compress-program= rsh-command= "
    "info-script= F= new-volume-script= TT= unzip-command= X= T= exclude= c x t r u v z j J p O k m h P S a Z l B W U "
    "exclude-from= files-from= strip-components= transform= xform= owner= group= mode= mtime= one-file-system"
)
_TAR, _ZIP = Spec(_NAMES, bundle=True), Spec(_NAMES)
_COMMANDS = (
    "to-command",
    "use-compress-program",
    "rsh-command",
    "info-script",
    "new-volume-script",
    "unzip-command",
)


@FAMILY.judges("tar", "gtar", "bsdtar", "zip", "cpio", "star")
def archives(command: Command, context: Context) -> Iterator[Finding]:
    """Judge archivers that run a command at a checkpoint or as a filter."""
    options = parse(command, _ZIP if command.program == "zip" else _TAR)
    codes = [word.raw[5:] for word in options.values("checkpoint-action") if word.raw.startswith("exec=")]
    # In the other archivers `-I` names a file.
    names = ("I", *_COMMANDS) if command.program in {"tar", "gtar"} else _COMMANDS
    codes += [word.raw for word in options.values(*names)]
    if command.program == "zip":
        codes += [after.raw for word, after in itertools.pairwise(command.args) if word.raw == "-TT"]
    for code in codes:
        yield from runs(code, command, context)
