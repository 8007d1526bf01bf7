"""Secrets that git puts into a history, prints, or reads outside of a repository."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.reading import reads, secret
from hermes_guard.rules.secrets.table import FAMILY, PRINT, UPLOAD
from hermes_guard.rules.writes_options import GIT
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_ADD = Spec("f A n v i p u N e force all dry-run verbose patch update intent-to-add pathspec-from-file=")


@FAMILY.judges("git")
def git(command: Command, context: Context) -> Iterator[Finding]:
    """Secrets that are put into a history, and credentials that git prints."""
    options = parse(command, GIT)
    name = options.subcommand()
    words = options.operands[1:]
    texts = [word.raw for word in words]
    if name == "add":
        added = parse_words(words, _ADD)
        if not added.has("n", "dry-run") and (found := secret(added.operands, command, context)):
            yield UPLOAD.found(command, path=found)
    elif name == "hash-object" or (name in {"diff", "grep"} and "--no-index" in texts):
        files = [word for word in words if not word.raw.startswith("-")]
        yield from reads(files[1:] if name == "grep" else files, command, context)
    elif (name == "credential" and texts[:1] == ["fill"]) or (name.startswith("credential-") and "get" in texts):
        yield PRINT.found(command, path="git credentials")
