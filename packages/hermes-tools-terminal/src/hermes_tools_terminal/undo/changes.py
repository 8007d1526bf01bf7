"""Change files all or none, and create and remove the directories that this needs."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo, FileSystem


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file. A move is two of them: the new file is written, then the old one is removed.

    Attributes:
        found: The file, as it was found before anything of it was read.
        before: Its content; None when it is not there.
        after: The content that it gets; None when it is removed.
        mode: The permissions of a file that is made; what the place gives new files when it is None.
    """

    found: FileInfo
    before: bytes | None
    after: bytes | None
    mode: int | None = None

    @property
    def path(self) -> str:
        """Where the file is."""
        return self.found.path


def check_changes(changes: Sequence[Change]) -> None:
    """Refuse what cannot be applied as one.

    Raises:
        ValueError: there is nothing to do, a file comes twice, or a content is given for what is not there.
        OSError: something is no regular file.
    """
    if not changes:
        raise ValueError("no changes were given")
    paths = {change.path for change in changes}
    if len(paths) != len(changes):
        raise ValueError("one file is changed twice; put its changes together")
    for change in changes:
        if change.found.kind not in ("file", "missing"):
            raise OSError(errno.EINVAL, f"{os.strerror(errno.EINVAL)}: only regular files can be changed", change.path)
        if (change.before is None) != (change.found.kind == "missing"):
            raise ValueError(f"what was read of {change.path!r} does not fit to what was found there")
        if change.before is None and change.after is None:
            raise ValueError(f"{change.path!r} is not there and cannot be removed")


@runtime_checkable
class RemovesFolders(Protocol):
    """A tree that can do that as well."""

    def remove_folder(self, found: FileInfo) -> None:
        """Remove an empty folder; raises `OSError` when it is not empty."""


def missing_folders(filesystem: FileSystem, changes: Iterable[Change]) -> tuple[str, ...]:
    """The folders that will be made for these changes, each after the one that holds it."""
    missing: set[str] = set()
    there = {"/"}
    for change in changes:
        if change.before is not None or change.after is None:
            continue
        folder = os.path.dirname(change.path)
        while folder not in there and folder not in missing:
            (missing if filesystem.find(folder, base="/").kind == "missing" else there).add(folder)
            folder = os.path.dirname(folder) if folder in missing else folder
    return tuple(sorted(missing))


def remove_empty(filesystem: FileSystem, folders: Sequence[str]) -> list[str]:
    """Remove those that are empty, the innermost first; which ones that were. Others stay, whatever the reason."""
    gone = []
    for folder in reversed(folders):
        with suppress(OSError):
            found = filesystem.find(folder, base="/")
            if found.kind == "folder" and found.path == folder and _remove(filesystem, found):
                gone.append(folder)
    return gone


def _remove(filesystem: FileSystem, found: FileInfo) -> bool:
    if isinstance(filesystem, RemovesFolders):
        filesystem.remove_folder(found)
    elif filesystem.name == "local":
        _remove_here(found.path)
    else:
        return False
    return True


def _remove_here(path: str) -> None:
    """Remove an empty folder of this machine; no link on the way is followed."""
    *way, last = path.strip("/").split("/")
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open("/", flags)
    try:
        for name in way:
            inner = os.open(name, flags, dir_fd=handle)
            os.close(handle)
            handle = inner
        os.rmdir(last, dir_fd=handle)
    finally:
        os.close(handle)


class RollbackError(Exception):
    """Raised when it went wrong half-way and could not be put back; the cause is what went wrong first.

    Attributes:
        paths: The files that are new.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__(", ".join(paths))
        self.paths = tuple(paths)


def require_unchanged(filesystem: FileSystem, changes: Sequence[Change]) -> None:
    """Make sure that every file is what was found. Called under the files' locks, so that it stays so.

    Raises:
        ChangedError: one is not.
    """
    for change in changes:
        now = filesystem.find(change.path, base="/")
        if (now.path, now.kind, now.stamp) != (change.path, change.found.kind, change.found.stamp):
            raise ChangedError(
                errno.ESTALE, "the file was changed by somebody else meanwhile; read it again", change.path
            )


def make_change(filesystem: FileSystem, change: Change) -> FileInfo:
    """Make one change; what the file is now."""
    if change.after is None:
        filesystem.remove(change.found)
        return change.found._replace(kind="missing", stamp=None)
    return filesystem.replace(change.found, change.after, mode=change.mode)


def make_all_changes(filesystem: FileSystem, changes: Sequence[Change]) -> None:
    """Make all changes, one after another. When one fails, those before it are put back and its error is raised.

    Putting back needs no more room than there is: a file's new content stood beside the old one when it was made.

    Raises:
        StuckError: something could not be put back.
        OSError: it went wrong, and everything is as before.
    """
    made: list[tuple[Change, FileInfo]] = []
    for change in changes:
        try:
            made.append((change, make_change(filesystem, change)))
        except BaseException as error:  # also when somebody interrupts: all or none
            try:
                stuck = _put_back(filesystem, made, change)
            except BaseException:  # interrupted once more, somewhere in between
                stuck = [*(each.path for each, _ in made), change.path]
            if stuck:
                raise RollbackError(stuck) from error
            raise


def _put_back(filesystem: FileSystem, made: Sequence[tuple[Change, FileInfo]], failed: Change) -> list[str]:
    """Put files back, the last one first; those for which that did not work."""
    stuck = []
    try:
        half = _made_after_all(filesystem, failed)
    except OSError:
        half, stuck = None, [failed.path]  # nobody can tell
    for change, now in reversed([*made, (failed, half)]):
        if now is None:
            continue
        mode = change.found.mode if change.before is not None else None
        try:
            make_change(filesystem, Change(now, change.after, change.before, mode))
        except OSError:
            stuck.append(change.path)
    return stuck


def _made_after_all(filesystem: FileSystem, failed: Change) -> FileInfo | None:
    """The file, if a change that has failed was made nevertheless: what fails last is to have it on the disk."""
    now = filesystem.find(failed.path, base="/")
    if (now.path, now.kind, now.stamp) == (failed.path, failed.found.kind, failed.found.stamp):
        return None
    if failed.after is None:
        return now if now.kind == "missing" else None
    same = now.kind == "file" and now.stamp is not None and now.stamp.size == len(failed.after)
    return now if same and filesystem.read(now) == failed.after else None
