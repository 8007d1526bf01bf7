"""Disks and memory that are read past every file and permission."""

from collections.abc import Iterator

from hermes_guard.rules.disks.rules import FAMILY, READ
from hermes_guard.rules.family import Context
from hermes_guard.rules.vital import disk
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding


@FAMILY.judges(
    "dd",
    "ddrescue",
    "dcfldd",
    "dc3dd",
    "partclone.ext4",
    "ntfsclone",
    "pv",
    "dump",
    "xxd",
    "hexdump",
    "hd",
    "od",
    "strings",
    "testdisk",
    "photorec",
    "foremost",
    "extundelete",
    "fsarchiver",
    "partimage",
)
def raw_reads(command: Command, _: Context) -> Iterator[Finding]:
    """A raw disk holds every file of everybody."""
    for word in command.args:
        target = word.tail(3) if word.raw.startswith("if=") else word
        if not word.raw.startswith("of=") and disk(target, memory=True):
            yield READ.found(command, path=target.text)
            return
