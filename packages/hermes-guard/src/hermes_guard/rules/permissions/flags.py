"""Flags of files that stand above their mode."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.permissions.rules import FAMILY, FLAGS
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
    """Whether a file can be changed, or only grow."""
    texts = [word.raw for word in command.args]
    if any(_CHATTR.match(text) and ("i" in text or "a" in text) for text in texts):
        yield FLAGS.found(command, path=texts[-1])


@FAMILY.judges("chflags")
def chflags(command: Command, _: Context) -> Iterator[Finding]:
    """The same on macOS and the BSDs."""
    texts = [word.raw for word in command.args]
    if any(name in _CHFLAGS for text in texts for name in text.split(",")):
        yield FLAGS.found(command, path=texts[-1])


@FAMILY.judges("xattr")
def xattr(command: Command, _: Context) -> Iterator[Finding]:
    """The mark of a file that came from the network, which lets it be checked."""
    options = parse(command, _XATTR)
    marks = any("quarantine" in word.raw or "provenance" in word.raw for word in options.operands)
    if options.has("c") or (options.has("d") and marks):
        yield FLAGS.found(command, path=command.args[-1].raw)
