"""What a sandbox on this machine shows, hides and lets be written, whatever builds it."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.sandbox.secret_paths import (
    find_secret_paths,
    is_within,
    needed_paths,
    other_homes,
)

if TYPE_CHECKING:
    from hermes_tools_terminal.settings import TerminalSettings

# Folders that are too much for one project: who can write there decides what the machine runs.
_TOO_MUCH = frozenset(
    """
    / /bin /boot /dev /etc /home /lib /lib32 /lib64 /mnt /media /opt /proc /root /run /sbin /srv /sys /tmp /usr /usr/bin
    /usr/lib /usr/local /usr/local/bin /usr/sbin /var /var/lib /var/tmp /var/run /Users
    """.split()  # noqa: SIM905 - words are easier to read
)
_OWN = ("/tmp", "/var/tmp", "/run", "/dev", "/proc")  # noqa: S108 - not used
"""Folders that are the sandbox's own, so that what this machine has there is out of sight anyway."""


@dataclass(frozen=True, slots=True)
class SandboxPolicy:
    """What a sandbox is to be.

    Attributes:
        workspace: Where commands work, and can write.
        writable: Further folders that they can write.
        hidden: What they cannot see.
        shown: What they can read although it lies in something hidden.
        scratch: A folder of this machine that is theirs: `/tmp` where it can be put there, and `$TMPDIR`.
        network: Whether they reach the network.
    """

    workspace: str
    writable: tuple[str, ...]
    hidden: frozenset[str]
    shown: tuple[str, ...]
    scratch: str
    network: bool

    @property
    def opened(self) -> tuple[str, ...]:
        """All that can be written but the scratch folder."""
        return (self.workspace, *self.writable)

    def sees(self, path: str) -> bool:
        """Whether a folder of this machine can be looked at from inside."""
        return not _covered(os.path.realpath(path), {*self.hidden, *_OWN}, {*self.opened, *self.shown})


def build_policy(settings: TerminalSettings, *, folder: str, home: str, scratch: str) -> SandboxPolicy:
    """What the settings ask for.

    Args:
        settings: The section `terminal`.
        folder: The workspace.
        home: `$HERMES_HOME`.
        scratch: The scratch folder.

    Raises:
        TerminalEnvironmentError: a folder that is to be writable is not there, or is too much.
    """
    homes = _homes()
    home = os.path.realpath(home)
    workspace = _writable(folder, homes, home, "The workspace")
    writable = tuple(
        _writable(os.path.expanduser(path), homes, home, "A folder in terminal.sandbox.writable")
        for path in settings.sandbox.writable
    )
    opened = (workspace, *writable)
    homes |= {owner for path in opened if (owner := _home_around(path))}
    kept = os.path.realpath(os.path.expanduser(settings.sandbox_dir)) if settings.sandbox_dir else home
    asked = [home, kept, *other_homes([*homes, *opened]), *settings.sandbox.hidden]
    found = find_secret_paths(homes, hidden=[*asked, *_sockets(opened)])
    inside = (*needed_paths(home), sys.prefix, sys.base_prefix, *_outside_run())
    shown = {os.path.realpath(path) for path in inside if os.path.exists(path)}
    shown = {path for path in shown if is_within(path, found) or is_within(path, _OWN)} - found
    # What a sandbox has of its own covers what is there, but for the folders that are put back into it.
    masks, holes = {*found, *_OWN}, {*opened, *shown}
    hidden = {path for path in found - set(opened) if not _covered(os.path.dirname(path), masks, holes)}
    return SandboxPolicy(
        workspace=workspace,
        writable=writable,
        hidden=frozenset(hidden),
        shown=tuple(sorted(shown)),
        scratch=scratch,
        network=settings.sandbox.network,
    )


def _covered(path: str, masks: Set[str], holes: Set[str]) -> bool:
    """Whether a path is out of sight: what decides is the nearest mask above it, or hole in one."""
    while path not in holes:
        if path in masks:
            return True
        if path == "/":
            return False
        path = os.path.dirname(path)
    return False


def _homes() -> set[str]:
    import pwd

    homes = {os.path.realpath(os.path.expanduser("~"))}
    try:
        homes.add(os.path.realpath(pwd.getpwuid(os.geteuid()).pw_dir))
    except KeyError:
        pass  # a number without a name, as in containers
    return homes - {"/"}


def _home_around(path: str) -> str:
    """The home that a project lies in, when it is somebody's."""
    parts = path.split("/")
    return "/root" if parts[1] == "root" else "/".join(parts[:3]) if parts[1] == "home" and len(parts) > 3 else ""


def _writable(path: str, homes: set[str], hermes: str, what: str) -> str:
    real = os.path.realpath(path)
    if not os.path.isdir(real):
        raise TerminalEnvironmentError(
            f"{what} is not there: {path}.", hint="Make it, or set terminal.cwd to another folder."
        )
    if real in _TOO_MUCH or any(is_within(held, (real,)) for held in (*homes, hermes)):
        raise TerminalEnvironmentError(
            f"{what} would open too much of this machine to a sandbox: {path}.",
            hint="Start in a project's folder, or set terminal.cwd to one.",
        )
    return real


def _sockets(opened: tuple[str, ...]) -> Iterator[str]:
    """Sockets that programs listen at: a mount that is read-only does not keep anybody from talking to them."""
    try:
        with open("/proc/net/unix", encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()[1:]
    except OSError:
        return
    for line in lines:
        path = line.split(maxsplit=7)[-1]
        if path.startswith("/") and not is_within(path, _OWN) and not is_within(os.path.realpath(path), opened):
            try:
                if stat.S_ISSOCK(os.lstat(path).st_mode):
                    yield path
            except OSError:
                continue  # it is not there any more


def _outside_run() -> Iterator[str]:
    """What the system itself keeps in a folder that is hidden for the sockets in it."""
    yield from ("/run/current-system", "/run/booted-system", "/run/opengl-driver")
    resolver = os.path.realpath("/etc/resolv.conf")
    if resolver.startswith("/run/"):
        yield resolver
