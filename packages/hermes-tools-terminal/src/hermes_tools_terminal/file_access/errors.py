"""The errors of the file tools, with hints and suggestions for the model."""

from __future__ import annotations

import errno
import os
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hermes_core.errors import ToolError
from hermes_text.secrets import new_masks
from hermes_tools_terminal.environments.base import PlaceError
from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo
from hermes_tools_terminal.secret_masks import describe_mask

if TYPE_CHECKING:
    from hermes_tools_terminal.file_access.session import FileSession

MOST = 5
_LOOKED_AT = 5_000


def similar(name: str, names: Iterable[str], *, most: int = MOST) -> list[str]:
    """The names that come nearest to another one, best first."""
    wanted = _plain(name)
    scored = []
    for number, each in enumerate(names):
        if number >= _LOOKED_AT:
            break
        score = _score(wanted, _plain(each))
        if score:
            scored.append((-score, each))
    return [each for _, each in sorted(scored)[:most]]


def _plain(name: str) -> str:
    return (name if name.isascii() else unicodedata.normalize("NFC", name)).lower()


def _score(wanted: str, name: str) -> int:
    if not wanted or not name:
        return 0
    if wanted == name:
        return 100  # but for its case, or how its accents are written
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
    errno.EACCES: "Its permissions do not let this user in. Ask the user, or choose another file.",
    errno.EPERM: "This user may not do that. Ask the user, or choose another file.",
    errno.ENOSPC: "The disk is full and the file is as it was. Make room, then try again.",
    errno.EDQUOT: "The disk quota is used up and the file is as it was. Make room, then try again.",
    errno.EROFS: "The file system is read-only, and the file is as it was. Choose a place that can be written.",
    errno.ELOOP: "Its links lead in a circle. Look at them with `ls -l`.",
    errno.ENOTDIR: "A part of the path that should be a folder is a file. Check the path.",
    errno.ENAMETOOLONG: "The path is longer than the system takes. Check the path.",
    errno.EBUSY: "It is mounted on its own, so it cannot be replaced, and is as it was. Write into it with a command.",
    errno.EIO: "The disk or the network failed; the file may be as it was. Look at it before trying again.",
    errno.EHOSTDOWN: "The environment does not answer. Try again: a new one is opened.",
}

_KINDS = {
    "folder": ("is a folder", "Name a file in it, or list it with search_files(target='files')."),
    "pipe": ("is a named pipe, which has no content of its own", "Read it with a command if it really has to be."),
    "socket": ("is a socket, which has no content", "Speak to it with a command if it really has to be."),
    "device": ("is a device, which has no end", "Name a regular file."),
    "other": ("is no regular file", "Name a regular file."),
}


class FileError(ToolError):
    """Raised when a file cannot be used."""

    code = "file_error"
    quotes_code = True


def file_error(error: OSError | PlaceError, path: str) -> FileError:
    """What an error of the system means for a call."""
    if isinstance(error, PlaceError):
        return FileError(error.reason, hint=error.hint or None)
    nearer = error.filename if isinstance(error.filename, str) and error.filename.startswith("/") else None
    path = shown(nearer or path)  # the folder that is full, or the file of many that was changed
    if isinstance(error, ChangedError):
        return FileError(
            f"{path} was changed by somebody else meanwhile, and was left as it is.", hint="Read it again, then decide."
        )
    if isinstance(error, TimeoutError):
        return FileError(f"Somebody else has been working on {path} for too long.", hint="Try again in a while.")
    number = error.errno or 0
    reason = error.strerror or str(error)
    return FileError(
        f"{path}: {reason}",
        hint=_HINTS.get(number),
        **({"errno": errno.errorcode[number]} if number in errno.errorcode else {}),
    )


def shown(path: str) -> str:
    """A path as it stands in a message: no longer than needed to know it again, on one line, and never nothing."""
    cut = path if len(path) <= _LONGEST_NAME else f"{path[:_LONGEST_NAME]}..."
    return "".join(each if each >= " " else f"\\x{ord(each):02x}" for each in cut) or "''"


def require_editable(found: FileInfo, files: FileSession) -> None:
    """Refuse what is too big: all of a file is in memory while it is changed, and the old content is kept.

    Raises:
        FileTroubleError: it is.
    """
    size = found.stamp.size if found.stamp is not None and found.kind == "file" else 0
    if size > files.settings.max_edit_mb * _MEGABYTE:
        raise FileError(
            f"{found.asked} has {size:,} bytes, more than files.max_edit_mb allows.", hint="Change it with a command."
        )


def require_no_new_masks(what: str, new: str, *old: str) -> None:
    """Refuse to look for a mask or to write one, unless a file has that very text in it.

    Args:
        what: What the text is called in the message.
        new: The text.
        *old: The texts of the files as they are.

    Raises:
        FileTroubleError: it has one.
    """
    if masks := new_masks(new, *old):
        raise FileError(
            f"{describe_mask(masks[0], what)}: it is in no file and must not be written to one. Nothing was changed.",
            hint="Leave that line out: quote and change other lines with patch. What you leave out keeps its secrets.",
            line=masks[0].line,
        )


def not_a_file_error(found: FileInfo, files: FileSession) -> FileError:
    """Why something that was found cannot be read as a file, and what is there instead."""
    if found.kind == "missing":
        return missing(found, files)
    what, hint = _KINDS.get(found.kind, _KINDS["other"])
    extra: dict[str, object] = {}
    if found.kind == "folder":
        names = _names(found, files)
        extra = {"entries": names[:_SHOWN_NAMES], "entry_count": len(names)}
    return FileError(f"{found.asked} {what}.", hint=hint, **extra)


def missing(found: FileInfo, files: FileSession) -> FileError:
    """That a file is not there, and which ones have a similar name."""
    folder, name = os.path.split(found.path)
    near: list[str] = []
    try:
        parent = files.filesystem.find(folder, base="/")
        while parent.kind == "missing" and folder != "/":
            folder, name = os.path.split(folder)
            parent = files.filesystem.find(folder, base="/")
        if parent.kind == "folder" and files.may_list_names(parent):
            near = [os.path.join(folder, each) for each in similar(name, files.filesystem.names(parent))]
    except OSError:
        near = []  # whoever may not look into the folder gets no names from it
    hint = f"Did you mean {near[0]}?" if near else "List the folder with search_files(target='files')."
    return FileError(f"There is no file {found.asked}.", hint=hint, similar_files=near)


def _names(found: FileInfo, files: FileSession) -> list[str]:
    try:
        return files.filesystem.names(found)
    except OSError:
        return []
