"""Keeps the store small: the oldest receipts go first, and those that somebody may still need last."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass

from hermes_tools_terminal.undo.locks import take
from hermes_tools_terminal.undo.receipt import Receipt
from hermes_tools_terminal.undo.shelf import Shelf, Slot

_LOOK_EVERY = 16
"""All sizes are added up once for so many receipts; a look costs as much as the folder has files."""

_BIG = 64
"""A receipt of more than this part of the room is a reason to look, too."""

_NEEDED = 2
"""The worth of receipts that can be undone."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is kept.

    Attributes:
        keep: How many receipts.
        max_bytes: How many bytes they have together.
    """

    keep: int
    max_bytes: int

    def __post_init__(self) -> None:
        if self.keep < 1 or self.max_bytes < 0:
            raise ValueError("at least one receipt is kept, and the room for them is no negative number")

    @property
    def largest(self) -> int:
        """So many bytes of contents may one receipt have."""
        return self.max_bytes // 4


def make_room(shelf: Shelf, bounds: Bounds, plan: Receipt) -> None:
    """Remove old receipts, so that a new one fits. Never raises: room is made as far as it can be.

    Who goes back many steps makes as many receipts, and needs the old ones: for these there is twice the room.

    Args:
        shelf: The receipts.
        bounds: How much is kept.
        plan: The new one.
    """
    number, size = plan.number, sum(map(sum, plan.sizes()))
    with suppress(OSError):
        if plan.kind == "call":
            shelf.drop(number - bounds.keep, "done") or shelf.drop(number - bounds.keep, "undone")
        if number % _LOOK_EVERY == 0 or size > bounds.max_bytes // _BIG:
            _sweep(shelf, bounds, plan, size)


def _sweep(shelf: Shelf, bounds: Bounds, plan: Receipt, size: int) -> None:
    slots = [slot for slot in shelf.slots() if slot.number != plan.number]
    count, total = len(slots), sum(slot.size for slot in slots)
    for slot in sorted(slots, key=lambda slot: (_worth(slot), slot.number)):
        times = 1 if plan.kind == "call" or _worth(slot) < _NEEDED else 2
        # Some room is left, so that all those which come before the next look fit.
        fits = count < bounds.keep * times and total <= bounds.max_bytes * times * 3 // 4 - size
        if (not fits or slot.state == "part") and _dropped(shelf, slot):
            count, total = count - 1, total - slot.size


def _worth(slot: Slot) -> int:
    """What goes last: receipts that were not written to the end go first, those that somebody has to settle last."""
    return {"part": 0, "undone": 1, "done": _NEEDED}.get(slot.state, 3)


def _dropped(shelf: Shelf, slot: Slot) -> bool:
    if slot.state in ("part", "unfinished") and _is_used(shelf.path(slot.number, slot.state)):
        return False
    with suppress(OSError):
        return shelf.drop(slot.number, slot.state)
    return False


def _is_used(path: str) -> bool:
    """Whether a process works at it."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return True
    try:
        return not take(handle)
    except OSError:
        return True
    finally:
        os.close(handle)
