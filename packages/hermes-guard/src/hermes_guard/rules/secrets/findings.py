"""Converts the paths that a command reads into findings."""

import fnmatch
from collections.abc import Iterable, Iterator
from itertools import islice

from hermes_guard import lazy_re as re
from hermes_guard.rules.common.critical_paths import FOLDERS
from hermes_guard.rules.common.path_arguments import outside_path, places
from hermes_guard.rules.common.path_findings import BY_NAME, MANY, READ_IGNORED, judged
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.rules import READ
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

#: When the content is displayed, a project's environment files are secrets too.
SHOWN = READ_IGNORED - {"path.dotenv"}
#: A project's certificates, keys and histories are commonly moved.
MOVED = READ_IGNORED | {"path.private-key", "path.secret-file", "path.history"}

#: Files that configure a program are rarely secrets because of their name alone.
OBEYED = READ_IGNORED | BY_NAME | {"path.hermes-secret"}


#: Hidden names that a glob may match.
_HIDDEN_NAMES = (".env", ".env.local", ".netrc", ".pgpass")
_LETTER = re.compile(r"[A-Za-z]")
#: A process directory, including an unnamed process.
_PROCESS = re.compile(r"/proc/(?:\d+|self|thread-self|[^/]*[X*?\[\ue000][^/]*)\Z")


def unfolded(words: Iterable[Word], command: Command) -> list[Word]:
    """Return words, with the secrets of a project or process that a glob among them matches: `.e?v` matches `.env`."""
    found: list[Word] = []
    for word in words:
        found.append(word)
        folder, slash, name = word.raw.rpartition("/")
        if word.glob and _PROCESS.match(folder or command.cwd or "") and fnmatch.fnmatchcase("environ", name):
            found.append(Word(f"{folder or command.cwd}/environ", word.source, word.span))
        if not (word.glob and name[:1] in {".", "["} and _LETTER.search(name) and len(name) < 64):
            continue
        hits = [hidden for hidden in _HIDDEN_NAMES if fnmatch.fnmatchcase(hidden, name)]
        found += [Word(folder + slash + hidden, word.source, word.span) for hidden in hits]
    return found


def reads(
    words: Iterable[Word], command: Command, context: Context, *, ignore: frozenset[str] = READ_IGNORED
) -> Iterator[Finding]:
    """Report the first of these files that is a secret."""
    named = unfolded(words, command)
    if len(named) > MANY:
        yield READ.found(command, path=f"{len(named)} files", why="there are too many to check")
    for word in named[:MANY]:
        for path, finding in judged("read", word, command, context, ignore=ignore):
            yield READ.found(command, path=path, why=finding.reason[:1].lower() + finding.reason[1:].rstrip("."))
            return


def holding_keys(
    words: Iterable[Word], command: Command, context: Context, *, hidden: bool = True
) -> Iterator[Finding]:
    """Report the first of these directories that contains the agent's home, for programs that read all of it."""
    for word in islice(words, MANY):
        for path, _ in places(word, command, context):
            found = outside_path(path, command)
            if found and found[0] == "/" and context.paths.holds_agent(found, home=context.home, hidden=hidden):
                yield READ.found(command, path=found, why="the agent's own keys and logins are in it")
                return


def secret(words: Iterable[Word], command: Command, context: Context, *, ignore: frozenset[str] = SHOWN) -> str:
    """Return the path of the first of these files that is a secret, or an empty string."""
    for word in unfolded(words, command):
        for path, _ in judged("read", word, command, context, ignore=ignore):
            return path
    return ""


def is_top(word: Word, command: Command, context: Context) -> bool:
    """Return True when a word names the home or a critical directory."""
    path = command.path(word)
    return path is not None and (path == context.home or path in FOLDERS)
