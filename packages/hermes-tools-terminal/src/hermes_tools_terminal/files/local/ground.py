"""The ground that a tree may tread: what lies below its roots, reached without following links."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from hermes_tools_terminal.files.local.opening import STEP, Opener
from hermes_tools_terminal.files.troubles import about, trouble

_TRIES = 64
"""How often a folder is opened that others make and remove at the same time."""


class Ground:
    """Where files may be.

    Args:
        roots: The folders that everything must lie below; everything may be used when there are none. They are followed
            to where they lead once, here.
        opener: How paths are opened.
    """

    def __init__(self, roots: Sequence[str], opener: Opener) -> None:
        self.roots = tuple(os.path.realpath(os.path.expanduser(root)) for root in roots)
        self._opener = opener

    def check(self, path: str) -> None:
        """Make sure that a real path lies below a root.

        Raises:
            PermissionError: it does not.
        """
        if self.roots and self._root_of(path) is None:
            allowed = ", ".join(self.roots)
            raise trouble(errno.EACCES, path, f"Outside of the folders that may be used ({allowed})")

    def open(self, path: str, flags: int) -> int:
        """Open what is at a real path.

        Args:
            path: Absolute and free of links.
            flags: As for `os.open`; nothing is created.

        Raises:
            ChangedError: it leads elsewhere by now.
            PermissionError: it is outside of the roots.
        """
        self.check(path)
        root = self._root_of(path) or "/"
        with about(path, moved=True):
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
        """A handle of the folder at a real path, to work in.

        Args:
            path: Absolute and free of links.
            make: Whether missing folders are made. Those are removed again if the block fails.

        Raises:
            ChangedError: it leads elsewhere by now.
        """
        made: list[str] = []
        handle = self._make(path, made) if make else self.open(path, STEP)
        try:
            yield handle
        except BaseException:
            _unmake(handle, made)
            raise
        finally:
            os.close(handle)

    def _root_of(self, path: str) -> str | None:
        for root in self.roots:
            if path == root or path.startswith(root.rstrip("/") + "/"):
                return root
        return None

    def _make(self, path: str, made: list[str]) -> int:
        self.check(path)
        with about(path, moved=True):
            here, done = os.open("/", STEP), ""
            try:
                for name in filter(None, path.split("/")):
                    done += "/" + name
                    deeper, ours = _step(here, name, done)
                    os.close(here)
                    here = deeper
                    if ours:
                        made.append(name)
                    else:
                        made.clear()
            except BaseException:
                _unmake(here, made)
                os.close(here)
                raise
            return here


def _step(here: int, name: str, path: str) -> tuple[int, bool]:
    """Open a folder in another one, made if need be; its handle, and whether it was made."""
    ours = False
    for _ in range(_TRIES):
        with suppress(FileNotFoundError):
            return os.open(name, STEP, dir_fd=here), ours
        ours = False
        with suppress(FileExistsError), about(os.path.dirname(path), text="no folder can be made in it"):
            os.mkdir(name, dir_fd=here)
            ours = True
            settle(here)
    raise trouble(errno.ENOENT, path)


def _unmake(deepest: int, made: list[str]) -> None:
    """Remove folders that were made, from the deepest one up; as soon as somebody uses one, those above are in use."""
    here = os.dup(deepest)
    try:
        for name in reversed(made):
            outer = os.open("..", STEP, dir_fd=here)
            os.close(here)
            here = outer
            os.rmdir(name, dir_fd=here)
    except OSError:
        pass  # somebody uses it already
    finally:
        os.close(here)


def settle(folder: int) -> None:
    """Have the names in a folder on the disk; where nobody may look into it or nothing is kept, as well as can be.

    Args:
        folder: Its handle, of whatever kind.
    """
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
