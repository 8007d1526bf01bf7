"""What a search finds and what a page says, whoever found or read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRow:
    """One result of a search.

    Attributes:
        url: Where it is.
        title: What it is called.
        description: What it is about, or what it says about the question.
    """

    url: str
    title: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a page says, or why nobody knows.

    Attributes:
        url: What was asked for.
        content: What it says, as Markdown.
        title: What it is called.
        final_url: Where it was found, when redirects led elsewhere.
        kind: What it was: `html`, `pdf`, `text`, `json`, `feed`, ...; empty when whoever read it does not tell.
        facts: What else is known, such as `author`, `date`, `language`, `description`.
        error: Why there is no content; empty when there is.
        hint: What can be done about that.
        refused: The code of the guard's refusal, such as `private`; empty when it did not refuse.
        notes: What a reader should know, such as that something was left out.
    """

    url: str
    content: str = ""
    title: str = ""
    final_url: str = ""
    kind: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    hint: str = ""
    refused: str = ""
    notes: tuple[str, ...] = ()
