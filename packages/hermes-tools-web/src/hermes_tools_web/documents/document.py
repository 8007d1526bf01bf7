"""A parsed document, and the error for one that cannot be parsed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link on a page."""

    url: str  # the absolute URL, http or https
    text: str = ""
    rel: frozenset[str] = frozenset()  # the values of `rel`, such as `nofollow`; `frame` for a frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A parsed page or document."""

    kind: str  # `html`, `pdf`, `feed`, `json`, `xml` or `text`
    title: str = ""  # the title; empty when there is none
    markdown: str = ""  # the content as Markdown
    facts: Mapping[str, str] = field(default_factory=dict)  # `author`, `date`, `language`, `description`, `site`, ...
    links: tuple[Link, ...] = ()  # the links, if requested
    notes: tuple[str, ...] = ()  # notes for the reader, such as that something was left out
    canonical: str = ""  # the canonical URL; empty when there is none
    robots: frozenset[str] = frozenset()  # the robots directives, such as `nofollow` and `noindex`


class UnreadableError(Exception):
    """Raised when a document cannot be parsed.

    Attributes:
        reason: What the document is, or what is wrong with it.
        hint: What to do about it.
    """

    def __init__(self, reason: str, hint: str = "") -> None:
        self.reason = reason
        self.hint = hint
        super().__init__(f"{reason} {hint}".strip())


MAX_CHARACTERS = 1_900_000
"""The summarizer rejects longer texts."""
_FENCE = re.compile(r"^[ >]*(`{3,})", re.MULTILINE)


def truncate_document(document: Document, maximum: int = MAX_CHARACTERS) -> Document:
    """Truncate a document that is too long, with a note."""
    size = len(document.markdown)
    if size <= maximum:
        return document
    note = f"The document is very long: the first {maximum:,} of {size:,} characters are shown."
    return replace(document, markdown=cut(document.markdown, maximum), notes=(*document.notes, note))


def cut(markdown: str, maximum: int) -> str:
    """Truncate Markdown at the end of a line, and close an open fence."""
    shown = markdown[:maximum]
    end = shown.rfind("\n", maximum - 20_000)
    shown = shown[:end] if end > 0 else shown
    opened = ""
    for match in _FENCE.finditer(shown):
        marks = match.group(1)
        if not opened:
            opened = marks
        elif len(marks) >= len(opened):
            opened = ""
    return f"{shown}\n{opened}" if opened else shown
