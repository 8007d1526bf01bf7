"""Whether a URL or a query carries a key, judged by its text: to look a host up may already tell it."""

from __future__ import annotations

from unicodedata import normalize
from urllib.parse import quote_plus, unquote

from hermes_net import NetPolicy, UrlVerdict, check_url
from hermes_text.secrets import redact


def has_secret(text: str) -> bool:
    """Whether a text contains something that logs must not show.

    Args:
        text: A part of a URL.
    """
    return redact(text) != text


_IN_HOST = UrlVerdict(allowed=False, code="api_key", reason="The host of the URL looks like a key.")
_TEXT_ONLY = NetPolicy(allow_private=True, has_secret=has_secret)


def key_in(url: str) -> UrlVerdict | None:
    """What the guard says of a key in the host, or of one that shows when the URL is spelt plainly; None without one.

    Args:
        url: The URL, as it was written.
    """
    plain = normalize("NFKC", unquote(url))
    for spelling in (url, plain):
        host = spelling.partition("://")[2].partition("/")[0]
        if has_secret(host):
            return _IN_HOST
    verdict = check_url(plain, resolver=lambda _: ["127.0.0.1"], policy=_TEXT_ONLY)
    return verdict if verdict.code == "api_key" else None


def has_key(query: str) -> bool:
    """Whether there is a key among words that somebody is asked for: it would go out as a parameter of a URL.

    Args:
        query: The words.
    """
    asked = f"https://search.invalid/?q={quote_plus(normalize('NFKC', query))}"
    return check_url(asked, resolver=lambda _: ["127.0.0.1"], policy=_TEXT_ONLY).code == "api_key"
