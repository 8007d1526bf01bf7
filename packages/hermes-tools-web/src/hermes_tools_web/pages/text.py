"""Reads texts that are no markup: as they are, since that is what their writers meant."""

from __future__ import annotations

import re

from hermes_tools_web.pages.characters import one_line, visible
from hermes_tools_web.pages.document import Document

_HEADING = re.compile(r"^\s{0,3}#\s+(.{1,300}?)\s*#*\s*$", re.MULTILINE)
_LATEX_TITLE = re.compile(r"\\title\{([^{}]{1,300})\}")
_FRONT_TITLE = re.compile(r"\A---\n(?:.*\n){0,40}?title:\s*[\"']?(.{1,300}?)[\"']?\s*\n")


def read_text(text: str) -> Document:
    """A text as it is.

    Args:
        text: The text.
    """
    text = visible(text).strip("\n")
    return Document(
        kind="text", title=_title(text[:20_000]), markdown=text, notes=() if text.strip() else ("It is empty.",)
    )


def _title(text: str) -> str:
    for pattern in (_FRONT_TITLE, _LATEX_TITLE, _HEADING):
        match = pattern.search(text)
        if match:
            return one_line(match.group(1))
    return ""
