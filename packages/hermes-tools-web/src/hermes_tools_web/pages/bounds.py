"""Cuts a document that is too long for anybody to read, where its structure allows."""

from __future__ import annotations

import re
from dataclasses import replace

from hermes_tools_web.pages.document import Document

MOST_CHARACTERS = 1_900_000
"""Longer texts are refused by those who summarise them."""
_FENCE = re.compile(r"^[ >]*(`{3,})", re.MULTILINE)


def bounded(document: Document, most: int = MOST_CHARACTERS) -> Document:
    """The document, or its beginning with a note that the rest is missing.

    Args:
        document: What was read.
        most: How many characters at most.
    """
    size = len(document.markdown)
    if size <= most:
        return document
    note = f"It is very long: the first {most:,} of {size:,} characters are shown."
    return replace(document, markdown=cut(document.markdown, most), notes=(*document.notes, note))


def cut(markdown: str, most: int) -> str:
    """The beginning of a text, at the end of a line where there is one, and with its fence closed.

    Args:
        markdown: The text.
        most: How many characters at most, the closing fence not counted.
    """
    kept = markdown[:most]
    end = kept.rfind("\n", most - 20_000)
    kept = kept[:end] if end > 0 else kept
    opened = ""
    for match in _FENCE.finditer(kept):
        marks = match.group(1)
        if not opened:
            opened = marks
        elif len(marks) >= len(opened):
            opened = ""
    return f"{kept}\n{opened}" if opened else kept
