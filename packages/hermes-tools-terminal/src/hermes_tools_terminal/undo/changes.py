"""Change files all or none, and create and remove the directories that this needs."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo, FileSystem


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one file. A move is two changes: write the new file, then remove the old one.

    Attributes:
        found: The file, as found before it was read.
        before: The old content; None if the file is missing.
        after: The new content; None to remove the file.
        mode: The permissions of a new file; None for the default.
    """

    found: FileInfo
    before: bytes | None
    after: bytes | None
    mode: int | None = None

    @property
    def path(self) -> str:
        """The path of the file."""
        return self.found.path


def check_changes(changes: Sequence[Change]) -> None:
    """Validate changes that are to be applied together.

    Raises:
        ValueError: There are no changes, a path occurs twice, or the content does not match what was found.
        OSError: A path is not a regular file.
    """
    if not changes:
        raise ValueError("no changes were given")
    paths = {change.path for change in changes}
    if len(paths) != len(changes):
        raise ValueError("a file is changed twice; combine its changes")
    for change in changes:
        if change.found.kind not in ("file", "missing"):
            raise OSError(errno.EINVAL, f"{os.strerror(errno.EINVAL)}: only regular files can be changed", change.path)
        if (change.before is None) != (change.found.kind == "missing"):
            raise ValueError(f"the content read from {change.path!r} does not fit what was found")
        if change.before is None and change.after is None:
            raise ValueError(f"{change.path!r} is missing and cannot be removed")


def missing_folders(filesystem: FileSystem, changes: Iterable[Change]) -> tuple[str, ...]:
    """Return the directories that these changes will create, parents first."""
    missing: set[str] = set()
    existing = {"/"}
    for change in changes:
        if change.before is not None or change.after is None:
            continue
        folder = os.path.dirname(change.path)
        while folder not in existing and folder not in missing:
            (missing if filesystem.find(folder, base="/").kind == "missing" else existing).add(folder)
            folder = os.path.dirname(folder) if folder in missing else folder
    return tuple(sorted(missing))


def remove_empty(filesystem: FileSystem, folders: Sequence[str]) -> list[str]:
    """Remove those of some local directories that are empty, innermost first, and return them."""
    removed: list[str] = []
    if filesystem.name != "local":
        return removed
    for folder in reversed(folders):
        with suppress(OSError):
            found = filesystem.find(folder, base="/")
            if found.kind == "folder" and found.path == folder:
                _remove_local(folder)
                removed.append(folder)
    return removed


def _remove_local(path: str) -> None:
    """Remove an empty local directory without following symbolic links."""
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
    """Raised when changes failed and could not be rolled back; the cause is the original error."""

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__(", ".join(paths))
        self.paths = tuple(paths)


def require_unchanged(filesystem: FileSystem, changes: Sequence[Change]) -> None:
    """Raise `ChangedError` if a file is not what was found; the caller holds the locks of the files."""
    for change in changes:
        now = filesystem.find(change.path, base="/")
        if (now.path, now.kind, now.stamp) != (change.path, change.found.kind, change.found.stamp):
            raise ChangedError(errno.ESTALE, "the file has changed in the meantime; read it again", change.path)


def make_change(filesystem: FileSystem, change: Change) -> FileInfo:
    """Make one change and return the resulting file."""
    if change.after is None:
        filesystem.remove(change.found)
        return change.found._replace(kind="missing", stamp=None)
    return filesystem.replace(change.found, change.after, mode=change.mode)


def make_all_changes(filesystem: FileSystem, changes: Sequence[Change]) -> None:
    """Make all changes in order. If one fails, roll back the earlier ones and raise its error.

    Rolling back needs no extra disk space: the new content was already stored beside the old. Raise `RollbackError` if
    something could not be rolled back. Raise `OSError` if a change failed, and everything is as before.
    """
    made: list[tuple[Change, FileInfo]] = []
    for change in changes:
        try:
            made.append((change, make_change(filesystem, change)))
        except BaseException as error:  # an interrupt too: all or none
            try:
                stuck = _roll_back(filesystem, made, change)
            except BaseException:  # interrupted again, at an unknown point
                stuck = [*(each.path for each, _ in made), change.path]
            if stuck:
                raise RollbackError(stuck) from error
            raise


def _roll_back(filesystem: FileSystem, made: Sequence[tuple[Change, FileInfo]], failed: Change) -> list[str]:
    """Roll back changes, the last one first, and return the paths for which that failed."""
    stuck = []
    try:
        result = _result_of_failed_change(filesystem, failed)
    except OSError:
        result, stuck = None, [failed.path]  # unknown
    for change, now in reversed([*made, (failed, result)]):
        if now is None:
            continue
        mode = change.found.mode if change.before is not None else None
        try:
            make_change(filesystem, Change(now, change.after, change.before, mode))
        except OSError:
            stuck.append(change.path)
    return stuck


def _result_of_failed_change(filesystem: FileSystem, failed: Change) -> FileInfo | None:
    """Return the file if a failed change took effect anyway: the last step, syncing to disk, can fail."""
    now = filesystem.find(failed.path, base="/")
    if (now.path, now.kind, now.stamp) == (failed.path, failed.found.kind, failed.found.stamp):
        return None
    if failed.after is None:
        return now if now.kind == "missing" else None
    same = now.kind == "file" and now.stamp is not None and now.stamp.size == len(failed.after)
    return now if same and filesystem.read(now) == failed.after else None
