"""Describes what a piece of code would do, as far as that is known without running it."""

import shlex
from collections.abc import Sequence
from typing import Literal, NamedTuple

from hermes_guard import lazy_re as re
from hermes_guard.shell.shell_code import SHELLS
from hermes_guard.shell.word import HOLE

Kind = Literal[
    "shell",
    "spawn",
    "delete",
    "write",
    "move",
    "read",
    "eval",
    "remote",
    "reverse",
    "bomb",
    "permission",
    "kill",
    "native",
    "send",
    "sql",
    "unreadable",
]
#: The placeholder for an unknown part of shell code.
UNKNOWN_PART = "$unknown"


#: A shell that reads code from its input instead of an argument.
SHELL_ALONE = re.compile(rf"(?:\S*/)?(?:{'|'.join(sorted(SHELLS))})(?!\S)(?! -c)")


class Operation(NamedTuple):
    """One thing that code would do."""

    kind: Kind
    what: str
    #: Equivalent shell code, to be judged like any other; SQL statements for `sql`.
    code: str = ""
    path: str = ""


TOO_LONG = Operation("unreadable", "it is too long to be read")


def runs(code: str | None, what: str) -> Operation:
    """Return the operation for shell code that is run; unknown parts are holes."""
    if code is None or not code.replace(HOLE, "").strip():
        return Operation("spawn", f"{what} of a command that is unknown until it runs")
    words = code.split()
    if words[0].rsplit("/", 1)[-1] in SHELLS and all(word.startswith("-") and "c" not in word for word in words[1:]):
        return Operation("spawn", f"{what} of a shell that runs its input")
    return Operation("shell", what, code.replace(HOLE, UNKNOWN_PART))


def starts(argv: Sequence[str | None], what: str) -> Operation:
    """Return a program that is started with these arguments; None for unknown ones."""
    if not argv or argv[0] is None or HOLE in argv[0]:
        return Operation("spawn", f"{what} of a program that is unknown until it runs")
    return runs(" ".join(quoted(text) for text in argv), what)


def quoted(text: str | None) -> str:
    """Return a text as one word of shell code, with variables for unknown parts."""
    if text is None:
        return f'"{UNKNOWN_PART}"'
    if HOLE not in text:
        return shlex.quote(text)
    return f'"{UNKNOWN_PART}"'.join(shlex.quote(piece) if piece else "" for piece in text.split(HOLE))


def deletes(path: str | None, what: str, *, recursive: bool = False, many: bool = False) -> list[Operation]:
    """Return a deletion: one named file is judged like rm; a directory or several files need approval."""
    found: list[Operation] = []
    if path and path.strip(HOLE):
        found.append(Operation("shell", what, f"rm {'-rf ' if recursive else ''}-- {quoted(path)}"))
    if recursive or many:
        found.append(Operation("delete", f"{what} of {(path or 'unnamed files').replace(HOLE, '…')[:80]}"))
    return found


#: The beginning of a statement that can destroy data. The SQL reader judges the strings in it.
DESTRUCTIVE = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*(?:(?!\*/).)*\*/\s*)?"
    r"(?:drop|truncate|delete|update|alter|grant|revoke|begin|set|copy|with|do|create|shutdown|purge|call|exec|flush"
    r"\w*)\s+\S",
    re.IGNORECASE | re.DOTALL,
)
