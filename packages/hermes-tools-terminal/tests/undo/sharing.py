"""Writes through a store that another process uses at the same time."""

from __future__ import annotations

import sys

from hermes_tools_terminal.files.filesystem import ChangedError
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem
from hermes_tools_terminal.undo import Change, UndoStore


def main(store: str, counter: str, own: str, times: int) -> None:
    """Count up a file that others count up, too, and write one of our own together with it."""
    tree, receipts = LocalFileSystem(), UndoStore(store)
    done = 0
    while done < times:
        try:
            found, mine = tree.find(counter, base="/"), tree.find(own, base="/")
            before = tree.read(found)
            ours = tree.read(mine) if mine.kind == "file" else None
            changes = [Change(found, before, b"%d" % (int(before) + 1)), Change(mine, ours, b"%d" % done)]
            receipts.apply(tree, changes, tool="count", task=own)
        except ChangedError:
            continue  # another process was quicker
        done += 1


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
