"""Compare the present files with a receipt: as before the call, as after it, or changed since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hermes_tools_terminal.files.filesystem import Found, Tree
from hermes_tools_terminal.undo.errors import UndoError
from hermes_tools_terminal.undo.receipt import Receipt, Touched, Version, digest

TreeFor = Callable[[str], Tree]
"""Gives the tree of a place by its name; raises an error that names the place when it cannot be had."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One file of a receipt, as it is now.

    Attributes:
        found: What is there.
        data: Its content; None when it is missing, or nobody needs to read it.
        is_before: Whether it is as before the call.
        is_after: Whether it is as the call left it.
        trouble: What is the matter when it is neither.
    """

    found: Found
    data: bytes | None
    is_before: bool
    is_after: bool
    trouble: str = ""


def local_tree(place: str) -> Tree:
    """The files of this machine, for receipts that were made there.

    Raises:
        UndoError: the receipt was made elsewhere.
    """
    if place != "local":
        raise UndoError(
            f"It was made in {place}, which cannot be reached from here. Run it with the settings of that environment."
        )
    from hermes_tools_terminal.files.local.filesystem import LocalTree

    return LocalTree()


class View:
    """Files of any place as they are, or as they would be.

    Args:
        tree_for: Gives the trees.
    """

    def __init__(self, tree_for: TreeFor) -> None:
        self._tree_for = tree_for
        self._trees: dict[str, Tree] = {}
        self._pretended: dict[tuple[str, str], bytes | None] = {}

    def tree(self, receipt: Receipt) -> Tree:
        """The tree that a receipt was made in.

        Raises:
            UndoError: it is not at hand.
        """
        tree = self._trees.get(receipt.place)
        if tree is None:
            try:
                tree = self._trees[receipt.place] = self._tree_for(receipt.place)
            except UndoError as error:
                raise UndoError(f"Receipt {receipt.number} cannot be used here. {error}") from error
        if tree.name != receipt.place:
            raise UndoError(f"Receipt {receipt.number} was made in {receipt.place}, and this is {tree.name}.")
        return tree

    def pretend(self, receipt: Receipt, path: str, data: bytes | None) -> None:
        """Go on as if a file had this content."""
        self._pretended[receipt.place, path] = data

    def standings(self, receipt: Receipt) -> list[Standing]:
        """How each file of a receipt stands now."""
        tree = self.tree(receipt)
        return [self._standing(tree, file) for file in receipt.files]

    def _standing(self, tree: Tree, file: Touched) -> Standing:
        try:
            found = tree.find(file.path, base="/")
        except OSError as error:
            nothing = Found(file.path, file.path, "other")
            return Standing(nothing, None, False, False, f"cannot be looked at: {error.strerror or error}")
        key = (tree.name, file.path)
        if key in self._pretended:
            return _judged(found, self._pretended[key], file)
        if found.path != file.path:
            return Standing(found, None, False, False, f"is a link to {found.path} now")
        if found.kind == "missing":
            return _judged(found, None, file)
        if found.kind != "file":
            return Standing(found, None, False, False, f"is no file any more but a {found.kind}")
        return _read(tree, found, file)


def _read(tree: Tree, found: Found, file: Touched) -> Standing:
    sizes = {version.size for version in (file.before, file.after) if version is not None}
    if found.stamp is None or found.stamp.size not in sizes:  # however large it is: there is no need to read it
        return Standing(found, None, False, False, "was changed since")
    try:
        return _judged(found, tree.read(found), file)
    except OSError as error:
        return Standing(found, None, False, False, f"cannot be read: {error.strerror or error}")


def _judged(found: Found, data: bytes | None, file: Touched) -> Standing:
    now = None if data is None else digest(data)
    is_before, is_after = now == _digest(file.before), now == _digest(file.after)
    trouble = "" if is_before or is_after else "was removed since" if data is None else "was changed since"
    return Standing(found, data, is_before, is_after, trouble)


def _digest(version: Version | None) -> str | None:
    return None if version is None else version.sha256
