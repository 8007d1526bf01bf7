"""Create and remove the private directory of a local script: its source, its socket and its work directory."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import tempfile
from functools import cache

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.process_records import Owner

NAMES = (SCRIPT, SOCKET) = ("script.py", "s")
"""The contents of the directory: the script, and the socket for its calls."""

WORK = "work"
"""The work directory of a script that runs in strict mode."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_EMPTY = "chmod -R u+rwx .; rm -rf ./* ./.[!.]* ./..?*"
_MAX_PATH = 60
"""Length limit of the directory's path: a socket path holds 108 bytes, and less on some systems."""


def create_script_dir() -> str:
    """Create a directory that only this user can access. Raise `TerminalEnvironmentError` if it cannot be created."""
    try:
        base = _base()
        folder = tempfile.mkdtemp(prefix=f"{Owner.this()}-" if base.endswith(_own_name()) else "hermes-", dir=base)
    except OSError as error:
        raise TerminalEnvironmentError(
            f"The script's directory cannot be created: {error}", hint="Free some space in /tmp."
        ) from error
    return os.path.realpath(folder)


def remove_script_dir(folder: str) -> None:
    """Remove a directory and everything in it, write-protected or not. Never raises.

    A script may have replaced it by a link, even in a sandbox: the target of a link is never touched.
    """
    try:
        handle = _opened(folder)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(folder)
        return
    try:
        for name in NAMES:  # usually the only contents
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=handle)
        with contextlib.suppress(OSError):
            os.rmdir(WORK, dir_fd=handle)
        if os.listdir(handle):
            _empty(handle, folder)
    except OSError:
        pass  # a disk that does not answer: the next process tries again
    finally:
        os.close(handle)
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def _opened(folder: str) -> int:
    """Open a directory, whatever its mode, without following a link."""
    if not hasattr(os, "O_PATH"):
        os.chmod(folder, 0o700, follow_symlinks=False)
        return os.open(folder, _FOLDER)
    handle = os.open(folder, _FOLDER | os.O_PATH)
    try:
        os.chmod(f"/proc/self/fd/{handle}", 0o700)
        return os.open(".", _FOLDER, dir_fd=handle)
    finally:
        os.close(handle)


def _empty(handle: int, folder: str) -> None:
    """Remove the contents of a directory with a C program, which handles any depth."""
    link = f"/proc/{os.getpid()}/fd/{handle}"
    argv = ["sh", "-c", _EMPTY]
    cwd = link if os.path.isdir(link) else folder
    subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603 - ours


def _base() -> str:
    """Return the parent of script directories: one per user, where leftovers of dead processes can be found."""
    above = tempfile.gettempdir()
    if len(os.fsencode(above)) > _MAX_PATH:
        above = "/tmp"  # noqa: S108 - the directory in it is private
    base = os.path.join(above, _own_name())
    with contextlib.suppress(FileExistsError):
        os.mkdir(base, 0o700)
    found = os.lstat(base)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        return above  # it belongs to another user
    if stat.S_IMODE(found.st_mode) != 0o700:
        os.chmod(base, 0o700)
    _clear_dead(base, os.getpid())
    return base


def _own_name() -> str:
    return f"hermes-{os.geteuid()}"


@cache
def _clear_dead(base: str, _process: int) -> None:
    """Remove what killed processes left behind, once per process."""
    with contextlib.suppress(OSError):
        for name in os.listdir(base):
            owner = Owner.named(name.rpartition("-")[0])
            if owner is not None and not owner.alive:
                remove_script_dir(os.path.join(base, name))
