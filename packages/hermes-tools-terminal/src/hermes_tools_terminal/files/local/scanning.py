"""Going through a file piece by piece: line feeds are counted, and nothing is held."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from hermes_tools_terminal.files.local.line_index import LineIndex

PIECE = 1 << 17
"""How much is read at once: more is no quicker, as it does not stay in the processor's cache."""

UNSIZED = 32 << 20
"""How far files are read that give no size, such as the kernel's own in /proc."""


def pieces(handle: int, place: int, end: int, size: int = PIECE) -> Iterator[bytes]:
    """The bytes of a file between two places, or up to its end if that comes first."""
    while place < end and (piece := os.pread(handle, min(size, end - place), place)):
        yield piece
        place += len(piece)


def end_of(seen: os.stat_result) -> int:
    """Where reading ends: a file that grows meanwhile is read as far as it went at first."""
    return seen.st_size or UNSIZED


def skip(handle: int, end: int, index: LineIndex, wanted: int) -> tuple[int, int]:
    """Go behind some line feeds, or to the end if there are fewer.

    Args:
        handle: The file.
        end: Where it ends.
        index: What is known of it, and what is learned of it.
        wanted: How many line feeds to pass.

    Returns:
        The place, and how many lines are before it.
    """
    if not wanted:
        return 0, 0
    place, passed = index.before(wanted)
    last = b""
    for piece in pieces(handle, place, end):
        here = piece.count(b"\n")
        if passed + here >= wanted:
            return place + _behind(piece, wanted - passed), wanted
        place, passed, last = place + len(piece), passed + here, piece
        index.mark(place, passed)
    if not last and place:  # a mark was the end of the file
        last = os.pread(handle, 1, place - 1)
    return place, passed + (last[-1:] not in (b"\n", b""))


def count(
    handle: int, place: int, end: int, index: LineIndex, passed: int, give_way: Callable[[], None] | None = None
) -> int:
    """How many lines a file has.

    Args:
        handle: The file.
        place: Where to start.
        end: Where it ends.
        index: What is learned of it.
        passed: How many line feeds there are before the start.
        give_way: Called before each piece is looked at.
    """
    last = b""
    for piece in pieces(handle, place, end):
        if give_way is not None:
            give_way()
        place, passed, last = place + len(piece), passed + piece.count(b"\n"), piece
        index.mark(place, passed)
    if not last and place:
        last = os.pread(handle, 1, place - 1)
    return passed + (last[-1:] not in (b"\n", b""))


def _behind(piece: bytes, wanted: int) -> int:
    """The place behind a piece's wanted line feed, in halves: counting is much quicker than finding one by one."""
    low, high = 0, len(piece)
    while high - low > 512:
        middle = (low + high) // 2
        here = piece.count(b"\n", low, middle)
        if here >= wanted:
            high = middle
        else:
            low, wanted = middle, wanted - here
    for _ in range(wanted):
        low = piece.index(b"\n", low) + 1
    return low
