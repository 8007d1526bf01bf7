"""Reads texts that are no markup: as they are, since that is what their writers meant."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

from hermes_tools_web.pages.characters import one_line, visible
from hermes_tools_web.pages.document import Document

_HEADING = re.compile(r"^\s{0,3}#\s+(.{1,300}?)\s*#*\s*$", re.MULTILINE)
_LATEX_TITLE = re.compile(r"\\title\{([^{}]{1,300})\}")
_FRONT_TITLE = re.compile(r"\A---\n(?:.*\n){0,40}?title:\s*[\"']?(.{1,300}?)[\"']?\s*\n")

_SILENT = frozenset(("script", "style", "template", "svg"))
_BLANK_LINES = re.compile(r"\n\s*\n")


def read_text(text: str) -> Document:
    """A text as it is.

    Args:
        text: The text.
    """
    text = visible(text).strip("\n")
    return Document(
        kind="text", title=_title(text[:20_000]), markdown=text, notes=() if text.strip() else ("It is empty.",)
    )


def read_markup_as_text(text: str) -> Document:
    """The words of HTML or XML without its tags, for when no parser can be imported.

    Args:
        text: The markup.
    """
    words: list[str] = []
    title, silent = "", ""
    first, *pieces = text.split("<")
    for piece in pieces:
        tag, closed, said = piece.partition(">")
        name = tag.split(maxsplit=1)[0].lower() if tag.strip() else ""
        if silent:
            silent = "" if name == f"/{silent}" else silent
        elif name in _SILENT:
            silent = name
        elif name == "title" and not title:
            title = one_line(unescape(said))
        if not silent:
            words.append(said if closed else f"<{piece}")
    found = read_text(_BLANK_LINES.sub("\n\n", unescape(first + " ".join(words))))
    return replace(found, title=title)


def _title(text: str) -> str:
    for pattern in (_FRONT_TITLE, _LATEX_TITLE, _HEADING):
        match = pattern.search(text)
        if match:
            return one_line(match.group(1))
    return ""
