"""Judges disk arrays: controllers, storage networks, and the volume layers of the BSDs and Windows."""

from collections.abc import Iterator

from hermes_guard.rules.common.argument_checks import (
    ANY,
    Arguments,
    Check,
    any_word,
    findings,
    flag,
    flag_like,
    flag_starts,
    letter,
    mentions,
    second,
    verb,
    words,
)
from hermes_guard.rules.disks.rules import DISK, FAMILY
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_MEGACLI = flag_like(
    r"(?i)-(?:cfg(?:clr|lddel|ldadd|eachdsk|allfreedrv|foreign|spanadd|restore)|ldinit|ldsetprop|pdoffline|pdonline|"
    r"pdmarkmissing|pdreplacemissing|pdclear|pdmakegood|pdmakejbod|pdprprmv|pdhsp|adpfwflash|adpfacdefset|adpsetprop|"
    r"secure\w*)\Z"
)
_STORCLI = mentions(
    "del delete add set start stop erase format init initialization download flash reset restore import"
)
_ARRAYS = mentions("delete del create modify erase remove add uninit format task setstate clear flash reenable")
_GEOM = verb(
    "destroy clear stop remove deactivate kill delete detach label create forget init setkey delkey restore resize "
    "configure suspend dump"
)


def _unlabelled(given: Arguments) -> bool:
    """Return True when an iSCSI node is logged out of or deleted."""
    texts = given.texts
    return any(text == "delete" and texts[at] in {"-o", "--op"} for at, text in enumerate(texts[1:]))


_CONTROLLERS: dict[str, Check] = {
    **dict.fromkeys(("megacli", "MegaCli", "MegaCli64", "megacli64"), _MEGACLI),
    **dict.fromkeys(("storcli", "storcli64", "storcli2", "perccli", "perccli64"), _STORCLI & ~mentions("show")),
    **dict.fromkeys(("ssacli", "hpssacli", "hpacucli", "arcconf", "tw_cli", "sas2ircu", "sas3ircu"), _ARRAYS),
    **dict.fromkeys(("gmirror", "gstripe", "gconcat", "graid", "graid3", "gjournal", "geli", "gvinum"), _GEOM),
    **dict.fromkeys(("ceph-volume", "ceph-disk"), any_word("zap prepare create batch migrate destroy")),
    **dict.fromkeys(
        ("manage-bde", "manage-bde.exe"), mentions("-off -lock -forcerecovery -wipefreespace -delete -changekey")
    ),
    **dict.fromkeys(("mountvol", "mountvol.exe"), mentions("/d /p /r")),
    **dict.fromkeys(
        ("fsutil", "fsutil.exe"),
        mentions("deletejournal setzerodata createjournal enlargerange") | (verb("dirty") & mentions("set")),
    ),
    **dict.fromkeys(
        ("cipher", "cipher.exe"),
        Check(lambda given: any(text.lower()[:2] in {"/w", "/e", "/d"} for text in given.texts)),
    ),
    "bioctl": letter("cdRPO"),
    "ccdconfig": letter("uUC"),
    "iscsiadm": flag("-u --logout --logoutall -U") | flag_starts("--logoutall=") | Check(_unlabelled),
    "mpathconf": ANY,
    "stratis": second("destroy remove rename init-cache add-cache unbind stop rename-pool"),
    "targetcli": any_word("delete clearconfig restoreconfig create set") & words(1),
}


@FAMILY.judges(*_CONTROLLERS)
def controllers(command: Command, _: Context) -> Iterator[Finding]:
    """Judge controllers whose words distinguish listing from changing."""
    yield from findings(DISK, command, _CONTROLLERS)
