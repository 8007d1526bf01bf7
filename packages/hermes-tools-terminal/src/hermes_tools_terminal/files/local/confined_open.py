"""Open local files below the allowed roots, without following symbolic links."""

from __future__ import annotations

import errno
import os
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache

from hermes_tools_terminal.files.filesystem import errors_about, is_beneath, os_error

Opener = Callable[[int, str, int], int]
"""Opens a path below an open directory: takes the directory, the path and flags, returns a close-on-exec handle."""

STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""Flags for directories on the way; `O_PATH` needs only the permission to pass through."""

_OPENAT2 = 437
_NO_MAGIC_LINKS, _NO_LINKS, _BENEATH = 0x02, 0x04, 0x08
_KERNEL_TRIES = 16
"""How often the kernel is asked again while directories are moved."""


def open_without_links(folder: int, path: str, flags: int) -> int:
    """Open a path without following links, in the best way that this system supports.

    Args:
        folder: The directory to start at.
        path: A relative path without `..`; `.` is the directory itself.
        flags: As for `os.open`; nothing is created.

    Raises:
        OSError: ELOOP or ENOTDIR if the path contains a link.
    """
    return (open_with_openat2 if has_openat2() else open_stepwise)(folder, path, flags)


def open_with_openat2(folder: int, path: str, flags: int) -> int:
    """Open a path with `openat2`, or step by step if system calls are filtered."""
    name = os.fsencode(path)
    for _ in range(_KERNEL_TRIES):
        handle = _openat2()(folder, name, flags | os.O_NOFOLLOW | os.O_CLOEXEC)
        if handle >= 0:
            return handle
        if -handle not in (errno.EINTR, errno.EAGAIN):
            break
    if -handle in (errno.ENOSYS, errno.EPERM, errno.EAGAIN):
        return open_stepwise(folder, path, flags)
    raise OSError(-handle, os.strerror(-handle), path)


def open_stepwise(folder: int, path: str, flags: int) -> int:
    """Open a path directory by directory without following links."""
    *steps, last = path.split("/")
    if ".." in (*steps, last):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
    current = folder
    try:
        for name in steps:
            inner = os.open(name, STEP, dir_fd=current)
            if current != folder:
                os.close(current)
            current = inner
        return os.open(last, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=current)
    finally:
        if current != folder:
            os.close(current)


@cache
def has_openat2() -> bool:
    """Return whether the kernel supports `openat2` and allows it."""
    if sys.platform != "linux":
        return False
    root = os.open("/", STEP)
    try:
        handle = _openat2()(root, b".", STEP)
    finally:
        os.close(root)
    if handle >= 0:
        os.close(handle)
    return handle >= 0


@cache
def _openat2() -> Callable[[int, bytes, int], int]:
    """Return the system call; it returns a handle or a negative error number."""
    import ctypes

    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    call.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t)

    def openat2(folder: int, name: bytes, flags: int) -> int:
        how = struct.pack("=QQQ", flags, 0, _NO_MAGIC_LINKS | _NO_LINKS | _BENEATH)
        handle = int(call(_OPENAT2, folder, name, how, len(how)))
        return handle if handle >= 0 else -ctypes.get_errno()

    return openat2


_TRIES = 64
"""How often a directory is opened that others create and remove at the same time."""


class AllowedRoots:
    """The directories that files are confined to, resolved once, here; none for no confinement."""

    def __init__(self, roots: Sequence[str], opener: Opener) -> None:
        self.roots = tuple(os.path.realpath(os.path.expanduser(root)) for root in roots)
        self._opener = opener

    def check(self, path: str) -> None:
        """Check that a resolved path is below a root. Raise `PermissionError` if it is not."""
        if self.roots and self._root_of(path) is None:
            allowed = ", ".join(self.roots)
            raise os_error(errno.EACCES, path, f"Outside the allowed directories ({allowed})")

    def open(self, path: str, flags: int) -> int:
        """Open a resolved path.

        Raises:
            ChangedError: The path now leads elsewhere.
            PermissionError: The path is outside the roots.
        """
        self.check(path)
        root = self._root_of(path) or "/"
        with errors_about(path, moved=True):
            top = os.open("/", STEP)
            try:
                if root != "/":
                    outer, top = top, self._opener(top, root[1:], STEP)
                    os.close(outer)
                return self._opener(top, path[len(root) :].strip("/") or ".", flags)
            finally:
                os.close(top)

    @contextmanager
    def folder(self, path: str, *, make: bool = False) -> Iterator[int]:
        """Open a directory. Raise `ChangedError` if the path now leads elsewhere.

        Args:
            path: An absolute path without links.
            make: Whether to create missing directories; they are removed again if the block fails.
        """
        made: list[str] = []
        handle = self._make(path, made) if make else self.open(path, STEP)
        try:
            yield handle
        except BaseException:
            _remove_created(handle, made)
            raise
        finally:
            os.close(handle)

    def _root_of(self, path: str) -> str | None:
        return next((root for root in self.roots if is_beneath(path, root)), None)

    def _make(self, path: str, made: list[str]) -> int:
        self.check(path)
        with errors_about(path, moved=True):
            current, done = os.open("/", STEP), ""
            try:
                for name in filter(None, path.split("/")):
                    done += "/" + name
                    inner, created = _open_or_create(current, name, done)
                    os.close(current)
                    current = inner
                    if created:
                        made.append(name)
                    else:
                        made.clear()
            except BaseException:
                _remove_created(current, made)
                os.close(current)
                raise
            return current


def _open_or_create(current: int, name: str, path: str) -> tuple[int, bool]:
    """Open a subdirectory, created if missing; return its handle and whether it was created."""
    created = False
    for _ in range(_TRIES):
        with suppress(FileNotFoundError):
            return os.open(name, STEP, dir_fd=current), created
        created = False
        with suppress(FileExistsError), errors_about(os.path.dirname(path), text="no directory can be created in it"):
            os.mkdir(name, dir_fd=current)
            created = True
            sync_folder(current)
    raise os_error(errno.ENOENT, path)


def _remove_created(deepest: int, made: list[str]) -> None:
    """Remove created directories from the innermost outwards, until one is in use."""
    current = os.dup(deepest)
    try:
        for name in reversed(made):
            outer = os.open("..", STEP, dir_fd=current)
            os.close(current)
            current = outer
            os.rmdir(name, dir_fd=current)
    except OSError:
        pass  # already in use
    finally:
        os.close(current)


def sync_folder(folder: int) -> None:
    """Flush a directory to disk, as far as permissions and the filesystem allow."""
    try:
        handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EROFS, errno.EBADF):
            raise
    finally:
        os.close(handle)
