"""Judges directory mirroring, and delete commands for remote file servers."""

from collections.abc import Iterator
from itertools import pairwise

from hermes_guard import lazy_re as re
from hermes_guard.argv import parse
from hermes_guard.rules.common.file_tool_options import RSYNC, RSYNC_DELETES
from hermes_guard.rules.deletes.removal import named
from hermes_guard.rules.deletes.rules import BULK, FAMILY, MIRROR, RECURSIVE
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_ORDERS = re.compile(r"[;&|\n]")
_REMOTE = ("smbclient", "ftp", "ncftp", "tnftp", "pftp")
_REMOVES = frozenset({"rm", "del", "mdelete", "mdel", "delete"})


@FAMILY.judges("rsync")
def rsync(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a mirror that deletes."""
    options = parse(command, RSYNC)
    if options.has("n", "dry-run", "list-only") or options.helps:
        return
    if options.has(*RSYNC_DELETES):
        yield MIRROR.found(command, path=options.operands[-1].text if options.operands else "")


@FAMILY.judges("robocopy", "robocopy.exe")
def robocopy(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about mirroring on Windows; with `/l` it only lists."""
    texts = {word.raw.lower() for word in command.args}
    if texts & {"/mir", "/purge", "/move", "/mov"} and "/l" not in texts:
        yield MIRROR.found(command, path=named(list(command.args[:2])))


@FAMILY.judges("lftp")
def lftp(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about deletes on the other machine."""
    for text in _orders(command):
        if any(_lftp_deletes(order.split()) for order in _ORDERS.split(text)):
            yield RECURSIVE.found(command, path=text[:80])
            return


def _orders(command: Command) -> list[str]:
    """Return the strings that may hold commands: arguments, and the input."""
    read = command.stdin.text if command.stdin is not None else None
    return [*(word.raw for word in command.args), *([read] if read else [])]


def _lftp_deletes(words: list[str]) -> bool:
    return (
        any(word == "rm" and re.match(r"-\w*r", after) for word, after in pairwise(words))
        or "mrm" in words[:-1]
        or ("mirror" in words and any(word == "-e" or word.startswith("--delete") for word in words))
    )


@FAMILY.judges(*_REMOTE)
def remote_orders(command: Command, _: Context) -> Iterator[Finding]:
    """Judge clients of file servers: whole directories, and patterns."""
    for text in _orders(command):
        for order in _ORDERS.split(text):
            words = order.split()
            if words[:1] == ["deltree"] and len(words) > 1:
                yield RECURSIVE.found(command, path=order.strip()[:80])
                return
            if words and words[0] in _REMOVES and (words[0] == "mdelete" or any("*" in word for word in words[1:])):
                yield BULK.found(command, path=order.strip()[:80])
                return
