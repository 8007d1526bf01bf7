"""Apply changes to `$HERMES_HOME/skills`: one at a time across processes, and each completely or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from hermes_files.atomic import file_lock
from hermes_tools_skills.changes import Change

INCOMPLETE = ".staging"
"""The directory of versions that are not in place yet. What a killed process leaves there is removed later."""

_LOCK = "skills"
_LOCK_SECONDS = 30.0
_REPLACED, _TARGET = "replaced", "target"
_AT_FDCWD, _EXCHANGE = -100, 2


class SkillStore:
    """The skills in a directory, for changes.

    A change is prepared as a complete version in another directory of the same file system, so that it can be scanned.
    Then one rename puts it in place: of the changed file, of a new skill, or of a skill that is removed.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of all skills during a block. Raises `TimeoutError` or `OSError`."""
        with file_lock(self.root / _LOCK, timeout=_LOCK_SECONDS):
            self._clean()
            yield

    def _clean(self) -> None:
        """Remove what killed processes left, after moving a replaced directory back: live ones wait for the lock."""
        for replaced in (self.root / INCOMPLETE).glob(f"*/{_REPLACED}"):
            with contextlib.suppress(OSError):
                target = self.root / (replaced.parent / _TARGET).read_text(encoding="utf-8")
                if not os.path.lexists(target):
                    os.rename(replaced, target)
        remove_tree(self.root / INCOMPLETE)

    def swap(self, version: Path, target: Path) -> None:
        """Put a directory in place of another one, which is moved to its parent. Call it with the lock.

        Args:
            version: The new directory, in a directory of its own below `INCOMPLETE`.
            target: The directory that it replaces, if it exists.

        Raises:
            OSError: Nothing was changed.
        """
        if not os.path.lexists(target):
            os.rename(version, target)
        elif not exchange(version, target):
            (version.parent / _TARGET).write_text(target.relative_to(self.root).as_posix(), encoding="utf-8")
            os.rename(target, version.parent / _REPLACED)
            os.rename(version, target)

    @contextlib.contextmanager
    def draft(self, change: Change) -> Iterator[Path]:
        """Prepare the complete version that a change leads to, and remove what is left of it at the end.

        For a removal, this is an empty directory. Call it with the lock. Raises `OSError`.
        """
        folder = self.root / INCOMPLETE / os.urandom(8).hex()
        folder.mkdir(parents=True, mode=0o700)
        version = folder / change.directory.name
        try:
            if not change.file:
                version.mkdir()
            else:
                if change.action != "create":
                    shutil.copytree(change.directory, version, symlinks=True)
                _write_version(version, change)
            yield version
        finally:
            remove_tree(folder)

    def apply(self, change: Change, version: Path) -> None:
        """Put a version in place, with a single rename. Call it with the lock. Raises `OSError`."""
        if not change.file:
            os.rename(change.directory, version.parent / "removed")
            self._remove_empty(change.directory.parent)
        elif change.action == "create":
            change.directory.parent.mkdir(parents=True, exist_ok=True)
            os.rename(version, change.directory)
        else:
            self._replace_file(change, version)

    def _replace_file(self, change: Change, version: Path) -> None:
        *folders, name = change.file.split("/")
        with _directory(change.directory, folders, create=change.after is not None) as handle:
            if change.after is None:
                os.unlink(name, dir_fd=handle)
            else:
                os.replace(version / change.file, name, dst_dir_fd=handle)
            os.fsync(handle)
        if change.after is None and folders:
            self._remove_empty(change.directory.joinpath(*folders), top=change.directory)

    def _remove_empty(self, directory: Path, top: Path | None = None) -> None:
        while directory not in (self.root, top) and directory != directory.parent:
            try:
                directory.rmdir()
            except OSError:  # it is not empty
                return
            directory = directory.parent


def _write_version(version: Path, change: Change) -> None:
    file = version / change.file
    if change.after is None:
        file.unlink()
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o644
    file.unlink(missing_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        os.fchmod(descriptor, mode)
        opened.write(change.after)
        opened.flush()
        os.fsync(descriptor)


@contextlib.contextmanager
def _directory(top: Path, folders: list[str], *, create: bool) -> Iterator[int]:
    """Open a directory below another one, without following links."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(top, flags)
    try:
        for name in folders:
            if create:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, dir_fd=handle)
            inner = os.open(name, flags, dir_fd=handle)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two directories atomically; return False if the system or the file system cannot do that."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    paths = os.fsencode(one), os.fsencode(other)
    try:
        if hasattr(libc, "renamex_np"):  # macOS
            return bool(libc.renamex_np(*paths, _EXCHANGE) == 0)
        return bool(libc.renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _EXCHANGE) == 0)
    except AttributeError:
        return False


def remove_tree(path: Path) -> None:
    """Remove a directory if it exists. Raises nothing: what is left is removed later."""
    shutil.rmtree(path, ignore_errors=True)
