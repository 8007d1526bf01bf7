"""One file's change: what was there, and what is to be there instead."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass

from hermes_tools_terminal.files.tree import Found


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file. A move is two of them: the new file is written, then the old one is removed.

    Attributes:
        found: The file, as it was found before anything of it was read.
        before: Its content; None when it is not there.
        after: The content that it gets; None when it is removed.
        mode: The permissions of a file that is made; what the place gives new files when it is None.
    """

    found: Found
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
