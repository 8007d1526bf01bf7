"""Changes files, all of them or none."""

from __future__ import annotations

import errno
from collections.abc import Sequence

from hermes_tools_terminal.files.tree import ChangedError, Found, Tree
from hermes_tools_terminal.undo.change import Change


class StuckError(Exception):
    """Raised when it went wrong half-way and could not be put back; the cause is what went wrong first.

    Attributes:
        paths: The files that are new.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__(", ".join(paths))
        self.paths = tuple(paths)


def look_again(tree: Tree, changes: Sequence[Change]) -> None:
    """Make sure that every file is what was found. Called under the files' locks, so that it stays so.

    Raises:
        ChangedError: one is not.
    """
    for change in changes:
        now = tree.find(change.path, base="/")
        if (now.path, now.kind, now.stamp) != (change.path, change.found.kind, change.found.stamp):
            raise ChangedError(
                errno.ESTALE, "the file was changed by somebody else meanwhile; read it again", change.path
            )


def make(tree: Tree, change: Change) -> Found:
    """Make one change; what the file is now."""
    if change.after is None:
        tree.remove(change.found)
        return change.found._replace(kind="missing", stamp=None)
    return tree.replace(change.found, change.after, mode=change.mode)


def make_all(tree: Tree, changes: Sequence[Change]) -> None:
    """Make all changes, one after another. When one fails, those before it are put back and its error is raised.

    Putting back needs no more room than there is: a file's new content stood beside the old one when it was made.

    Raises:
        StuckError: something could not be put back.
        OSError: it went wrong, and everything is as before.
    """
    made: list[tuple[Change, Found]] = []
    for change in changes:
        try:
            made.append((change, make(tree, change)))
        except BaseException as error:  # also when somebody interrupts: all or none
            try:
                stuck = _put_back(tree, made, change)
            except BaseException:  # interrupted once more, somewhere in between
                stuck = [*(each.path for each, _ in made), change.path]
            if stuck:
                raise StuckError(stuck) from error
            raise


def _put_back(tree: Tree, made: Sequence[tuple[Change, Found]], failed: Change) -> list[str]:
    """Put files back, the last one first; those for which that did not work."""
    stuck = []
    try:
        half = _made_after_all(tree, failed)
    except OSError:
        half, stuck = None, [failed.path]  # nobody can tell
    for change, now in reversed([*made, (failed, half)]):
        if now is None:
            continue
        mode = change.found.mode if change.before is not None else None
        try:
            make(tree, Change(now, change.after, change.before, mode))
        except OSError:
            stuck.append(change.path)
    return stuck


def _made_after_all(tree: Tree, failed: Change) -> Found | None:
    """The file, if a change that has failed was made nevertheless: what fails last is to have it on the disk."""
    now = tree.find(failed.path, base="/")
    if (now.path, now.kind, now.stamp) == (failed.path, failed.found.kind, failed.found.stamp):
        return None
    if failed.after is None:
        return now if now.kind == "missing" else None
    same = now.kind == "file" and now.stamp is not None and now.stamp.size == len(failed.after)
    return now if same and tree.read(now) == failed.after else None
