"""Encode URLs in ASCII, and detect keys in them."""

from __future__ import annotations

import re
from unicodedata import normalize
from urllib.parse import quote, quote_plus, unquote, urljoin

from hermes_net import NetPolicy, UrlVerdict, check_url
from hermes_text.secrets import redact
from hermes_tools_web.fetcher.errors import FetchError, refusal_error

_PARTS = re.compile(r"(?P<scheme>[A-Za-z]+)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?")
_PORT = re.compile(r":([0-9]+)\Z")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_IN_PATHS = "/%:@!$&'()*+,;=-._~|[]"
_IN_QUERIES = _IN_PATHS + "?{}^`"
_LOOSE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_AROUND = " \t\r\n\f\v"

_ELSEWHERE = "The site is broken. Try another source."


def has_secret(text: str) -> bool:
    """Return whether text contains a secret."""
    return redact(text) != text


_WRITTEN = NetPolicy(allow_private=True)
_REDIRECTED = NetPolicy(allow_private=True, keys_in_urls=True)
"""Only the text of a URL is checked here. The guarded client checks the address when it connects."""


def encode_url(url: str, *, redirected: bool = False) -> str:
    """Encode the host of a URL in IDNA and the rest in percent-encoding, without the fragment.

    Args:
        url: The URL as written.
        redirected: True when a server wrote it: the server already knows a key in it.

    Raises:
        FetchError: it is not a URL that may be fetched.
    """
    text = url.strip(_AROUND) if isinstance(url, str) else url
    verdict = check_url(text, resolver=_anywhere, policy=_REDIRECTED if redirected else _WRITTEN)
    if not verdict:
        raise refusal_error(verdict, redirected=redirected)
    parts = _PARTS.match(text)
    assert parts is not None  # otherwise it would have been refused
    host = f"[{verdict.host}]" if ":" in verdict.host else verdict.host
    path = quote(_whole_escapes(parts["path"]), safe=_IN_PATHS) or "/"
    query = "" if parts["query"] is None else "?" + quote(_whole_escapes(parts["query"]), safe=_IN_QUERIES)
    scheme = parts["scheme"].lower()
    return f"{scheme}://{host}{_port(scheme, parts['authority'])}{path}{query}"


def join_url(base: str, reference: str) -> str:
    """Resolve a reference on a page or in a redirect.

    Raises:
        FetchError: it is invalid or must not be fetched.
    """
    try:
        whole = urljoin(base, reference.strip(_AROUND))
    except ValueError:
        raise FetchError(
            "The page redirects to an invalid URL.",
            code="bad_redirect",
            hint=_ELSEWHERE,
        ) from None
    return encode_url(whole, redirected=True)


def _anywhere(_: str) -> list[str]:
    return ["127.0.0.1"]


def _port(scheme: str, authority: str) -> str:
    found = _PORT.search(authority)
    return "" if found is None or int(found[1]) == _DEFAULT_PORTS[scheme] else f":{int(found[1])}"


def _whole_escapes(text: str) -> str:
    return _LOOSE_PERCENT.sub("%25", text)


_IN_HOST = UrlVerdict(allowed=False, code="api_key", reason="The host of the URL looks like a key.")


def find_key(url: str) -> UrlVerdict | None:
    """Return the verdict on a key in the URL or in its decoded form; None when there is none.

    The text alone decides: a DNS lookup could already leak the key.
    """
    plain = normalize("NFKC", unquote(url))
    for spelling in (url, plain):
        host = spelling.partition("://")[2].partition("/")[0]
        if has_secret(host):
            return _IN_HOST
    verdict = check_url(plain, resolver=_anywhere, policy=_WRITTEN)
    return verdict if verdict.code == "api_key" else None


def has_key_in_query(query: str) -> bool:
    """Return whether a search query contains a key: it would be sent as a URL parameter."""
    asked = f"https://search.invalid/?q={quote_plus(normalize('NFKC', query))}"
    return check_url(asked, resolver=_anywhere, policy=_WRITTEN).code == "api_key"
