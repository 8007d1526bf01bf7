"""Those who could do a thing, in the order in which they are asked, and what each lacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hermes_tools_web.outside import plain_line
from hermes_tools_web.providers.base import Access, Setup

ORDER = ("tavily", "exa", "parallel", "firecrawl", "searxng", "brave")
"""Who is asked first when the user chose nobody. Providers of other plugins come after these, by name."""
KEYLESS = ("ddgs", "direct")
"""Who comes last: they need nothing, so there is always somebody."""
_SETUP_CHARS = 300
OLD_NAMES = {"brave-free": "brave", "duckduckgo": "ddgs"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A provider and its name.

    Attributes:
        name: How the settings call it.
        provider: A `SearchProvider` or an `ExtractProvider`.
    """

    name: str
    provider: Any


def reason_missing(candidate: Candidate, access: Access) -> str | None:
    """Why a provider cannot be used; None when it can. One that fails to tell cannot be."""
    try:
        found: object = candidate.provider.missing(access)
    except Exception as error:  # a provider of another plugin may raise anything
        return f"{candidate.name} cannot tell whether it can be used: {type(error).__name__}."
    if found is None or isinstance(found, str):
        return found
    return f"{candidate.name} cannot tell whether it can be used: it answered {type(found).__name__}."


def setup_of(candidate: Candidate) -> Setup:
    """What a user needs to know; of one that does not tell, its name."""
    try:
        found: object = candidate.provider.setup
    except Exception:  # as above
        found = None
    if not isinstance(found, Setup):
        return Setup(title=candidate.name, about="")
    return Setup(
        title=_text(found.title) or candidate.name,
        about=_text(found.about),
        url=_text(found.url),
        settings=_texts(found.settings),
        variables=_texts(found.variables),
    )


def asks_one_by_one(candidate: Candidate) -> bool:
    """Whether a provider asks for each page by itself anyway."""
    try:
        return getattr(candidate.provider, "one_by_one", False) is True
    except Exception:  # as above
        return False


def _text(value: object) -> str:
    return plain_line(value, _SETUP_CHARS) if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    """A list of names; one alone is taken for a list of one, since its letters are no names."""
    listed = [value] if isinstance(value, str) else value if isinstance(value, tuple | list) else ()
    return tuple(filter(None, map(_text, listed)))


def in_order(providers: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """All providers of a point, those first that are asked first."""

    def place(name: str) -> tuple[int, str]:
        if name in ORDER:
            return ORDER.index(name), name
        return len(ORDER) + (1 + KEYLESS.index(name) if name in KEYLESS else 0), name

    return tuple(Candidate(name=name, provider=providers[name]) for name in sorted(providers, key=place))


def how_to_get(setup: Setup) -> str:
    """What the user does so that a provider can be used, in a sentence; empty when there is nothing."""
    ways = [*setup.settings[:1], *setup.variables[:1]]
    told = f"Ask the user to set {' or '.join(ways)}" if ways else ""
    if setup.url:
        told = f"{told}; see {setup.url}" if told else f"See {setup.url}"
    return f"{told}." if told else ""
