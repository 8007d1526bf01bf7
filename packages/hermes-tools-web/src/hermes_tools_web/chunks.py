"""Cuts long texts where a reader would pause."""

from __future__ import annotations

_PAUSES = ("\n\n", "\n", ". ", " ")
_REACH = 10
"""A pause is looked for in the last tenth: further back, too much would be lost."""


def chunks_of(text: str, size: int) -> list[str]:
    """A text in pieces, none longer than a size; together they are the text.

    Args:
        text: Any text.
        size: How many characters a piece has at most.
    """
    pieces: list[str] = []
    start = 0
    while len(text) - start > size:
        end = start + _pause(text[start : start + size])
        pieces.append(text[start:end])
        start = end
    pieces.append(text[start:])
    return pieces


def cut_at(text: str, most: int) -> str:
    """The beginning of a text, cut where a reader would pause; the text itself when it is short enough.

    Args:
        text: Any text.
        most: How many characters are left at most.
    """
    if len(text) <= most:
        return text
    head = text[: max(0, most)]
    return head[: _pause(head)].rstrip()


def _pause(piece: str) -> int:
    """Where a piece ends that was cut anywhere: after its last pause, if that is late in it."""
    earliest = len(piece) - len(piece) // _REACH
    for mark in _PAUSES:
        found = piece.rfind(mark, earliest)
        if found > 0:
            return found + len(mark)
    return len(piece)
