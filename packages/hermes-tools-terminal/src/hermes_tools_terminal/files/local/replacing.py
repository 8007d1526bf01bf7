"""A file's new content takes the old one's place as a whole: written beside it, brought to the disk, renamed."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from hermes_files.atomic import temporary_name
from hermes_tools_terminal.files.local.attributes import copy_attributes, take_after
from hermes_tools_terminal.files.local.ground import Ground, settle
from hermes_tools_terminal.files.local.leftovers import Sweeper, hold
from hermes_tools_terminal.files.local.looking import check_unchanged, found_as
from hermes_tools_terminal.files.tree import Found
from hermes_tools_terminal.files.troubles import about, changed, refusal

if TYPE_CHECKING:
    from collections.abc import Callable

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_REPLACE = 1
_CANNOT = frozenset({errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.ENOTSUP, errno.EMLINK})
"""What the system says when a kernel or a file system does not know a way to give names."""


def replace(ground: Ground, sweeper: Sweeper, found: Found, data: bytes, mode: int | None) -> Found:
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
        raise refusal(found)
    folder_path, name = os.path.split(found.path)
    with ground.folder(folder_path, make=found.kind == "missing") as folder:
        with about(found.path):
            check_unchanged(found, folder, name)
            if found.kind == "file":
                _check_writable(folder, name)
        sweeper.sweep(folder)
        beside = temporary_name()
        with about(folder_path, text="no file can be made in it"):
            # What is made gets what the umask leaves; what replaces something is nobody else's until it has its mode.
            alone = found.kind == "file" or mode is not None
            handle = os.open(beside, _CREATE, 0o600 if alone else 0o666, dir_fd=folder)
        try:
            with about(found.path):
                hold(handle)
                _fill(handle, data)
                if found.kind == "file":
                    take_after(handle, found)
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
        settle(folder)
    return found_as(found.asked, found.path, seen)


def remove(ground: Ground, found: Found) -> None:
    """Remove a regular file.

    Raises:
        ChangedError: it is not what was found.
        OSError: the system refuses.
    """
    if found.kind != "file":
        raise refusal(found)
    folder_path, name = os.path.split(found.path)
    with ground.folder(folder_path) as folder:
        with about(found.path):
            check_unchanged(found, folder, name)
            os.unlink(name, dir_fd=folder)
        settle(folder)


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


def _put_anew(folder: int, beside: str, name: str, found: Found) -> None:
    """Give a file its name, but not one that somebody else has taken meanwhile."""
    number = _rename_anew()(folder, os.fsencode(beside), os.fsencode(name))
    if number in _CANNOT:
        number = _link_anew(folder, beside, name)
    if number == errno.EEXIST:
        raise changed(found.path, "was made by somebody else")
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
