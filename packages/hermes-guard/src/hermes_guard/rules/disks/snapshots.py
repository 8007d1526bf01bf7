"""Judges snapshots and shadow copies, from which a system can be restored."""

from collections.abc import Iterator

from hermes_guard.argv import Spec
from hermes_guard.rules.common.argument_checks import (
    Check,
    findings,
    flag,
    flag_starts,
    mentions,
    subcommand,
    verb,
)
from hermes_guard.rules.disks.rules import FAMILY, SNAPSHOT
from hermes_guard.rules.family import Context
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_SNAPPER = Spec(
    "c= config= r= root= t= table-style= q quiet v verbose s separator= utc iso abbreviate no-headers csvout jsonout "
    "no-dbus ambit= help version",
    posix=True,
)
_SNAPSHOTS: dict[str, Check] = {
    **dict.fromkeys(("vssadmin", "vssadmin.exe"), mentions("delete resize")),
    **dict.fromkeys(("wbadmin", "wbadmin.exe"), mentions("delete disable recovery systemstaterecovery sysrecovery")),
    "btrbk": verb("clean prune") & ~flag("-n --dry-run"),
    "sanoid": flag_starts("--prune-snapshots --force-prune --cron") & ~flag("--readonly"),
    "snapper": subcommand(
        _SNAPPER, "delete remove rm undochange rollback cleanup modify delete-config set-config setup-quota"
    ),
    "timeshift": flag_starts("--delete --restore"),
    "yabsnap": verb("delete rollback rollback-gen batch-delete"),
    "zfs-auto-snapshot": flag_starts("--destroy-only") & ~flag("-n --dry-run"),
    "zfs-prune-snapshots": ~flag("-n -h --help --version"),
    "zfSnap": verb("destroy"),
}


@FAMILY.judges(*_SNAPSHOTS)
def snapshots(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about snapshots that are deleted or restored over the current state."""
    yield from findings(SNAPSHOT, command, _SNAPSHOTS)
