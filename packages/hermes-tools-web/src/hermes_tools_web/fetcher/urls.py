"""Encode URLs in ASCII, and detect keys in them."""

from __future__ import annotations

import re
from unicodedata import normalize
from urllib.parse import quote, quote_plus, urljoin

from hermes_net import NetPolicy, check_url
from hermes_tools_web.fetcher.errors import FetchError, refusal_error

_PARTS = re.compile(r"(?P<scheme>[A-Za-z]+)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?")
_PORT = re.compile(r":([0-9]+)\Z")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_IN_PATHS = "/%:@!$&'()*+,;=-._~|[]"
_IN_QUERIES = _IN_PATHS + "?{}^`"
_LOOSE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_AROUND = " \t\r\n\f\v"

_WRITTEN = NetPolicy(allow_private=True)
_REDIRECTED = NetPolicy(allow_private=True, keys_in_urls=True)
"""Only the text of a URL is checked here. The guarded client checks the address when it connects."""


def encode_url(url: str, *, redirected: bool = False) -> str:
    """Encode the host of a URL in IDNA and the rest in percent-encoding, without the fragment.

    If a server wrote it, `redirected` is True: the server already knows a key in it.

    Raises:
        FetchError: it is not a URL that may be fetched.
    """
    text = url.strip(_AROUND) if isinstance(url, str) else url
    verdict = check_url(text, resolve=False, policy=_REDIRECTED if redirected else _WRITTEN)
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
        hint = "The site is broken. Try another source."
        raise FetchError("The page redirects to an invalid URL.", code="bad_redirect", hint=hint) from None
    return encode_url(whole, redirected=True)


def _port(scheme: str, authority: str) -> str:
    found = _PORT.search(authority)
    return "" if found is None or int(found[1]) == _DEFAULT_PORTS[scheme] else f":{int(found[1])}"


def _whole_escapes(text: str) -> str:
    return _LOOSE_PERCENT.sub("%25", text)


def has_key_in_query(query: str) -> bool:
    """Return whether a search query contains a key: it would be sent as a URL parameter."""
    asked = f"https://search.invalid/?q={quote_plus(normalize('NFKC', query))}"
    return check_url(asked, resolve=False, policy=_WRITTEN).code == "api_key"
