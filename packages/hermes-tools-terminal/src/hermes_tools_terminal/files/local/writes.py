"""Replace and remove local files atomically, and keep their owner, permissions and attributes."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import threading
import time
from collections import OrderedDict
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from hermes_files.atomic import remove_leftovers, temporary_name
from hermes_tools_terminal.files.filesystem import FileInfo, changed_error, errors_about, not_regular_error
from hermes_tools_terminal.files.local.confined_open import AllowedRoots, sync_folder
from hermes_tools_terminal.files.local.file_info import check_unchanged, file_info

if TYPE_CHECKING:
    from collections.abc import Callable

_NOT_KEPT = frozenset({"security.capability", "security.ima", "security.evm"})
"""Rights that were given to the old content, and seals of it."""


def copy_owner_and_mode(handle: int, model: FileInfo) -> None:
    """Give a file what another one has.

    Somebody who may not give files away keeps what he makes. A group that is not the same gets no rights then but those
    that everybody has: the others were meant for another one.

    Args:
        handle: The new file.
        model: The old one.

    Raises:
        OSError: the permissions cannot be set.
    """
    mode = model.mode
    owner_kept, group_kept = _give(handle, model.owner, model.group)
    if not group_kept:
        mode &= ~(stat.S_ISGID | stat.S_IRWXG) | (mode & stat.S_IRWXO) << 3
    if not owner_kept:
        mode &= ~stat.S_ISUID
    os.fchmod(handle, mode)


def copy_attributes(handle: int, folder: int, name: str) -> None:
    """Give a file what is attached to another one, such as lists of rights, as far as that can be read and set.

    Args:
        handle: The new file.
        folder: The folder of the old one.
        name: Its name there.
    """
    if not hasattr(os, "listxattr"):
        return
    try:
        model = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return  # it may be written, but not read
    try:
        with suppress(OSError):  # the file system has none
            for each in os.listxattr(model):
                if each not in _NOT_KEPT:
                    _copy_attribute(handle, model, each)
    finally:
        os.close(model)


def _copy_attribute(handle: int, model: int, name: str) -> None:
    with suppress(OSError):  # not ours to set
        os.setxattr(handle, name, os.getxattr(model, name))


def _give(handle: int, owner: int, group: int) -> tuple[bool, bool]:
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (owner, group):
        for wish in ((owner, group), (-1, group)):
            with suppress(OSError):  # only root can give files away, and to a group only its members
                os.fchown(handle, *wish)
                break
        now = os.fstat(handle)
    return now.st_uid == owner, now.st_gid == group


_SHARE = 50
"""Looking through a folder takes at most one part of so many of our time, however many files are in it."""

_MOST_FOLDERS = 256
"""Of how many folders it is remembered when they were looked through."""


def hold(handle: int) -> None:
    """Show that a waiting file is being written; this ends with the process that does."""
    with suppress(OSError):  # a file system without locks
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Sweeper:
    """Removes what dead processes have left in folders."""

    def __init__(self) -> None:
        self._next: OrderedDict[tuple[int, int], float] = OrderedDict()
        self._lock = threading.Lock()

    def sweep(self, folder: int) -> None:
        """Remove what dead processes have left in a folder, unless it was looked through a moment ago. Never fails.

        Args:
            folder: Its handle, of whatever kind.
        """
        seen = os.fstat(folder)
        key, now = (seen.st_dev, seen.st_ino), time.monotonic()
        with self._lock:
            if now < self._next.get(key, 0.0):
                return
        remove_leftovers(folder)
        with self._lock:
            after = time.monotonic()
            self._next[key] = after + (after - now) * _SHARE
            self._next.move_to_end(key)
            if len(self._next) > _MOST_FOLDERS:
                self._next.popitem(last=False)


_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_REPLACE = 1
_CANNOT = frozenset({errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.ENOTSUP, errno.EMLINK})
"""What the system says when a kernel or a file system does not know a way to give names."""


def replace(allowed_roots: AllowedRoots, sweeper: Sweeper, found: FileInfo, data: bytes, mode: int | None) -> FileInfo:
    """Give a file new content, or make one with it.

    Args:
        ground: Where files may be.
        sweeper: Who removes what was left behind.
        found: A regular file, or what is missing.
        data: The content.
        mode: The permissions of a file that is made.

    Raises:
        ChangedError: it is not what was found.
        OSError: the system refuses; the old content is intact then.
    """
    if found.kind not in ("file", "missing"):
        raise not_regular_error(found)
    folder_path, name = os.path.split(found.path)
    with allowed_roots.folder(folder_path, make=found.kind == "missing") as folder:
        with errors_about(found.path):
            check_unchanged(found, folder, name)
            if found.kind == "file":
                _check_writable(folder, name)
        sweeper.sweep(folder)
        beside = temporary_name()
        with errors_about(folder_path, text="no file can be made in it"):
            # What is made gets what the umask leaves; what replaces something is nobody else's until it has its mode.
            alone = found.kind == "file" or mode is not None
            handle = os.open(beside, _CREATE, 0o600 if alone else 0o666, dir_fd=folder)
        try:
            with errors_about(found.path):
                hold(handle)
                _fill(handle, data)
                if found.kind == "file":
                    copy_owner_and_mode(handle, found)
                    copy_attributes(handle, folder, name)
                elif mode is not None:
                    os.fchmod(handle, mode)
                os.fsync(handle)
                check_unchanged(found, folder, name)
                if found.kind == "file":
                    os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
                else:
                    _put_anew(folder, beside, name, found)
            seen = os.fstat(handle)
        except BaseException:
            with suppress(OSError):
                os.unlink(beside, dir_fd=folder)
            raise
        finally:
            os.close(handle)
        sync_folder(folder)
    return file_info(found.asked, found.path, seen)


def remove(allowed_roots: AllowedRoots, found: FileInfo) -> None:
    """Remove a regular file.

    Raises:
        ChangedError: it is not what was found.
        OSError: the system refuses.
    """
    if found.kind != "file":
        raise not_regular_error(found)
    folder_path, name = os.path.split(found.path)
    with allowed_roots.folder(folder_path) as folder:
        with errors_about(found.path):
            check_unchanged(found, folder, name)
            os.unlink(name, dir_fd=folder)
        sync_folder(folder)


def _check_writable(folder: int, name: str) -> None:
    """A file that may not be written into is not replaced, either, though its folder would allow that."""
    effective = (os.getuid(), os.getgid()) != (os.geteuid(), os.getegid()) and os.access in os.supports_effective_ids
    if os.access(name, os.W_OK, dir_fd=folder, effective_ids=effective):
        return
    # The system's own word on it; it may be yes after all.
    os.close(os.open(name, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder))


def _fill(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def _put_anew(folder: int, beside: str, name: str, found: FileInfo) -> None:
    """Give a file its name, but not one that somebody else has taken meanwhile."""
    number = _rename_anew()(folder, os.fsencode(beside), os.fsencode(name))
    if number in _CANNOT:
        number = _link_anew(folder, beside, name)
    if number == errno.EEXIST:
        raise changed_error(found.path, "was made by somebody else")
    if number:
        raise OSError(number, os.strerror(number))


def _link_anew(folder: int, beside: str, name: str) -> int:
    try:
        follow = os.link not in os.supports_follow_symlinks
        os.link(beside, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=follow)
    except FileExistsError:
        return errno.EEXIST
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
        # A file system without second names: it was looked at a moment ago, and those who lock come one by one.
        os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
        return 0
    os.unlink(beside, dir_fd=folder)
    return 0


@cache
def _rename_anew() -> Callable[[int, bytes, bytes], int]:
    """Renames within a folder unless the new name is taken; the number of an error, or 0."""
    import ctypes

    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return lambda _folder, _beside, _name: errno.ENOSYS
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)

    def rename(folder: int, beside: bytes, name: bytes) -> int:
        return ctypes.get_errno() if call(folder, beside, folder, name, _NO_REPLACE) else 0

    return rename
