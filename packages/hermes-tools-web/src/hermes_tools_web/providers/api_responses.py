"""Reads what services answer, of which nothing can be taken for granted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from hermes_tools_web.providers.account import Account
from hermes_tools_web.providers.protocol import Page, ProviderError


def response_error(account: Account, what: str) -> ProviderError:
    """The error for an answer that is not as the service documents it.

    Args:
        account: Whose answer it is.
        what: What is wrong with it, as the end of a sentence.
    """
    hint = "Try it again later, or ask the user to choose another provider with web.backend."
    if account.own:
        hint = f"Ask the user to make sure that web.{account.name}_url leads to {account.setup.title}."
    return ProviderError(
        account.name,
        f"{account.setup.title} answered in a way that it does not document: {what}.",
        hint=hint,
        again=True,
    )


def items(account: Account, answer: Mapping[str, Any], *way: str) -> list[Mapping[str, Any]]:
    """The objects of a list in an answer; what else is in the list is passed over.

    Args:
        account: Whose answer it is.
        answer: The answer.
        way: The names that lead to the list.

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
    """The objects of a list that need not be there."""
    found = answer.get(name)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def read_facts(item: Mapping[str, Any], **names: str) -> dict[str, str]:
    """What is known of a page besides what it says, under our names for it; what is no text is left out."""
    found = {ours: text(item, theirs).strip() for ours, theirs in names.items()}
    return {name: value for name, value in found.items() if value}


def text(item: Mapping[str, Any], *names: str) -> str:
    """The first of several members that is a text with something in it; empty when none is."""
    for name in names:
        found = item.get(name)
        if isinstance(found, str) and found.strip():
            return found
    return ""


def texts(item: Mapping[str, Any], name: str) -> list[str]:
    """The texts of a list that is a member; what else is in the list is passed over."""
    found = item.get(name)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def part(item: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A member that is an object; an empty one when it is not."""
    found = item.get(name)
    return found if isinstance(found, Mapping) else {}


def match_pages(account: Account, urls: Sequence[str], pages: Iterable[Page]) -> tuple[Page, ...]:
    """One page for each URL, in their order; a service may leave some out, and spell URLs in its own way.

    Args:
        account: Whose pages they are.
        urls: What it was asked for.
        pages: What it gave, under its own spelling of the URLs.
    """
    exact: dict[str, Page] = {}
    alike: dict[str, Page] = {}
    for page in pages:
        exact.setdefault(page.url, page)
        alike.setdefault(_spelling(page.url), page)
    return tuple(_as_asked(account, url, exact.get(url) or alike.get(_spelling(url))) for url in urls)


def _as_asked(account: Account, url: str, page: Page | None) -> Page:
    if page is None:
        return Page(url=url, error=f"{account.setup.title} gave nothing for this page.")
    return Page(
        url=url,
        content=page.content,
        title=page.title,
        final_url=page.final_url or (page.url if page.url != url else ""),
        kind=page.kind,
        facts=page.facts,
        error=page.error,
        hint=page.hint,
        refused=page.refused,
        notes=page.notes,
    )


def _spelling(url: str) -> str:
    """A URL without what services change when they repeat it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    host = parts.netloc.lower().removeprefix("www.")
    query = f"?{parts.query}" if parts.query else ""
    return f"{host}{parts.path.rstrip('/')}{query}"
