"""How far a change of rights reaches: whole folders, and files that the machine relies on."""

from collections.abc import Iterator

from hermes_guard.rules.common.critical_paths import folder
from hermes_guard.rules.common.path_findings import MANY, SETTLED, path_rules
from hermes_guard.rules.family import Context
from hermes_guard.rules.permissions.rules import BROAD
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

#: Places of the machine; folders of services are not among them.
PLACES = SETTLED | path_rules("raw-disk kernel-memory device control-socket proc-write sys-write")
_NEAR = ("/tmp", "/var/tmp", "/home", "/Users", "/private/tmp", "/workspace", "/workspaces", "/app")  # noqa: S108 - compared only


def wide(operands: list[Word], command: Command, context: Context) -> str:
    """The first folder of a recursive change that is vital or far away."""
    for word in operands:
        path = folder(word, command, context) or _far(word, command, context)
        if path:
            return path
    return ""


def _far(word: Word, command: Command, context: Context) -> str:
    """A folder outside of the home, of temporary places and of where the work is done."""
    path = command.path(word)
    if path is None or not path.startswith("/") or command.contained:
        return ""
    near = [context.home, *_NEAR]
    if command.cwd and command.cwd.startswith("/"):
        near.append(command.cwd)
    return "" if any(path == place or path.startswith(place.rstrip("/") + "/") for place in near) else path


def crowded(operands: list[Word], command: Command) -> Iterator[Finding]:
    """A change of more files than are looked at one by one."""
    if len(operands) > MANY:
        yield BROAD.found(command, path=f"{len(operands)} files")
