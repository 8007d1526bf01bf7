"""Judges file attributes and access control lists."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.path_arguments import format_words
from hermes_guard.rules.family import Context
from hermes_guard.rules.permissions.rules import ACL, FAMILY, FLAGS
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_CHATTR = re.compile(r"[-+=][A-Za-z]+\Z")
_CHFLAGS = frozenset(
    f"{no}{flag}"
    for no in ("", "no")
    for flag in ("schg", "uchg", "sappnd", "uappnd", "restricted", "simmutable", "uimmutable")
)
_XATTR = Spec("c d w p l r s v x z h")


@FAMILY.judges("chattr")
def chattr(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about making a file immutable or append-only."""
    texts = [word.raw for word in command.args]
    if any(_CHATTR.match(text) and ("i" in text or "a" in text) for text in texts):
        yield FLAGS.found(command, path=texts[-1])


@FAMILY.judges("chflags")
def chflags(command: Command, _: Context) -> Iterator[Finding]:
    """Judge file flags on macOS and the BSDs."""
    texts = [word.raw for word in command.args]
    if any(name in _CHFLAGS for text in texts for name in text.split(",")):
        yield FLAGS.found(command, path=texts[-1])


@FAMILY.judges("xattr")
def xattr(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about removing the quarantine attribute of a downloaded file."""
    options = parse(command, _XATTR)
    marks = any("quarantine" in word.raw or "provenance" in word.raw for word in options.operands)
    if options.has("c") or (options.has("d") and marks):
        yield FLAGS.found(command, path=command.args[-1].raw)


_SETFACL = Spec(
    "m= x= M= X= b k d n R L P modify= remove= set= set-file= modify-file= remove-file= remove-all remove-default "
    "restore= test help version recursive default no-mask mask"
)
_CHANGES = ("/grant", "/deny", "/setowner", "/reset", "/remove", "/inheritance", "/restore")
_OLD_CHANGES = frozenset({"/g", "/e", "/p", "/d", "/r"})


@FAMILY.judges("setfacl")
def setfacl(command: Command, _: Context) -> Iterator[Finding]:
    """Judge ACLs on Linux; with `--test` they are only shown."""
    options = parse(command, _SETFACL)
    if options.given and not options.helps and not options.has("test"):
        yield ACL.found(command, path=format_words(options.operands) or "files")


@FAMILY.judges("icacls", "cacls", "takeown")
def icacls(command: Command, _: Context) -> Iterator[Finding]:
    """Judge ACLs on Windows, whose options begin with a slash."""
    texts = [word.raw.lower() for word in command.args]
    if command.program == "takeown" or any(
        text in _OLD_CHANGES or any(change in text for change in _CHANGES) for text in texts
    ):
        yield ACL.found(command, path=format_words(list(command.args[:1])))
