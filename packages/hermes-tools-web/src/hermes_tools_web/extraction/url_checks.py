"""Which URLs may be read at all: judged before anybody is asked for them, and once more where they led."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hermes_net import NetPolicy, UrlRefusedError, UrlVerdict, acheck_url
from hermes_text.secrets import redact
from hermes_tools_web.extraction.job import Outcome
from hermes_tools_web.fetcher.errors import FetchError
from hermes_tools_web.fetcher.urls import encode_url, find_key
from hermes_tools_web.providers.protocol import Page

_NOT_POLICY = frozenset({"not_a_url", "spelling", "unresolved", "timeout"})
"""Refusals that say that a URL leads nowhere, not that somebody forbids it."""
_SECRET = frozenset({"api_key", "credentials"})
_PASSING = frozenset({"unresolved", "timeout"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedUrl:
    """A URL that may be read, as far as its text tells.

    Attributes:
        url: The URL, as it was written.
        address: The same in ASCII, as it goes over the wire.
    """

    url: str
    address: str


def check_text(url: str) -> CheckedUrl | Outcome:
    """A URL in ASCII, or why it is none that may be read. No name is looked up: that alone would tell a key.

    Args:
        url: The URL, as it was written.
    """
    try:
        address = encode_url(url)
    except FetchError as error:
        return _refused(url, error.message, error.hint, error.refused)
    hidden = find_key(url)
    if hidden is not None:
        return refusal(url, hidden)
    return CheckedUrl(url=url, address=address)


async def check_host(checked: CheckedUrl, policy: NetPolicy) -> Outcome | None:
    """Why the guard does not let a URL be read; None when it does.

    Args:
        admitted: The URL.
        policy: What the user allows.
    """
    verdict = await acheck_url(checked.address, policy=policy)
    return None if verdict else refusal(checked.url, verdict)


async def check_redirect(page: Page, policy: NetPolicy) -> UrlVerdict | None:
    """What is wrong with where a page was found, when whoever read it was led there; None when nothing is.

    A name that cannot be looked up just now is no reason: somebody has been there already.

    Args:
        page: What was read.
        policy: What the user allows.
    """
    if not page.final_url or page.final_url == page.url:
        return None
    # What looks like a key there was written by its server.
    verdict = await acheck_url(page.final_url, policy=replace(policy, keys_in_urls=True))
    return None if verdict or verdict.code in _PASSING else verdict


def refusal(url: str, verdict: UrlVerdict, *, redirected: bool = False) -> Outcome:
    """What became of a URL that the guard refuses.

    Args:
        url: The URL, as it was written.
        verdict: What the guard says.
        redirected: Whether it says so of where the URL led.
    """
    said = UrlRefusedError(verdict)
    if redirected:
        message = f"It redirects to where nothing is read. {said.message}"
        return _refused(url, message, "Do not ask for the target of the redirect either.", verdict.code, verdict.host)
    return _refused(url, said.message, said.hint, verdict.code, verdict.host)


def policy_block(code: str, message: str, host: str = "") -> dict[str, str] | None:
    """The rule that forbids a URL, for a program to read; None when no rule does."""
    if not code or code in _NOT_POLICY:
        return None
    return {"rule": code, **({"host": host} if host else {}), "message": message}


def _refused(url: str, message: str, hint: str | None, code: str, host: str = "") -> Outcome:
    # Who wrote a key into a URL need not read it again, and those who look at the results must not.
    shown = redact(url) if code in _SECRET else url
    page = Page(url=shown, error=message, hint=hint or "", refused=code)
    return Outcome(page=page, blocked=policy_block(code, message, host))
