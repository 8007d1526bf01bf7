"""Folders that are made on the way to a new file, and go again with it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Protocol, runtime_checkable

from hermes_tools_terminal.files.tree import Found, Tree
from hermes_tools_terminal.undo.change import Change


@runtime_checkable
class RemovesFolders(Protocol):
    """A tree that can do that as well."""

    def remove_folder(self, found: Found) -> None:
        """Remove an empty folder; raises `OSError` when it is not empty."""


def missing_folders(tree: Tree, changes: Iterable[Change]) -> tuple[str, ...]:
    """The folders that will be made for these changes, each after the one that holds it."""
    missing: set[str] = set()
    there = {"/"}
    for change in changes:
        if change.before is not None or change.after is None:
            continue
        folder = os.path.dirname(change.path)
        while folder not in there and folder not in missing:
            (missing if tree.find(folder, base="/").kind == "missing" else there).add(folder)
            folder = os.path.dirname(folder) if folder in missing else folder
    return tuple(sorted(missing))


def remove_empty(tree: Tree, folders: Sequence[str]) -> list[str]:
    """Remove those that are empty, the innermost first; which ones that were. Others stay, whatever the reason."""
    gone = []
    for folder in reversed(folders):
        with suppress(OSError):
            found = tree.find(folder, base="/")
            if found.kind == "folder" and found.path == folder and _remove(tree, found):
                gone.append(folder)
    return gone


def _remove(tree: Tree, found: Found) -> bool:
    if isinstance(tree, RemovesFolders):
        tree.remove_folder(found)
    elif tree.name == "local":
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
