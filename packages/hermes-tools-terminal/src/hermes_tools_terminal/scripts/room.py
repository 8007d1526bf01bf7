"""A private folder for one script on this machine: its text, its socket, and where it works when it works alone."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from functools import cache

from hermes_tools_terminal.environments.base import PlaceError
from hermes_tools_terminal.environments.ledger import Owner

NAMES = (SCRIPT, SOCKET) = ("script.py", "s")
"""What a room holds: the script's text, and the socket for its calls."""

_CLEAR = 'chmod -R u+rwx "$1"; rm -rf "$1"'
_MOST_PATH = 60
"""How long the folder's own path may be: a socket's has room for 108 bytes, and less on some systems."""


def new_room() -> str:
    """A new folder that only this user can look into.

    Raises:
        PlaceError: there is no room.
    """
    try:
        base = _base()
        folder = tempfile.mkdtemp(prefix=f"{Owner.this()}-" if base.endswith(_own_name()) else "hermes-", dir=base)
    except OSError as error:
        raise PlaceError(f"There is no room for a script: {error}", hint="Free some space in /tmp.") from error
    return os.path.realpath(folder)


def clear(folder: str) -> None:
    """Remove a folder with all that a script left in it, write-protected or not. Never raises."""
    for name in NAMES:  # mostly there is nothing else
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(folder, name))
    try:
        os.rmdir(folder)
    except OSError:
        _clear_all(folder)


def _clear_all(folder: str) -> None:
    try:
        for path, _, _ in os.walk(folder):
            with contextlib.suppress(OSError):
                os.chmod(path, 0o700)
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:  # folders in folders, thousands deep: programs in C can
        with contextlib.suppress(OSError):
            argv = ["sh", "-c", _CLEAR, "sh", folder]
            subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603 - ours


def _base() -> str:
    """Where rooms are: one folder of this user, where those of dead processes can be found."""
    above = tempfile.gettempdir()
    if len(os.fsencode(above)) > _MOST_PATH:
        above = "/tmp"  # noqa: S108 - what is made there is private
    base = os.path.join(above, _own_name())
    with contextlib.suppress(FileExistsError):
        os.mkdir(base, 0o700)
    found = os.lstat(base)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        return above  # somebody else's: everybody can write there
    if stat.S_IMODE(found.st_mode) != 0o700:
        os.chmod(base, 0o700)
    _clear_dead(base, os.getpid())
    return base


def _own_name() -> str:
    return f"hermes-{os.geteuid()}"


@cache
def _clear_dead(base: str, _process: int) -> None:
    """Once in each process: remove what killed ones have left behind."""
    with contextlib.suppress(OSError):
        for name in os.listdir(base):
            owner = Owner.named(name.rpartition("-")[0])
            if owner is not None and not owner.alive:
                clear(os.path.join(base, name))
