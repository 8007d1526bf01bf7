"""Parts of pages: tables, and words as code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a Markdown table. Line breaks in cells become spaces, and bars are escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def code(words: Iterable[str]) -> str:
    """Format words as code, separated by commas."""
    return ", ".join(f"`{word}`" for word in words)
