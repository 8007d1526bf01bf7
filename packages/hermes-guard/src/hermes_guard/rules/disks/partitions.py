"""Judges partition tables."""

from collections.abc import Iterator

from hermes_guard.argv import Spec
from hermes_guard.rules.common.argument_checks import (
    ALWAYS,
    ANY,
    Check,
    any_word,
    findings,
    flag,
    letter,
    option,
    verb,
    verb_starts,
    words,
)
from hermes_guard.rules.disks.rules import DISK, FAMILY
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_FDISK = Spec(
    "b= B protect-boot c? compatibility? L? color? l list x list-details n noauto-pt o= output= t= type= u? units? "
    "s getsz bytes w= wipe= W= wipe-partitions= C= cylinders= H= heads= S= sectors= lock? h help V version"
)
_SGDISK = Spec(
    "a= A= b= B= c= C= d= D e E f= F= g G h= i= I j= k= l= L m= M n= N= o O p P r= R= s S= t= T= u= U= v V x= z Z "
    "set-alignment= attributes= backup= change-name= recompute-chs= delete= display-alignment move-second-header "
    "end-of-largest first-in-largest first-aligned-in-largest mbrtogpt randomize-guids gpttombr= hybrid= info= "
    "align-end adjust-main-table= move-backup-table= load-backup= list-types move-main-table= new= largest-new= clear "
    "print-mbr print pretend transpose= replicate= sort resize-table= typecode= transform-bsd= partition-guid= "
    "disk-guid= verify version zap zap-all"
)
#: A disk without options opens the editor.
_OPENED = words(1) & ~words(2) & verb_starts("/dev/") & ~flag("-l --list -m")
_WIPEFS = Spec("a b? f i J n o= O= p q t= all backup? force no-act offset= output= types= quiet help version")
_TABLES: dict[str, Check] = {
    **dict.fromkeys(("bsdlabel", "disklabel"), letter("eEwRBA") & ~letter("n")),
    **dict.fromkeys(("install-mbr", "ms-sys", "pdisk"), words(1)),
    # It reads commands from a file or its input.
    **dict.fromkeys(("diskpart", "diskpart.exe"), ALWAYS),
    "fdisk": words(1) & ~option(_FDISK, "l list x list-details s getsz"),
    "gpart": verb("add bootcode commit create delete destroy modify recover resize restore set unset undo"),
    "gpt": verb("add create destroy remove recover restore resize migrate label biosboot type set unset"),
    "parted": any_word("rm mklabel mktable mkpart resizepart set name toggle rescue disk_set mkfs") | _OPENED,
    "sfdisk": ANY & ~flag("-d --dump -l --list -J --json -F -V --verify -n --no-act -s -T -g"),
    "sgdisk": option(
        _SGDISK,
        "d n o t s u U c g G h l A m r R S T z Z e N delete new clear typecode sort partition-guid disk-guid "
        "change-name mbrtogpt randomize-guids hybrid load-backup attributes gpttombr transpose replicate resize-table "
        "transform-bsd zap zap-all move-second-header largest-new",
    ),
    "wipefs": option(_WIPEFS, "a all o offset") & ~option(_WIPEFS, "n no-act"),
}


@FAMILY.judges(*_TABLES)
def partitions(command: Command, _: Context) -> Iterator[Finding]:
    """Judge editors whose verbs or options distinguish listing from changing."""
    yield from findings(DISK, command, _TABLES)
