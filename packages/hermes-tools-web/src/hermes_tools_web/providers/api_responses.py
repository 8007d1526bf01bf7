"""Read fields from the JSON of a service without trusting its structure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from hermes_tools_web.providers.account import Account
from hermes_tools_web.providers.protocol import Page, ProviderError, SearchRow


def response_error(account: Account, what: str) -> ProviderError:
    """Build the error for an undocumented response.

    Args:
        account: The account of the service.
        what: What is wrong, as part of a sentence.
    """
    hint = "Try again later, or ask the user to choose another provider with web.backend."
    if account.own:
        hint = f"Ask the user to check that web.{account.name}_url points to {account.setup.title}."
    return ProviderError(
        account.name,
        f"{account.setup.title} sent an undocumented response: {what}.",
        hint=hint,
        retryable=True,
    )


def items(account: Account, answer: Mapping[str, Any], *way: str) -> list[Mapping[str, Any]]:
    """Return the objects of a nested list; other items are skipped.

    Raises:
        ProviderError: there is no list.
    """
    found: object = answer
    for step in way:
        found = found.get(step) if isinstance(found, Mapping) else None
    if not isinstance(found, list):
        raise response_error(account, f"there is no list {'.'.join(way)!r}")
    return [each for each in found if isinstance(each, Mapping)]


def optional_items(answer: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects of an optional list."""
    found = answer.get(name)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def read_facts(item: Mapping[str, Any], **names: str) -> dict[str, str]:
    """Return metadata under our names; anything but text is left out."""
    found = {ours: text(item, theirs).strip() for ours, theirs in names.items()}
    return {name: value for name, value in found.items() if value}


def text(item: Mapping[str, Any], *names: str) -> str:
    """Return the first of several fields that is a non-empty text; empty when none is."""
    for name in names:
        found = item.get(name)
        if isinstance(found, str) and found.strip():
            return found
    return ""


def texts(item: Mapping[str, Any], name: str) -> list[str]:
    """Return the texts of a list field."""
    found = item.get(name)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def part(item: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object field; an empty one when it is missing."""
    found = item.get(name)
    return found if isinstance(found, Mapping) else {}


def read_rows(found: Iterable[Mapping[str, Any]], description: str) -> list[SearchRow]:
    """Return search results whose description is in a given field."""
    return [
        SearchRow(url=text(item, "url"), title=text(item, "title"), description=text(item, description))
        for item in found
    ]


def match_pages(account: Account, urls: Sequence[str], pages: Iterable[Page]) -> tuple[Page, ...]:
    """Return one page per URL, in order; a service may leave some out and normalize URLs."""
    exact: dict[str, Page] = {}
    alike: dict[str, Page] = {}
    for page in pages:
        exact.setdefault(page.url, page)
        alike.setdefault(_spelling(page.url), page)
    return tuple(_as_asked(account, url, exact.get(url) or alike.get(_spelling(url))) for url in urls)


def _as_asked(account: Account, url: str, page: Page | None) -> Page:
    if page is None:
        return Page(url=url, error=f"{account.setup.title} returned nothing for this page.")
    return replace(page, url=url, final_url=page.final_url or (page.url if page.url != url else ""))


def _spelling(url: str) -> str:
    """Normalize a URL without what services change."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    host = parts.netloc.lower().removeprefix("www.")
    query = f"?{parts.query}" if parts.query else ""
    return f"{host}{parts.path.rstrip('/')}{query}"
