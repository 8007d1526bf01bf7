"""Judges broad searches for keys and passwords."""

from collections.abc import Iterator
from itertools import pairwise, takewhile

from hermes_guard import lazy_re as re
from hermes_guard.argv import parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.file_arguments import GREP
from hermes_guard.rules.secrets.findings import is_top, secret
from hermes_guard.rules.secrets.rules import FAMILY, SEARCH
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_WANTED = re.compile(
    r"PRIVATE.KEY|BEGIN (?:RSA|OPENSSH|EC|DSA|PGP)|AKIA|passw|secret|api.?key|token|credential", re.IGNORECASE
)


@FAMILY.judges("find", "gfind", "bfs")
def find(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about searching for keys by name, from the root or the home."""
    names = [after.raw for word, after in pairwise(command.args) if word.raw in {"-name", "-iname"}]
    starts = takewhile(lambda word: word.raw[:1] not in {"-", "(", "!"}, command.args)
    if names and any(is_top(word, command, context) for word in starts):
        yield from _secret_names(names, command, context)


@FAMILY.judges("locate", "mlocate", "plocate", "mdfind", "fd", "fdfind")
def locate(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about searching for keys by name in an index of all files."""
    if command.program not in {"fd", "fdfind"} or any(is_top(word, command, context) for word in command.args[1:]):
        yield from _secret_names([word.raw for word in command.args if not word.raw.startswith("-")], command, context)


def _secret_names(names: list[str], command: Command, context: Context) -> Iterator[Finding]:
    for name in names[:8]:
        if name.startswith(".*"):
            continue  # hidden files of any name
        text = name.strip("*") if name.startswith("*") and not name.startswith("*.") else name
        if text and secret([Word(text, text, command.span)], command, context):
            yield SEARCH.found(command, path=name)
            return


@FAMILY.judges("grep", "egrep", "rg", "ag", "ack", "ugrep", "rgrep")
def greps(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about searching for secrets by content, from the root or the home."""
    options = parse(command, GREP)
    if command.program in {"grep", "egrep", "ugrep"} and not options.has("r", "R", "recursive", "d"):
        return
    given = options.values("e", "regexp")
    patterns, files = (given, options.operands) if given else (options.operands[:1], options.operands[1:])
    if any(_WANTED.search(word.raw) for word in patterns) and any(is_top(word, command, context) for word in files):
        yield SEARCH.found(command, path=" ".join(word.text for word in patterns)[:80])
