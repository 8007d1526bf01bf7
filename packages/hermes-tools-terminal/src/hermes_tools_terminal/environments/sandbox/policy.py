"""What a sandbox on this machine shows, hides and makes writable, for all engines."""

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

# Directories that contain more than a project: write access to them means control over the machine.
_TOO_BROAD = frozenset(
    """
    / /bin /boot /dev /etc /home /lib /lib32 /lib64 /mnt /media /opt /proc /root /run /sbin /srv /sys /tmp /usr /usr/bin
    /usr/lib /usr/local /usr/local/bin /usr/sbin /var /var/lib /var/tmp /var/run /Users
    """.split()  # noqa: SIM905 - words are easier to read
)
_REPLACED = ("/tmp", "/var/tmp", "/run", "/dev", "/proc")  # noqa: S108 - not used
"""Directories that the sandbox replaces by its own."""


@dataclass(frozen=True, slots=True)
class SandboxPolicy:
    """What a sandbox shows, hides and makes writable.

    Attributes:
        workspace: The writable directory in which commands work.
        writable: Further writable directories.
        hidden: Hidden paths.
        shown: Readable paths within hidden ones.
        scratch: A writable directory of this machine: `$TMPDIR`, mounted at `/tmp` where possible.
        network: Whether the network is reachable.
    """

    workspace: str
    writable: tuple[str, ...]
    hidden: frozenset[str]
    shown: tuple[str, ...]
    scratch: str
    network: bool

    @property
    def opened(self) -> tuple[str, ...]:
        """Return everything writable except the scratch directory."""
        return (self.workspace, *self.writable)

    def sees(self, path: str) -> bool:
        """Return whether a directory of this machine is visible inside."""
        return not _covered(os.path.realpath(path), {*self.hidden, *_REPLACED}, {*self.opened, *self.shown})


def build_policy(settings: TerminalSettings, *, folder: str, home: str, scratch: str) -> SandboxPolicy:
    """Return the policy for the settings.

    Raises:
        TerminalEnvironmentError: a writable directory does not exist, or contains too much.
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
    storage = os.path.realpath(os.path.expanduser(settings.sandbox_dir)) if settings.sandbox_dir else home
    asked = [home, storage, *other_homes([*homes, *opened]), *settings.sandbox.hidden]
    found = find_secret_paths(homes, hidden=[*asked, *_sockets(opened)])
    inside = (*needed_paths(home), sys.prefix, sys.base_prefix, *_outside_run())
    shown = {os.path.realpath(path) for path in inside if os.path.exists(path)}
    shown = {path for path in shown if is_within(path, found) or is_within(path, _REPLACED)} - found
    # The sandbox's own directories cover everything in them, except what is mounted back.
    masks, holes = {*found, *_REPLACED}, {*opened, *shown}
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
    """Return whether a path is hidden, which the nearest mask or exception above it decides."""
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
    """Return the home that contains a project, if any."""
    parts = path.split("/")
    return "/root" if parts[1] == "root" else "/".join(parts[:3]) if parts[1] == "home" and len(parts) > 3 else ""


def _writable(path: str, homes: set[str], hermes: str, what: str) -> str:
    real = os.path.realpath(path)
    if not os.path.isdir(real):
        raise TerminalEnvironmentError(
            f"{what} does not exist: {path}.", hint="Create it, or set terminal.cwd to another directory."
        )
    if real in _TOO_BROAD or any(is_within(held, (real,)) for held in (*homes, hermes)):
        raise TerminalEnvironmentError(
            f"{what} would expose too much of this machine to a sandbox: {path}.",
            hint="Start in a project directory, or set terminal.cwd to one.",
        )
    return real


def _sockets(opened: tuple[str, ...]) -> Iterator[str]:
    """Yield sockets that programs listen on: they accept connections through read-only mounts, too."""
    try:
        with open("/proc/net/unix", encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()[1:]
    except OSError:
        return
    for line in lines:
        path = line.split(maxsplit=7)[-1]
        if path.startswith("/") and not is_within(path, _REPLACED) and not is_within(os.path.realpath(path), opened):
            try:
                if stat.S_ISSOCK(os.lstat(path).st_mode):
                    yield path
            except OSError:
                continue  # it is gone


def _outside_run() -> Iterator[str]:
    """Yield the files of the system in a directory that is hidden because of its sockets."""
    yield from ("/run/current-system", "/run/booted-system", "/run/opengl-driver")
    resolver = os.path.realpath("/etc/resolv.conf")
    if resolver.startswith("/run/"):
        yield resolver
