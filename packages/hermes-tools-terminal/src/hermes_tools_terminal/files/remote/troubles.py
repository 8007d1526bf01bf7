"""What goes wrong in the place, as the errors that Python has for it on this machine."""

from __future__ import annotations

import errno

from hermes_tools_terminal.files.remote import program
from hermes_tools_terminal.files.remote.helper import Answer
from hermes_tools_terminal.files.troubles import changed, trouble

_STATUSES = {
    program.LOOP: errno.ELOOP,
    program.NO_FOLDER: errno.ENOTDIR,
    program.DENIED: errno.EACCES,
    program.LONG: errno.ENAMETOOLONG,
}

# How programs end their complaints in the language C, busybox and the shells themselves with words of their own.
_WORDS = {
    "no such file": errno.ENOENT,
    "nonexistent directory": errno.ENOENT,
    "directory nonexistent": errno.ENOENT,
    "permission denied": errno.EACCES,
    "operation not permitted": errno.EPERM,
    "is a directory": errno.EISDIR,
    "not a directory": errno.ENOTDIR,
    "no space left": errno.ENOSPC,
    "disk quota exceeded": errno.EDQUOT,
    "file too large": errno.EFBIG,
    "read-only file system": errno.EROFS,
    "file name too long": errno.ENAMETOOLONG,
    "resource busy": errno.EBUSY,
    "text file busy": errno.ETXTBSY,
    "file exists": errno.EEXIST,
    "existing file": errno.EEXIST,  # bash, when it must not write over one
    "too many levels": errno.ELOOP,
    "stale file handle": errno.ESTALE,
}


def check(answer: Answer, path: str, *, using: bool) -> None:
    """Raise what an answer tells.

    Args:
        answer: What the helper said.
        path: What it was about.
        using: Whether the path was found before: that it is not there any more means that it was changed.

    Raises:
        OSError: it did not work.
    """
    if answer.status == 0:
        return
    if answer.status == program.CHANGED:
        raise changed(path, "was changed, replaced, removed or turned into a link")
    if answer.status == program.CUT:
        raise trouble(errno.EIO, path, "Not all of the content arrived, so the file was left as it is; write it again")
    if answer.status == program.LACKING:
        text = f"The environment lacks programs that files are reached by:{answer.words.rstrip()}; install coreutils"
        raise trouble(errno.ENOTSUP, path, text)
    number = _STATUSES.get(answer.status) or _meant(answer.words)
    if using and number in (errno.ENOENT, errno.ELOOP):
        raise changed(path, "was moved, removed or turned into a link")
    said = answer.words.strip()[-300:] or f"A helper in the environment ended with {answer.status}"
    raise trouble(number, path, said if number == errno.EIO else "")


def _meant(words: str) -> int:
    """The number of the first complaint whose end is known: what stands before the last colon may be a file's name."""
    for line in words.lower().splitlines():
        reason = line.rpartition(": ")[2]
        for text, number in _WORDS.items():
            if text in reason:
                return number
    return errno.EIO
