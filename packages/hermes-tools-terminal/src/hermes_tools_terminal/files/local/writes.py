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
"""Capabilities and signatures, which were given to the old content."""


def copy_owner_and_mode(handle: int, model: FileInfo) -> None:
    """Give a new file the owner and mode of another.

    Without permission to change the owner or group, set-id bits are dropped and the group gets the rights of others.

    Raises:
        OSError: The mode cannot be set.
    """
    mode = model.mode
    owner_kept, group_kept = _change_owner(handle, model.owner, model.group)
    if not group_kept:
        mode &= ~(stat.S_ISGID | stat.S_IRWXG) | (mode & stat.S_IRWXO) << 3
    if not owner_kept:
        mode &= ~stat.S_ISUID
    os.fchmod(handle, mode)


def copy_attributes(handle: int, folder: int, name: str) -> None:
    """Copy extended attributes such as access control lists, as far as possible."""
    if not hasattr(os, "listxattr"):
        return
    try:
        model = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return  # writable but not readable
    try:
        with suppress(OSError):  # a filesystem without attributes
            for each in os.listxattr(model):
                if each not in _NOT_KEPT:
                    _copy_attribute(handle, model, each)
    finally:
        os.close(model)


def _copy_attribute(handle: int, model: int, name: str) -> None:
    with suppress(OSError):  # not permitted
        os.setxattr(handle, name, os.getxattr(model, name))


def _change_owner(handle: int, owner: int, group: int) -> tuple[bool, bool]:
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (owner, group):
        for ids in ((owner, group), (-1, group)):
            with suppress(OSError):  # only root may change the owner, and only members the group
                os.fchown(handle, *ids)
                break
        now = os.fstat(handle)
    return now.st_uid == owner, now.st_gid == group


_SHARE = 50
"""Cleaning a directory may take one part in so many of our time, however many files it holds."""

_MAX_FOLDERS = 256
"""For how many directories the time of the last cleaning is remembered."""


def lock_temporary(handle: int) -> None:
    """Lock a temporary file while it is written; the lock ends with the process."""
    with suppress(OSError):  # a filesystem without locks
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Sweeper:
    """Removes temporary files that killed processes left behind."""

    def __init__(self) -> None:
        self._next: OrderedDict[tuple[int, int], float] = OrderedDict()
        self._lock = threading.Lock()

    def sweep(self, folder: int) -> None:
        """Remove temporary files in a directory unless that was done recently. Never raises."""
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
            if len(self._next) > _MAX_FOLDERS:
                self._next.popitem(last=False)


_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_REPLACE = 1
_CANNOT = frozenset({errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.ENOTSUP, errno.EMLINK})
"""Error numbers of kernels and filesystems without the operation."""


def replace(allowed_roots: AllowedRoots, sweeper: Sweeper, found: FileInfo, data: bytes, mode: int | None) -> FileInfo:
    """Replace or create a file atomically: write a temporary file beside it, flush it and rename it.

    Raises:
        ChangedError: The file has changed.
        OSError: It failed; the old content is intact.
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
        temporary = temporary_name()
        with errors_about(folder_path, text="no file can be created in it"):
            # The umask applies to a new file; a replacement stays private until it has its final mode.
            is_private = found.kind == "file" or mode is not None
            handle = os.open(temporary, _CREATE, 0o600 if is_private else 0o666, dir_fd=folder)
        try:
            with errors_about(found.path):
                lock_temporary(handle)
                _write_all(handle, data)
                if found.kind == "file":
                    copy_owner_and_mode(handle, found)
                    copy_attributes(handle, folder, name)
                elif mode is not None:
                    os.fchmod(handle, mode)
                os.fsync(handle)
                check_unchanged(found, folder, name)
                if found.kind == "file":
                    os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
                else:
                    _rename_new(folder, temporary, name, found)
            seen = os.fstat(handle)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise
        finally:
            os.close(handle)
        sync_folder(folder)
    return file_info(found.asked, found.path, seen)


def remove(allowed_roots: AllowedRoots, found: FileInfo) -> None:
    """Remove a regular file. Raise `ChangedError` if the file has changed."""
    if found.kind != "file":
        raise not_regular_error(found)
    folder_path, name = os.path.split(found.path)
    with allowed_roots.folder(folder_path) as folder:
        with errors_about(found.path):
            check_unchanged(found, folder, name)
            os.unlink(name, dir_fd=folder)
        sync_folder(folder)


def _check_writable(folder: int, name: str) -> None:
    """Refuse to replace a read-only file, even though its directory would allow it."""
    effective = (os.getuid(), os.getgid()) != (os.geteuid(), os.getegid()) and os.access in os.supports_effective_ids
    if os.access(name, os.W_OK, dir_fd=folder, effective_ids=effective):
        return
    # Let the system decide: this may succeed nevertheless.
    os.close(os.open(name, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder))


def _write_all(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def _rename_new(folder: int, temporary: str, name: str, found: FileInfo) -> None:
    """Rename a new file without overwriting one that was created in the meantime."""
    number = _rename_exclusively()(folder, os.fsencode(temporary), os.fsencode(name))
    if number in _CANNOT:
        number = _link_new(folder, temporary, name)
    if number == errno.EEXIST:
        raise changed_error(found.path, "was created")
    if number:
        raise OSError(number, os.strerror(number))


def _link_new(folder: int, temporary: str, name: str) -> int:
    try:
        follow = os.link not in os.supports_follow_symlinks
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=follow)
    except FileExistsError:
        return errno.EEXIST
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
        # A filesystem without hard links: the name was just checked, and lock holders take turns.
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        return 0
    os.unlink(temporary, dir_fd=folder)
    return 0


@cache
def _rename_exclusively() -> Callable[[int, bytes, bytes], int]:
    """Return a function that renames within a directory unless the target exists; it returns an error number or 0."""
    import ctypes

    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return lambda _folder, _beside, _name: errno.ENOSYS
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)

    def rename(folder: int, temporary: bytes, name: bytes) -> int:
        return ctypes.get_errno() if call(folder, temporary, folder, name, _NO_REPLACE) else 0

    return rename
