"""Programs that print or copy what they are given."""

import re
from collections.abc import Iterator

from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.files import COPIERS, READERS, files
from hermes_guard.rules.secrets.reading import MOVED, SHOWN, reads
from hermes_guard.rules.secrets.table import FAMILY, READ
from hermes_guard.rules.writes import MANY, READ_IGNORED, piped_names
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

#: Where containers find the secrets that they are given.
_GIVEN = re.compile(r"/(?:var/)?run/secrets/")
_PRINTERS = frozenset(
    [
        *("cat", "tac", "nl", "head", "tail", "less", "more", "most", "bat", "batcat", "ccat", "strings", "xxd", "od"),
        *("hexdump", "hd", "base64", "base32", "rev", "fold", "view", "pygmentize", "pbcopy", "xclip", "wl-copy"),
        *("sort", "uniq", "column", "paste", "expand"),
    ]
)


@FAMILY.judges(*sorted(READERS))
def readers(command: Command, context: Context) -> Iterator[Finding]:
    """Programs that print or copy what they are given."""
    if len(command.argv) == 2 and command.argv[1].raw in {"--help", "--version"}:
        return
    words = files(command)
    if command.wrapped_by("xargs", "gxargs", "parallel"):
        words = [*words, *piped_names(command)]
    ignore = READ_IGNORED
    if command.program in COPIERS:
        ignore = MOVED
    elif command.program in _PRINTERS and _shown(command):
        ignore = SHOWN
    yield from reads(words, command, context, ignore=ignore)
    if command.elsewhere and (found := next((word.raw for word in words[:MANY] if _GIVEN.match(word.raw)), "")):
        yield READ.found(command, path=found, why="a secret that a container was given")


def _shown(command: Command) -> bool:
    """Whether somebody sees what it prints: a copy of a file and what xargs is given stay here."""
    if any(redirect.writes and redirect.fd != 2 for redirect in command.redirects):
        return False
    return not any(reader.program in {"xargs", "tee", "wc"} for reader in command.feeds)


@FAMILY.judges(">")
def inputs(command: Command, context: Context) -> Iterator[Finding]:
    """Files that a redirection hands to any program."""
    words = [found.target for found in command.redirects if found.operator == "<" and not found.target.process]
    seen = command.program in _PRINTERS and _shown(command)
    yield from reads(words, command, context, ignore=SHOWN if seen else READ_IGNORED)
