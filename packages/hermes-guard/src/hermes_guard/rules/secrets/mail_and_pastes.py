"""Judges mails, pastes and gists."""

from collections.abc import Iterator
from itertools import pairwise

from hermes_guard.rules.family import Context
from hermes_guard.rules.secrets.rules import FAMILY, PUBLISH, UPLOAD
from hermes_guard.rules.secrets.sensitive_data import flowing_in, inside, kept_file
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

_MAILERS = "mail mailx s-nail mutt neomutt sendmail ssmtp msmtp sendemail swaks wall write logger slackcat notify"
_ATTACH = frozenset({"-a", "-A", "--attach", "--attachment", "--body", "-i", "-f"})


@FAMILY.judges(*_MAILERS.split())
def mail(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about mails with secrets."""
    words = command.args
    files = [after for word, after in pairwise(words) if word.raw in _ATTACH]
    files += [word.tail(word.raw.index("=") + 1) for word in words if word.raw.startswith(("--attach=", "--body=@"))]
    files += [word for word in words if word.raw.startswith("@")]
    if command.program == "slackcat":
        files += [word for word in words if not word.raw.startswith("-")]
    files = [word.tail(1) if word.raw.startswith("@") else word for word in files]
    found = kept_file(files, command, context) or flowing_in(command, context) or inside(words, context)
    if found:
        yield UPLOAD.found(command, path=found)


_PASTERS = ("gist", "pastebinit", "wgetpaste", "termbin", "pb", "transfer", "dpaste", "haste", "onionshare-cli", "ix")
_SENDERS = ("croc", "wormhole", "magic-wormhole", "ffsend")
_SHOWS = frozenset({"--help", "--version", "-h", "-l", "--list"})


@FAMILY.judges("gh", "glab", *_SENDERS, *_PASTERS)
def publishers(command: Command, context: Context) -> Iterator[Finding]:
    """Ask about pastes and gists with secrets."""
    words = _published(command)
    if words is None:
        return
    found = kept_file(words, command, context) or flowing_in(command, context)
    if found:
        yield UPLOAD.found(command, path=found)
    else:
        yield PUBLISH.found(command, path=" ".join(word.text for word in words)[:80] or "its input")


def _published(command: Command) -> list[Word] | None:
    """Return what is published, or None when nothing is."""
    words = [word for word in command.args if not word.raw.startswith("-")]
    order = [word.raw for word in words[:2]]
    if any(word.raw in _SHOWS for word in command.args):
        return None
    if command.program in {"gh", "glab"}:
        creates = order[:1] in (["gist"], ["snippet"]) and order[1:] in (["create"], ["edit"], ["new"])
        return words[2:] if creates else None
    if command.program in _SENDERS:
        return words[1:] if order[:1] in (["send"], ["upload"], ["tx"]) else None
    return None if command.program == "gist" and order[:1] in (["list"], ["read"]) else words
