"""Compare the present files with a receipt: as before the call, as after it, or changed since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hermes_tools_terminal.files.filesystem import FileInfo, FileSystem
from hermes_tools_terminal.undo.errors import UndoError
from hermes_tools_terminal.undo.receipt import Receipt, TouchedFile, Version, digest

FileSystemFor = Callable[[str], FileSystem]
"""Returns the filesystem with a name; raises `UndoError` if it is not available."""


@dataclass(frozen=True, slots=True)
class FileState:
    """The present state of a file of a receipt.

    Attributes:
        found: The file.
        data: Its content; None if it is missing or was not read.
        is_before: Whether it is as before the call.
        is_after: Whether it is as after the call.
        problem: Why it is neither.
    """

    found: FileInfo
    data: bytes | None
    is_before: bool
    is_after: bool
    problem: str = ""


def local_filesystem(place: str) -> FileSystem:
    """Return the local filesystem. Raise `UndoError` if the name is that of another filesystem."""
    if place != "local":
        raise UndoError(
            f"It was made in {place}, which is not available here. Run it with the settings of that environment."
        )
    from hermes_tools_terminal.files.local.filesystem import LocalFileSystem

    return LocalFileSystem()


class FileStates:
    """The present or planned states of files in any filesystem."""

    def __init__(self, filesystem_of: FileSystemFor) -> None:
        self._tree_for = filesystem_of
        self._trees: dict[str, FileSystem] = {}
        self._assumed: dict[tuple[str, str], bytes | None] = {}

    def filesystem(self, receipt: Receipt) -> FileSystem:
        """Return the filesystem of a receipt. Raise `UndoError` if it is not available."""
        filesystem = self._trees.get(receipt.place)
        if filesystem is None:
            try:
                filesystem = self._trees[receipt.place] = self._tree_for(receipt.place)
            except UndoError as error:
                raise UndoError(f"Receipt {receipt.number} cannot be used here. {error}") from error
        if filesystem.name != receipt.place:
            raise UndoError(f"Receipt {receipt.number} was made in {receipt.place}, and this is {filesystem.name}.")
        return filesystem

    def assume(self, receipt: Receipt, path: str, data: bytes | None) -> None:
        """Assume from now on that a file has this content."""
        self._assumed[receipt.place, path] = data

    def file_states(self, receipt: Receipt) -> list[FileState]:
        """Return the state of each file of a receipt."""
        filesystem = self.filesystem(receipt)
        return [self._file_state(filesystem, file) for file in receipt.files]

    def _file_state(self, filesystem: FileSystem, file: TouchedFile) -> FileState:
        try:
            found = filesystem.find(file.path, base="/")
        except OSError as error:
            nothing = FileInfo(file.path, file.path, "other")
            return FileState(nothing, None, False, False, f"cannot be inspected: {error.strerror or error}")
        key = (filesystem.name, file.path)
        if key in self._assumed:
            return _compare(found, self._assumed[key], file)
        if found.path != file.path:
            return FileState(found, None, False, False, f"is now a link to {found.path}")
        if found.kind == "missing":
            return _compare(found, None, file)
        if found.kind != "file":
            return FileState(found, None, False, False, f"is no longer a file but a {found.kind}")
        return _read_and_compare(filesystem, found, file)


def _read_and_compare(filesystem: FileSystem, found: FileInfo, file: TouchedFile) -> FileState:
    sizes = {version.size for version in (file.before, file.after) if version is not None}
    if found.stamp is None or found.stamp.size not in sizes:  # no need to read it, however large it is
        return FileState(found, None, False, False, "was changed since")
    try:
        return _compare(found, filesystem.read(found), file)
    except OSError as error:
        return FileState(found, None, False, False, f"cannot be read: {error.strerror or error}")


def _compare(found: FileInfo, data: bytes | None, file: TouchedFile) -> FileState:
    now = None if data is None else digest(data)
    is_before, is_after = now == _digest(file.before), now == _digest(file.after)
    problem = "" if is_before or is_after else "was removed since" if data is None else "was changed since"
    return FileState(found, data, is_before, is_after, problem)


def _digest(version: Version | None) -> str | None:
    return None if version is None else version.sha256
