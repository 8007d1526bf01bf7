"""What goes wrong with a file, here or elsewhere, said as errors of the system that name the file."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from hermes_tools_terminal.files.tree import ChangedError, Found

_ELSEWHERE = frozenset({errno.ELOOP, errno.ENOENT, errno.ENOTDIR, errno.EXDEV, errno.ENXIO})
"""What the system says when a path that was free of links leads elsewhere, or to something else, by now."""

_MOST_NAMED = 300
"""How many characters of a path stand in a message: a path that is too long is what the message is about."""

_WHAT = {"pipe": "a named pipe", "socket": "a socket", "device": "a device"}


def trouble(number: int, path: str, text: str = "") -> OSError:
    """An error of the system about a path, of the class that Python has for its number.

    Args:
        number: The system's number.
        path: What it is about.
        text: What happened, if it can be said better than the system does.
    """
    named = path if len(path) <= _MOST_NAMED else f"{path[:_MOST_NAMED]}..."
    return OSError(number, text or os.strerror(number), named)


def changed(path: str, how: str) -> ChangedError:
    """The error for a file that is not what was found any more."""
    return ChangedError(errno.ESTALE, f"The file {how} since it was looked at; read it again before going on", path)


def refusal(found: Found) -> OSError:
    """Why something that was found cannot be used as a regular file."""
    if found.kind == "missing":
        return trouble(errno.ENOENT, found.path)
    if found.kind == "folder":
        return trouble(errno.EISDIR, found.path)
    what = _WHAT.get(found.kind, "nothing with content")
    return trouble(errno.EINVAL, found.path, f"Not a regular file but {what}")


@contextmanager
def about(path: str, *, moved: bool = False, text: str = "") -> Iterator[None]:
    """Let errors of a block name a path.

    Args:
        path: What the block is about.
        moved: Whether a path that leads elsewhere means that a file was changed.
        text: Added to what the system says.
    """
    try:
        yield
    except ChangedError:
        raise
    except OSError as error:
        number = error.errno or errno.EIO
        if moved and number in _ELSEWHERE:
            raise changed(path, "was moved, removed or turned into a link") from error
        if isinstance(error.filename, str) and error.filename.startswith("/"):
            raise  # it names something nearer
        said = error.strerror or os.strerror(number)
        raise trouble(number, path, f"{said}; {text}" if text else said) from error
