"""Numbers of things, as people say them."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
