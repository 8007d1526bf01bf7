"""Judges programs that may write to the agent's home because it is one of their arguments."""

from collections.abc import Iterator
from itertools import pairwise

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.rules.common.path_findings import MANY, path_rules
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.file_arguments import READERS
from hermes_guard.rules.unknown_programs import SENDERS
from hermes_guard.rules.writes.findings import report_writes
from hermes_guard.rules.writes.rules import FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

#: Programs whose arguments are only read, or that other rules judge.
_OTHERS = names(SENDERS) | names(
    "hermes source . find gfind bfs fd fdfind rsync scp ln link tee dd rm unlink shred chmod chown chgrp mount"
)
_PATH = re.compile(r"[./]")
#: Those of them that also write an argument in a way that no other rule judges.
_WRITE_TOO = names(
    "7z 7za ar apk aspell code codespell dpkg htmlq mlr pygmentize qrencode rar recode shfmt sqlite3 star tomlq trash "
    "tree tsc view vimdiff xmllint xq xsv zstd"
)
#: Scripts read spilled results, and git reads the lock; other rules judge writing to it.
_READ = re.compile(r"/results/|/hermes\.lock\Z")


@FAMILY.judges("*")
def programs(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about every other program: options and operands that name an output have no common form."""
    if command.program not in _WRITE_TOO and (command.program in READERS or command.program in _OTHERS):
        return
    args = [word for before, word in pairwise(command.argv[: MANY + 1]) if before.raw != "-C"]  # only where it runs
    words = [word.tail(word.raw.find("=") + 1) if word.raw[:1] == "-" else word for word in args]
    # A project may have a directory with the name of the home.
    named = [
        word
        for word in words
        if _PATH.search(word.raw) and (path := command.path(word)) and not _READ.search(path)
        if context.paths.may_name_agent(f"{path}/x", home=context.home)
    ]
    yield from report_writes(named, command, context, only=path_rules("hermes-config"))
