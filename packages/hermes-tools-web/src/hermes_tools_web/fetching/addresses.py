"""URLs as people and pages write them, in the ASCII that goes over the wire."""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin

from hermes_net import NetPolicy, UrlRefusedError, UrlVerdict, check_url
from hermes_tools_web.fetching.errors import REFUSED, FetchError
from hermes_tools_web.fetching.keys import has_secret

_PARTS = re.compile(r"(?P<scheme>[A-Za-z]+)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?")
_PORT = re.compile(r":([0-9]+)\Z")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_IN_PATHS = "/%:@!$&'()*+,;=-._~|[]"
_IN_QUERIES = _IN_PATHS + "?{}^`"
_LOOSE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_AROUND = " \t\r\n\f\v"
_NO_ADDRESS = frozenset({"unresolved", "timeout"})
"""What the guard says of hosts that nobody finds: no rule is against them."""

_ELSEWHERE = "The site is broken. Look for the same elsewhere."

_WRITTEN = NetPolicy(allow_private=True, has_secret=has_secret)
_REDIRECTED = NetPolicy(allow_private=True, keys_in_urls=True)
"""Here only the text of a URL is judged. Where it leads is judged by the guarded client, when it connects."""


def in_ascii(url: str, *, redirected: bool = False) -> str:
    """A URL with its host in IDNA and everything else percent-encoded, without its fragment.

    Args:
        url: The URL as somebody wrote it.
        redirected: Whether a server wrote it: what looks like a key was then known to that server.

    Raises:
        FetchError: it is no URL that may be fetched.
    """
    text = url.strip(_AROUND) if isinstance(url, str) else url
    verdict = check_url(text, resolver=_anywhere, policy=_REDIRECTED if redirected else _WRITTEN)
    if not verdict:
        raise refusal(verdict, redirected=redirected)
    parts = _PARTS.match(text)
    assert parts is not None  # or it would have been refused
    host = f"[{verdict.host}]" if ":" in verdict.host else verdict.host
    path = quote(_whole_escapes(parts["path"]), safe=_IN_PATHS) or "/"
    query = "" if parts["query"] is None else "?" + quote(_whole_escapes(parts["query"]), safe=_IN_QUERIES)
    scheme = parts["scheme"].lower()
    return f"{scheme}://{host}{_port(scheme, parts['authority'])}{path}{query}"


def joined(base: str, reference: str) -> str:
    """Where a reference on a page, or in a redirect, leads; in ASCII.

    Raises:
        FetchError: it leads nowhere, or where nothing may be fetched.
    """
    try:
        whole = urljoin(base, reference.strip(_AROUND))
    except ValueError:
        raise FetchError(
            "The page redirects to something that is no URL.",
            code="bad_redirect",
            hint=_ELSEWHERE,
        ) from None
    return in_ascii(whole, redirected=True)


def refusal(verdict: UrlVerdict, *, redirected: bool) -> FetchError:
    """The error for a URL that the guard refuses, or whose host it cannot find.

    Args:
        verdict: What the guard says.
        redirected: Whether a redirect led there.
    """
    said = UrlRefusedError(verdict)
    if verdict.code in _NO_ADDRESS:
        message = f"It redirects to a host that is not found. {said.message}" if redirected else said.message
        return FetchError(message, code="unreachable", hint=_ELSEWHERE if redirected else said.hint)
    message = f"It redirects to where nothing is fetched. {said.message}" if redirected else said.message
    hint = "Do not ask for the target of the redirect either." if redirected else said.hint
    return FetchError(message, code=REFUSED, hint=hint, refused=verdict.code)


def _anywhere(_: str) -> list[str]:
    return ["127.0.0.1"]


def _port(scheme: str, authority: str) -> str:
    found = _PORT.search(authority)
    return "" if found is None or int(found[1]) == _DEFAULT_PORTS[scheme] else f":{int(found[1])}"


def _whole_escapes(text: str) -> str:
    return _LOOSE_PERCENT.sub("%25", text)
