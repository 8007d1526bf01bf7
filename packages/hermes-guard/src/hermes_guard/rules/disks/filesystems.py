"""File systems that are tuned or repaired in place."""

from collections.abc import Iterator

from hermes_guard.rules.disks.rules import DISK, FAMILY
from hermes_guard.rules.family import Context
from hermes_guard.rules.machine_verbs import ANY, Check, findings, letter
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
        ),
        _REPAIRS,
    ),
    **dict.fromkeys(("xfs_repair", "ntfsclone", "zerofree"), _WRITES),
    "badblocks": letter("w") & ~letter("nN"),
    "debugfs": letter("w"),
    "tune2fs": ANY & ~letter("l"),
    "xfs_db": letter("x"),
}


@FAMILY.judges(*_FILE_SYSTEMS)
def filesystems(command: Command, _: Context) -> Iterator[Finding]:
    """Repairs that write without asking, and settings of a file system."""
    yield from findings(DISK, command, _FILE_SYSTEMS)
