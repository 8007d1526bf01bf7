"""Check URLs before a page is requested, and again after redirects."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hermes_net import NetPolicy, UrlRefusedError, UrlVerdict, acheck_url
from hermes_text.secrets import redact
from hermes_tools_web.extraction.job import Outcome
from hermes_tools_web.fetcher.errors import FetchError
from hermes_tools_web.fetcher.urls import encode_url, find_key
from hermes_tools_web.providers.protocol import Page

_NOT_POLICY = frozenset({"not_a_url", "spelling", "unresolved", "timeout"})
"""Refusals of URLs that lead nowhere; no rule forbids them."""
_SECRET = frozenset({"api_key", "credentials"})
_PASSING = frozenset({"unresolved", "timeout"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedUrl:
    """A URL whose text may be requested."""

    url: str  # the URL as passed
    address: str  # the URL in ASCII


def check_text(url: str) -> CheckedUrl | Outcome:
    """Encode a URL in ASCII, or return why it is refused. No DNS lookup is made: that alone could leak a key."""
    try:
        address = encode_url(url)
    except FetchError as error:
        return _refused(url, error.message, error.hint, error.refused)
    hidden = find_key(url)
    if hidden is not None:
        return refusal(url, hidden)
    return CheckedUrl(url=url, address=address)


async def check_host(checked: CheckedUrl, policy: NetPolicy) -> Outcome | None:
    """Return why the network guard refuses a URL; None when it is allowed."""
    verdict = await acheck_url(checked.address, policy=policy)
    return None if verdict else refusal(checked.url, verdict)


async def check_redirect(page: Page, policy: NetPolicy) -> UrlVerdict | None:
    """Return why a redirect of a page is refused; None when it is allowed.

    A DNS failure is not a reason: the provider has already been there.
    """
    if not page.final_url or page.final_url == page.url:
        return None
    # The server wrote this URL, so a key in it is no leak.
    verdict = await acheck_url(page.final_url, policy=replace(policy, keys_in_urls=True))
    return None if verdict or verdict.code in _PASSING else verdict


def refusal(url: str, verdict: UrlVerdict, *, redirected: bool = False) -> Outcome:
    """Build the outcome of a refused URL."""
    refused = UrlRefusedError(verdict)
    if redirected:
        message = f"The page redirects to a refused URL. {refused.message}"
        return _refused(url, message, "Do not request the target of the redirect either.", verdict.code, verdict.host)
    return _refused(url, refused.message, refused.hint, verdict.code, verdict.host)


def policy_block(code: str, message: str, host: str = "") -> dict[str, str] | None:
    """Describe the rule that forbids a URL in a machine-readable way; None when there is none."""
    if not code or code in _NOT_POLICY:
        return None
    return {"rule": code, **({"host": host} if host else {}), "message": message}


def _refused(url: str, message: str, hint: str | None, code: str, host: str = "") -> Outcome:
    # Do not repeat a key in the result.
    shown = redact(url) if code in _SECRET else url
    page = Page(url=shown, error=message, hint=hint or "", refused=code)
    return Outcome(page=page, blocked=policy_block(code, message, host))
