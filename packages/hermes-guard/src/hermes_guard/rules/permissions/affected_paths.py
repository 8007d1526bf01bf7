"""Determines which paths a permission change affects: whole directories, and files that the machine relies on."""

from collections.abc import Iterator

from hermes_guard.rules.common.critical_paths import folder
from hermes_guard.rules.common.path_findings import MANY, SETTLED, path_rules
from hermes_guard.rules.family import Context
from hermes_guard.rules.permissions.rules import BROAD
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

#: System directories, without those of services.
PLACES = SETTLED | path_rules("raw-disk kernel-memory device control-socket proc-write sys-write")
_NEAR = ("/tmp", "/var/tmp", "/home", "/Users", "/private/tmp", "/workspace", "/workspaces", "/app")  # noqa: S108 - compared only


def wide(operands: list[Word], command: Command, context: Context) -> str:
    """Return the first directory of a recursive change that is critical or outside of the working area."""
    for word in operands:
        path = folder(word, command, context) or _far(word, command, context)
        if path:
            return path
    return ""


def _far(word: Word, command: Command, context: Context) -> str:
    """Return a path outside the home, the workspace and temporary directories; empty for any other."""
    path = command.path(word)
    if path is None or not path.startswith("/") or command.contained:
        return ""
    near = [context.home, *_NEAR]
    if command.cwd and command.cwd.startswith("/"):
        near.append(command.cwd)
    return "" if any(path == place or path.startswith(place.rstrip("/") + "/") for place in near) else path


def crowded(operands: list[Word], command: Command) -> Iterator[Finding]:
    """Yield True when a change affects more files than are checked one by one."""
    if len(operands) > MANY:
        yield BROAD.found(command, path=f"{len(operands)} files")
