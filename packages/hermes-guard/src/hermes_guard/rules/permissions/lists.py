"""Access control lists."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.permissions.rules import ACL, FAMILY
from hermes_guard.rules.vital import shown
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_SETFACL = Spec(
    "m= x= M= X= b k d n R L P modify= remove= set= set-file= modify-file= remove-file= remove-all remove-default "
    "restore= test help version recursive default no-mask mask"
)
_CHANGES = ("/grant", "/deny", "/setowner", "/reset", "/remove", "/inheritance", "/restore")
_OLD_CHANGES = frozenset({"/g", "/e", "/p", "/d", "/r"})


@FAMILY.judges("setfacl")
def setfacl(command: Command, _: Context) -> Iterator[Finding]:
    """Lists of Linux; with `--test` it only shows them."""
    options = parse(command, _SETFACL)
    if options.given and not options.helps and not options.has("test"):
        yield ACL.found(command, path=shown(options.operands) or "files")


@FAMILY.judges("icacls", "cacls", "takeown")
def icacls(command: Command, _: Context) -> Iterator[Finding]:
    """Lists of Windows, whose options follow a slash."""
    texts = [word.raw.lower() for word in command.args]
    if command.program == "takeown" or any(
        text in _OLD_CHANGES or any(change in text for change in _CHANGES) for text in texts
    ):
        yield ACL.found(command, path=shown(list(command.args[:1])))
