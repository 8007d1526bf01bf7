"""Judges volumes: LVM, RAID, encryption, ZFS and btrfs."""

from collections.abc import Iterator

from hermes_guard.rules.common.argument_checks import (
    ANY,
    Arguments,
    Check,
    findings,
    flag,
    flag_like,
    letter,
    second,
    verb,
)
from hermes_guard.rules.disks.rules import DISK, FAMILY
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_LVM = (
    "lvremove vgremove pvremove lvreduce lvresize lvextend lvrename lvchange lvcreate lvconvert vgcreate vgextend "
    "vgreduce vgmerge vgsplit vgchange vgrename vgexport vgcfgrestore vgimportclone pvcreate pvresize pvmove"
)
_OTHERS = (
    "resize2fs growpart xfs_growfs dmraid multipath e2label swaplabel ntfsresize reiserfstune xfs_admin cfdisk cgdisk "
    "gparted partprobe kpartx quotaoff fatlabel partx addpart delpart resizepart integritysetup vdo ntfsfix gdisk"
)
_CHANGERS: dict[str, Check] = {
    # Their `-l`, `-n`, `-s` and `-P` are sizes, names and types.
    **dict.fromkeys(_LVM.split(), ANY & ~flag("--help -h --version -t --test")),
    **dict.fromkeys(
        _OTHERS.split(), ANY & ~flag("--help -h --version -V -t --test --show -l --list -n --dry-run -s -ll -P")
    ),
}


@FAMILY.judges(*_CHANGERS)
def changers(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about programs that always change something."""
    yield from findings(DISK, command, _CHANGERS, helps=False)


#: The nouns of btrfs, the commands of each that change something, and those that could be confused with them: every
#: unambiguous prefix is accepted.
_BTRFS: dict[str, tuple[str, str]] = {
    "balance": ("start", "status"),
    "check": ("", ""),
    "device": ("add delete remove replace", "ready"),
    "filesystem": ("resize", ""),
    "inspect-internal": ("", ""),
    "property": ("set", ""),
    "qgroup": ("destroy remove limit", "show"),
    "quota": ("disable enable", ""),
    "receive": ("", ""),
    "replace": ("start", "status"),
    "rescue": ("", ""),
    "restore": ("", ""),
    "scrub": ("", ""),
    "send": ("", ""),
    "subvolume": ("delete set-default", "show snapshot sync"),
}


def _changes_btrfs(given: Arguments) -> bool:
    nouns = [noun for noun in _BTRFS if given.verb and noun.startswith(given.verb)]
    if len(nouns) != 1:
        return False
    noun, order = nouns[0], given.words[1] if len(given.words) > 1 else ""
    if noun == "check":
        return "--repair" in given.flags or "--init-extent-tree" in given.flags
    if noun in {"rescue", "receive"}:
        return bool(order) and "--dump" not in given.flags
    if noun == "filesystem" and order in {"defragment", "label"}:
        return len(given.words) > 3
    changing, others = (names.split() for names in _BTRFS[noun])
    return (
        bool(order)
        and any(name.startswith(order) for name in changing)
        and not any(name.startswith(order) for name in others)
    )


_LUKS = verb(
    "luksFormat erase luksErase luksRemoveKey luksKillSlot luksAddKey luksChangeKey reencrypt close luksClose remove "
    "resize luksHeaderRestore convert open luksOpen create format config luksSuspend luksConvertKey"
)
_VOLUMES: dict[str, Check] = {
    **dict.fromkeys(("cryptsetup", "veritysetup"), _LUKS),
    "bcachefs": (verb("device") & second("remove offline evacuate set-state resize add"))
    | (verb("subvolume") & second("delete"))
    | verb("format unlock set-passphrase remove-passphrase reset-counters"),
    "btrfs": Check(_changes_btrfs),
    "dmsetup": verb(
        "remove remove_all wipe_table create suspend resume reload load clear rename message mknodes setgeometry"
    ),
    "lvm": verb(_LVM),
    "mdadm": flag_like(
        r"--(?:stop|zero-superblock|create|remove|fail|grow|manage|add|re-add|replace|kill|assemble|set-faulty)"
    )
    | (letter("SCGfra") & ~letter("DEQ")),
    "zfs": verb(
        "destroy rollback rename promote receive recv inherit set create clone unmount umount unload-key change-key "
        "upgrade release unallow"
    )
    & ~letter("n"),
    "zpool": verb(
        "destroy labelclear remove detach offline export replace clear upgrade split create add attach set import "
        "reguid trim initialize checkpoint"
    )
    & ~letter("n")
    # Without operands it lists what could be imported.
    & ~Check(lambda given: given.texts == ["import"]),
}


@FAMILY.judges(*_VOLUMES)
def volumes(command: Command, _: Context) -> Iterator[Finding]:
    """Judge programs whose verbs or options distinguish listing from changing."""
    yield from findings(DISK, command, _VOLUMES)
