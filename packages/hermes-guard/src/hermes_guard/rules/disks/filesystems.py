"""Judges tuning and repairing file systems in place."""

from collections.abc import Iterator

from hermes_guard.argv import Spec, parse
from hermes_guard.rules.common.argument_checks import (
    ANY,
    Check,
    findings,
    flag,
    letter,
    mentions,
    verb,
    words,
)
from hermes_guard.rules.disks.rules import DISK, FAMILY, HOLES
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_WRITES = ANY & ~letter("nN")
_REPAIRS = _WRITES & (letter("yafpD") | Check(lambda given: any(text.startswith("/dev/") for text in given.texts)))
_FILE_SYSTEMS: dict[str, Check] = {
    **dict.fromkeys(
        (
            "fsck",
            "e2fsck",
            "dosfsck",
            "fsck.vfat",
            "fsck.fat",
            "fsck.ext2",
            "fsck.ext3",
            "fsck.ext4",
            "fsck.xfs",
            "fsck.btrfs",
            "reiserfsck",
            "fsck_apfs",
            "fsck_hfs",
            "jfs_fsck",
            "fsck.f2fs",
            "fsck.exfat",
            "fsck_ffs",
            "fsck_ufs",
            "fsck_msdosfs",
            "fsck_exfat",
        ),
        _REPAIRS,
    ),
    **dict.fromkeys(("xfs_repair", "ntfsclone", "zerofree"), _WRITES),
    **dict.fromkeys(
        ("btrfstune", "btrfs-convert", "ntfswipe", "fsirand", "growfs", "resize.f2fs", "fatresize"), _WRITES
    ),
    **dict.fromkeys(("chkdsk", "chkdsk.exe"), mentions("/f /r /x /b /spotfix")),
    "badblocks": letter("w") & ~letter("nN"),
    "debugfs": letter("w"),
    "e2image": letter("I"),
    "fsadm": verb("resize check") & ~letter("n"),
    "restore": letter("rix"),
    "tunefs": ANY & ~letter("p"),
    "tune2fs": ANY & ~letter("l"),
    "xfs_db": letter("x"),
    "xfsrestore": words(1) & ~letter("tI") & ~flag("-h --help"),
}


@FAMILY.judges(*_FILE_SYSTEMS)
def filesystems(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about repairs without confirmation, and about changed settings of a file system."""
    yield from findings(DISK, command, _FILE_SYSTEMS)


_FALLOCATE = Spec(
    "c collapse-range d dig-holes i insert-range l= length= n keep-size o= offset= p punch-hole v verbose x posix w "
    "write-zeroes z zero-range help version V h"
)


@FAMILY.judges("fallocate")
def fallocate(command: Command, _: Context) -> Iterator[Finding]:
    """Allow allocating space, and ask about removing content."""
    options = parse(command, _FALLOCATE)
    if not options.helps and options.has(
        "p", "punch-hole", "c", "collapse-range", "z", "zero-range", "w", "write-zeroes"
    ):
        yield HOLES.found(command, path=" ".join(word.text for word in options.operands)[:100])
