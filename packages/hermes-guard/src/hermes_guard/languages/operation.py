"""What a piece of code would do, as far as it can be told without running it."""

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
#: How an unknown part looks in shell code.
UNKNOWN_PART = "$unknown"


#: A shell that takes what it is given, and no code in a word.
SHELL_ALONE = re.compile(rf"(?:\S*/)?(?:{'|'.join(sorted(SHELLS))})(?!\S)(?! -c)")


class Deed(NamedTuple):
    """One thing that code would do."""

    kind: Kind
    what: str
    #: Shell code that does the same, to be judged like any other; of `sql` the statements.
    code: str = ""
    path: str = ""


TOO_LONG = Deed("unreadable", "it is too long to be read")


def runs(code: str | None, what: str) -> Deed:
    """Shell code that is run; unknown parts are holes."""
    if code is None or not code.replace(HOLE, "").strip():
        return Deed("spawn", f"{what} of a command that nobody knows before it runs")
    words = code.split()
    if words[0].rsplit("/", 1)[-1] in SHELLS and all(word.startswith("-") and "c" not in word for word in words[1:]):
        return Deed("spawn", f"{what} of a shell that takes whatever it is given")
    return Deed("shell", what, code.replace(HOLE, UNKNOWN_PART))


def starts(argv: Sequence[str | None], what: str) -> Deed:
    """A program that is started with these arguments; unknown ones are None."""
    if not argv or argv[0] is None or HOLE in argv[0]:
        return Deed("spawn", f"{what} of a program that nobody knows before it runs")
    return runs(" ".join(quoted(text) for text in argv), what)


def quoted(text: str | None) -> str:
    """A text as one word of shell code, with its unknown parts as variables."""
    if text is None:
        return f'"{UNKNOWN_PART}"'
    if HOLE not in text:
        return shlex.quote(text)
    return f'"{UNKNOWN_PART}"'.join(shlex.quote(piece) if piece else "" for piece in text.split(HOLE))


def deletes(path: str | None, what: str, *, recursive: bool = False, many: bool = False) -> list[Deed]:
    """A deletion: one named file is judged like rm, a folder or many files are asked about."""
    found: list[Deed] = []
    if path and path.strip(HOLE):
        found.append(Deed("shell", what, f"rm {'-rf ' if recursive else ''}-- {quoted(path)}"))
    if recursive or many:
        found.append(Deed("delete", f"{what} of {(path or 'unnamed files').replace(HOLE, '…')[:80]}"))
    return found


#: How a statement begins that can destroy something. What stands in its strings is told by the reader of SQL.
DESTRUCTIVE = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*(?:(?!\*/).)*\*/\s*)?"
    r"(?:drop|truncate|delete|update|alter|grant|revoke|begin|set|copy|with|do|create|shutdown|purge|call|exec|flush"
    r"\w*)\s+\S",
    re.IGNORECASE | re.DOTALL,
)
