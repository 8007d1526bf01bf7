"""Files that a command reads, looked at one by one."""

from collections.abc import Iterable, Iterator

from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.table import READ
from hermes_guard.rules.vital import FOLDERS
from hermes_guard.rules.writes import BY_NAME, MANY, READ_IGNORED, judged
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

#: Where somebody sees the content, environments of projects are secrets, too.
SHOWN = READ_IGNORED - {"path.dotenv"}
#: Certificates, keys and histories of a project are moved about all day.
MOVED = READ_IGNORED | {"path.private-key", "path.secret-file", "path.history"}

#: Files that a program obeys are seldom secrets because of their name alone.
OBEYED = READ_IGNORED | BY_NAME | {"path.hermes-secret"}


def reads(
    words: Iterable[Word], command: Command, context: Context, *, ignore: frozenset[str] = READ_IGNORED
) -> Iterator[Finding]:
    """A finding for the first of these files that is a secret."""
    named = list(words)
    if len(named) > MANY:
        yield READ.found(command, path=f"{len(named)} files", why="there are more of them than can be looked at")
    for word in named[:MANY]:
        for path, finding in judged("read", word, command, context, ignore=ignore):
            yield READ.found(command, path=path, why=finding.reason[:1].lower() + finding.reason[1:].rstrip("."))
            return


def secret(words: Iterable[Word], command: Command, context: Context, *, ignore: frozenset[str] = SHOWN) -> str:
    """The path of the first of these files that is a secret, or an empty text."""
    for word in words:
        for path, _ in judged("read", word, command, context, ignore=ignore):
            return path
    return ""


def is_top(word: Word, command: Command, context: Context) -> bool:
    """True when a word names the home or a vital folder."""
    path = command.path(word)
    return path is not None and (path == context.home or path in FOLDERS)
