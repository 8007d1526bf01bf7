"""What a file keeps when its content is replaced: owner, permissions and what else was attached to it."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from hermes_tools_terminal.files.tree import Found

_NOT_KEPT = frozenset({"security.capability", "security.ima", "security.evm"})
"""Rights that were given to the old content, and seals of it."""


def take_after(handle: int, model: Found) -> None:
    """Give a file what another one has.

    Somebody who may not give files away keeps what he makes. A group that is not the same gets no rights then but those
    that everybody has: the others were meant for another one.

    Args:
        handle: The new file.
        model: The old one.

    Raises:
        OSError: the permissions cannot be set.
    """
    mode = model.mode
    owner_kept, group_kept = _give(handle, model.owner, model.group)
    if not group_kept:
        mode &= ~(stat.S_ISGID | stat.S_IRWXG) | (mode & stat.S_IRWXO) << 3
    if not owner_kept:
        mode &= ~stat.S_ISUID
    os.fchmod(handle, mode)


def copy_attributes(handle: int, folder: int, name: str) -> None:
    """Give a file what is attached to another one, such as lists of rights, as far as that can be read and set.

    Args:
        handle: The new file.
        folder: The folder of the old one.
        name: Its name there.
    """
    if not hasattr(os, "listxattr"):
        return
    try:
        model = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return  # it may be written, but not read
    try:
        with suppress(OSError):  # the file system has none
            for each in os.listxattr(model):
                if each not in _NOT_KEPT:
                    _copy_attribute(handle, model, each)
    finally:
        os.close(model)


def _copy_attribute(handle: int, model: int, name: str) -> None:
    with suppress(OSError):  # not ours to set
        os.setxattr(handle, name, os.getxattr(model, name))


def _give(handle: int, owner: int, group: int) -> tuple[bool, bool]:
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (owner, group):
        for wish in ((owner, group), (-1, group)):
            with suppress(OSError):  # only root can give files away, and to a group only its members
                os.fchown(handle, *wish)
                break
        now = os.fstat(handle)
    return now.st_uid == owner, now.st_gid == group
