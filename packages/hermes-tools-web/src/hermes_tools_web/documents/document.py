"""What a page or document says once it was read, and the error when it cannot be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link of a page.

    Attributes:
        url: Where it leads: absolute, http or https.
        text: What it is called.
        rel: The words of its `rel`, such as `nofollow`; `frame` for a frame.
    """

    url: str
    text: str = ""
    rel: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a page or document says.

    Attributes:
        kind: What it is: `html`, `pdf`, `feed`, `json`, `xml` or `text`.
        title: What it is called; empty when it does not tell.
        markdown: What it says, as Markdown.
        facts: What else is known, such as `author`, `date`, `language`, `description` and `site`.
        links: Its links, when they were asked for.
        notes: What a reader should know, such as that something was left out.
        canonical: The address the page gives itself; empty when it does not.
        robots: What the page asks of robots, such as `nofollow` and `noindex`.
    """

    kind: str
    title: str = ""
    markdown: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    notes: tuple[str, ...] = ()
    canonical: str = ""
    robots: frozenset[str] = frozenset()


class UnreadableError(Exception):
    """Raised when a document cannot be read.

    Attributes:
        reason: What it is, or what is wrong with it.
        hint: What can be done about that.
    """

    def __init__(self, reason: str, hint: str = "") -> None:
        self.reason = reason
        self.hint = hint
        super().__init__(f"{reason} {hint}".strip())


MAX_CHARACTERS = 1_900_000
"""Longer texts are refused by those who summarize them."""
_FENCE = re.compile(r"^[ >]*(`{3,})", re.MULTILINE)


def truncate_document(document: Document, maximum: int = MAX_CHARACTERS) -> Document:
    """The document, or its beginning with a note that the rest is missing.

    Args:
        document: What was read.
        most: How many characters at most.
    """
    size = len(document.markdown)
    if size <= maximum:
        return document
    note = f"It is very long: the first {maximum:,} of {size:,} characters are shown."
    return replace(document, markdown=cut(document.markdown, maximum), notes=(*document.notes, note))


def cut(markdown: str, maximum: int) -> str:
    """The beginning of a text, at the end of a line where there is one, and with its fence closed.

    Args:
        markdown: The text.
        most: How many characters at most, the closing fence not counted.
    """
    kept = markdown[:maximum]
    end = kept.rfind("\n", maximum - 20_000)
    kept = kept[:end] if end > 0 else kept
    opened = ""
    for match in _FENCE.finditer(kept):
        marks = match.group(1)
        if not opened:
            opened = marks
        elif len(marks) >= len(opened):
            opened = ""
    return f"{kept}\n{opened}" if opened else kept
