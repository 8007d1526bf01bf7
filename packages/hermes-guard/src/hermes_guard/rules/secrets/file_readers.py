"""Judges programs that print or copy files."""

from collections.abc import Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.rules.common.path_arguments import piped_names, renamed, searched
from hermes_guard.rules.common.path_findings import MANY, READ_IGNORED
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.displayed_files import shows
from hermes_guard.rules.secrets.file_arguments import COPIERS, GREPS, READERS, files
from hermes_guard.rules.secrets.findings import MOVED, SHOWN, holding_keys, reads
from hermes_guard.rules.secrets.rules import FAMILY, READ
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

#: Where containers find their mounted secrets.
_GIVEN = re.compile(r"/(?:var/)?run/secrets/")


@FAMILY.judges(*sorted(READERS))
def readers(command: Command, context: Context) -> Iterator[Finding]:
    """Judge programs that print or copy files."""
    if len(command.argv) == 2 and command.argv[1].raw in {"--help", "--version"}:
        return
    words = files(command)
    if command.wrapped_by("xargs", "gxargs", "parallel"):
        words = [*words, *piped_names(command)]
    if command.program in COPIERS:
        yield from reads(words, command, context, ignore=MOVED)
    else:
        yield from _read(words, command, context)
    if command.elsewhere and (found := next((word.raw for word in words[:MANY] if _GIVEN.match(word.raw)), "")):
        yield READ.found(command, path=found, why="a secret that a container was given")


#: Options that make a program read directories.
_DEEP = {
    **dict.fromkeys(GREPS, re.compile(r"-[A-Za-z]*[rR]|--(?:dereference-)?recursive|--directories=recurse|recurse\Z")),
    **dict.fromkeys(("cp", "gcp", "rsync"), re.compile(r"-[A-Za-z]*[raR]|--(?:archive|recursive)")),
    **dict.fromkeys(("zip", "diff"), re.compile(r"-[A-Za-z0-9]*[rR]|--recur")),
}
#: Programs that always read directories; the first of them leave hidden ones out.
_SKIP_HIDDEN = frozenset({"rg", "ag", "ack", "ack-grep"})
_ALWAYS_DEEP = _SKIP_HIDDEN | {"rgrep", "ditto", "tar", "gtar", "bsdtar", "star", "7z", "7za", "rar"}
_HIDDEN = re.compile(r"-[A-Za-z]*u|--(?:hidden|unrestricted)|-\.")


@FAMILY.judges(*sorted(READERS), "rsync")
def whole_directories(command: Command, context: Context) -> Iterator[Finding]:
    """Judge programs that read everything in a directory."""
    program = command.program or ""
    pattern = _DEEP.get(program)
    if program in _ALWAYS_DEEP or (pattern and any(pattern.match(word.raw) for word in command.args)):
        words = files(command)
        if not words and program in GREPS and command.stdin is None:
            words = [renamed(".", command.argv[0])]
        hidden = program not in _SKIP_HIDDEN or any(_HIDDEN.match(word.raw) for word in command.args)
        yield from holding_keys(words[:-1] if program == "rsync" else words, command, context, hidden=hidden)
    elif command.wrappers or command.stdin is not None:
        yield from holding_keys(searched(command), command, context)


def _read(words: Sequence[Word], command: Command, context: Context) -> Iterator[Finding]:
    """Report files that are always secret, and a project's settings if they are displayed."""
    found = list(reads(words, command, context, ignore=SHOWN))
    # Whether the content is displayed is checked last, because few files are secrets.
    if found and not shows(command, context):
        found = list(reads(words, command, context, ignore=READ_IGNORED))
    yield from found


@FAMILY.judges(">")
def inputs(command: Command, context: Context) -> Iterator[Finding]:
    """Judge files that a redirection passes to any program."""
    words = [found.target for found in command.redirects if found.operator == "<" and not found.target.process]
    yield from _read(words, command, context)
