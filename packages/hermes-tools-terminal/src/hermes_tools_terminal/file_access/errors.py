"""The errors of the file tools, with hints and suggestions for the model."""

from __future__ import annotations

import errno
import os
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hermes_core.errors import ToolError
from hermes_text.secrets import new_masks
from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo
from hermes_tools_terminal.secret_masks import describe_mask

if TYPE_CHECKING:
    from hermes_tools_terminal.file_access.session import FileSession

_MAX_NAMES = 5
_LOOKED_AT = 5_000


def similar_names(name: str, names: Iterable[str]) -> list[str]:
    """Return the names that are most similar to another, best first."""
    wanted = _plain(name)
    scored = []
    for number, each in enumerate(names):
        if number >= _LOOKED_AT:
            break
        score = _score(wanted, _plain(each))
        if score:
            scored.append((-score, each))
    return [each for _, each in sorted(scored)[:_MAX_NAMES]]


def _plain(name: str) -> str:
    return (name if name.isascii() else unicodedata.normalize("NFC", name)).lower()


def _score(wanted: str, name: str) -> int:
    if not wanted or not name:
        return 0
    if wanted == name:
        return 100  # apart from case and accents
    stem, extension = os.path.splitext(wanted)
    other, other_extension = os.path.splitext(name)
    if stem == other:
        return 90
    if name.startswith(stem) or wanted.startswith(other):
        return 70
    if wanted in name or stem in name:
        return 60
    if name in wanted or other in wanted:
        return 40
    shared = len(set(stem) & set(other)) / max(len(set(stem) | set(other)), 1)
    if shared >= 0.7 or (extension and extension == other_extension and shared >= 0.4):
        return 20 + int(shared * 10)
    return 0


_SHOWN_NAMES = 20
_LONGEST_NAME = 300
_MEGABYTE = 1_000_000

_HINTS = {
    errno.EACCES: "Its permissions do not allow this. Ask the user, or choose another file.",
    errno.EPERM: "This user is not permitted to do that. Ask the user, or choose another file.",
    errno.ENOSPC: "The disk is full; the file was not changed. Free some space and try again.",
    errno.EDQUOT: "The disk quota is exceeded; the file was not changed. Free some space and try again.",
    errno.EROFS: "The filesystem is read-only; the file was not changed. Choose a writable directory.",
    errno.ELOOP: "Its symbolic links form a circle. Inspect them with `ls -l`.",
    errno.ENOTDIR: "A part of the path is a file, not a directory. Check the path.",
    errno.ENAMETOOLONG: "The path is too long for the system. Check the path.",
    errno.EBUSY: "It is a mount point and cannot be replaced; it was not changed. Write to it with a command.",
    errno.EIO: "The disk or the network failed; the file may be unchanged. Check it before you try again.",
    errno.EHOSTDOWN: "The environment does not respond. Try again: a new one will be opened.",
}

_KINDS = {
    "folder": ("is a directory", "Name a file in it, or list it with search_files(target='files')."),
    "pipe": ("is a named pipe, not a regular file", "Read it with a command if necessary."),
    "socket": ("is a socket, not a regular file", "Connect to it with a command if necessary."),
    "device": ("is a device, not a regular file", "Name a regular file."),
    "other": ("is not a regular file", "Name a regular file."),
}


class FileError(ToolError):
    """Raised when a file cannot be used."""

    code = "file_error"
    quotes_code = True


def file_error(error: OSError | TerminalEnvironmentError, path: str) -> FileError:
    """Convert a system error to the error for the model."""
    if isinstance(error, TerminalEnvironmentError):
        return FileError(error.reason, hint=error.hint or None)
    nearer = error.filename if isinstance(error.filename, str) and error.filename.startswith("/") else None
    path = display_path(nearer or path)  # it may name one of several files, or the directory that is full
    if isinstance(error, ChangedError):
        return FileError(
            f"{path} was changed by another process in the meantime and was not modified.", hint="Read it again first."
        )
    if isinstance(error, TimeoutError):
        return FileError(f"{path} is locked by another process.", hint="Try again later.")
    number = error.errno or 0
    reason = error.strerror or str(error)
    return FileError(
        f"{path}: {reason}",
        hint=_HINTS.get(number),
        **({"errno": errno.errorcode[number]} if number in errno.errorcode else {}),
    )


def display_path(path: str) -> str:
    """Format a path for a message: short, on one line and never empty."""
    cut = path if len(path) <= _LONGEST_NAME else f"{path[:_LONGEST_NAME]}..."
    return "".join(each if each >= " " else f"\\x{ord(each):02x}" for each in cut) or "''"


def require_editable(found: FileInfo, files: FileSession) -> None:
    """Raise `FileError` if a file is too large: an edit holds it in memory and stores its old content."""
    size = found.stamp.size if found.stamp is not None and found.kind == "file" else 0
    if size > files.settings.max_edit_mb * _MEGABYTE:
        raise FileError(
            f"{found.asked} has {size:,} bytes, which exceeds files.max_edit_mb.", hint="Change it with a command."
        )


def require_no_new_masks(what: str, new: str, *old: str) -> None:
    """Raise `FileError` if text contains a mask, unless a file already contains that mask."""
    if masks := new_masks(new, *old):
        raise FileError(
            f"{describe_mask(masks[0], what)}: it must not be written to a file. Nothing was changed.",
            hint="Leave that line out: use patch to change other lines. Lines that you leave out keep their secrets.",
            line=masks[0].line,
        )


def not_a_file_error(found: FileInfo, files: FileSession) -> FileError:
    """Return the error for a path that is not a regular file."""
    if found.kind == "missing":
        return missing_file_error(found, files)
    what, hint = _KINDS.get(found.kind, _KINDS["other"])
    extra: dict[str, object] = {}
    if found.kind == "folder":
        names = _names(found, files)
        extra = {"entries": names[:_SHOWN_NAMES], "entry_count": len(names)}
    return FileError(f"{found.asked} {what}.", hint=hint, **extra)


def missing_file_error(found: FileInfo, files: FileSession) -> FileError:
    """Return the error for a missing file, with similar names."""
    folder, name = os.path.split(found.path)
    near: list[str] = []
    try:
        parent = files.filesystem.find(folder, base="/")
        while parent.kind == "missing" and folder != "/":
            folder, name = os.path.split(folder)
            parent = files.filesystem.find(folder, base="/")
        if parent.kind == "folder" and files.may_list_names(parent):
            near = [os.path.join(folder, each) for each in similar_names(name, files.filesystem.names(parent))]
    except OSError:
        near = []  # no suggestions without access to the directory
    hint = f"Did you mean {near[0]}?" if near else "List the directory with search_files(target='files')."
    return FileError(f"File not found: {found.asked}.", hint=hint, similar_files=near)


def _names(found: FileInfo, files: FileSession) -> list[str]:
    try:
        return files.filesystem.names(found)
    except OSError:
        return []
