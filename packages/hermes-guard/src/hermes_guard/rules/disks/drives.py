"""Judges drives and disk images: settings, firmware, attachment, and raw reads."""

from collections.abc import Iterator

from hermes_guard.name_sets import names
from hermes_guard.rules.common.argument_checks import (
    ANY,
    Arguments,
    Check,
    any_word,
    findings,
    flag,
    flag_starts,
    letter,
    verb,
    words,
)
from hermes_guard.rules.common.critical_paths import disk
from hermes_guard.rules.disks.rules import DISK, FAMILY, READ
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_DISKUTIL = names(
    "unmount unmountdisk umount eject rename erasedisk erasevolume partitiondisk mergepartitions resizevolume "
    "splitpartition secureerase zerodisk randomdisk reformat repairdisk repairvolume enableownership disableownership "
    "corestorage deletecontainer addpartition"
)


def _changes_by_diskutil(given: Arguments) -> bool:
    order = given.verb.lower()
    return order in _DISKUTIL or (
        order in {"apfs", "ap", "cs", "appleraid"}
        and any(text.lower().startswith(("delete", "erase", "resize", "create", "remove")) for text in given.words[1:])
    )


_DEVICES: dict[str, Check] = {
    **dict.fromkeys(
        ("sg_format", "sg_sanitize", "sg_write_same", "sg_unmap", "sg_reassign", "sg_write_buffer", "make-bcache"),
        words(1),
    ),
    # Restoring writes an image over a volume.
    "asr": (verb("restore server adjust") | flag("--erase -erase --target -target")) & ~verb("imagescan info help"),
    "blkzone": verb("reset open close finish"),
    "fsarchiver": verb("restfs restdir"),
    "mdconfig": letter("du"),
    "partimage": any_word("restore"),
    "udisksctl": verb("power-off loop-delete lock") | (verb("unmount") & flag("-f --force")),
    "blockdev": flag_starts("--set --flush"),
    "diskutil": Check(_changes_by_diskutil),
    "exportfs": letter("uraf") & ~letter("sv"),
    "fstrim": ANY & ~letter("n") & ~flag("--dry-run"),
    # Detaching is as ordinary as attaching.
    "hdiutil": verb("erasekeys resize burn compact") | (verb("detach eject unmount") & flag("-force")),
    "hdparm": letter("WSyYBMAPXZFfwJNpD")
    | flag_starts("--security --trim --write --make-bad --fwdownload --dco --yes --sanitize"),
    "losetup": letter("dD") | flag("--detach --detach-all"),
    "nbd-client": letter("d"),
    "nvme": verb(
        "format sanitize delete-ns create-ns detach-ns attach-ns fw-download fw-commit fw-activate reset "
        "subsystem-reset write write-zeroes dsm set-feature disconnect disconnect-all write-uncor"
    ),
    "qemu-img": (verb("snapshot") & letter("da")) | verb("commit rebase resize"),
    "qemu-nbd": letter("dc"),
    "tmutil": verb(
        "delete deletelocalsnapshots disable removedestination setdestination deleteinprogress thinlocalsnapshots"
    ),
}


@FAMILY.judges(*_DEVICES)
def devices(command: Command, _: Context) -> Iterator[Finding]:
    """Judge programs whose verbs or options distinguish listing from changing."""
    yield from findings(DISK, command, _DEVICES)


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
    """Ask about reading a raw disk, which bypasses all file permissions."""
    for word in command.args:
        target = word.tail(3) if word.raw.startswith("if=") else word
        if not word.raw.startswith("of=") and disk(target, memory=True):
            yield READ.found(command, path=target.text)
            return
