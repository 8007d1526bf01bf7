"""Makes results of searches plain: no markup, no URLs that nobody can open, nothing twice, nothing endless."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from html.entities import html5
from urllib.parse import urlsplit

from hermes_tools_web.results import SearchRow

_URL_CHARS = 4_000
_TITLE_CHARS = 200
_DESCRIPTION_CHARS = 2_000
_ALL_DESCRIPTIONS = 50_000
"""What the descriptions may take together: a hundred results are still read, and not cut off at the end."""
_MARKUP = re.compile(
    r"</?(?:(?P<break>br|p)|strong|b|em|i|mark|span|u|sup|sub|small|wbr|font|code|a)(?:[\s/][^<>]{0,300})?>",
    re.IGNORECASE,
)
"""What search engines put around the words that were searched for. Other brackets belong to the text."""
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_IN_URL = {" ": "%20", "<": "%3C", ">": "%3E", '"': "%22", "`": "%60"}


def plain_rows(rows: Iterable[SearchRow], limit: int) -> tuple[SearchRow, ...]:
    """The first rows that lead somewhere on the web, each URL once, with plain words.

    Args:
        rows: What somebody found.
        limit: How many at most.
    """
    kept: dict[str, SearchRow] = {}
    for row in rows:
        if len(kept) == limit:
            break
        url = web_url(row.url)
        if url:
            kept.setdefault(url, row)
    most = min(_DESCRIPTION_CHARS, _ALL_DESCRIPTIONS // max(1, len(kept)))
    return tuple(
        SearchRow(url=url, title=words(row.title, _TITLE_CHARS), description=words(row.description, most))
        for url, row in kept.items()
    )


def web_url(url: str) -> str:
    """A URL that leads to the web, with signs escaped that belong to no URL; empty for every other."""
    url = url.strip()
    for sign, escaped in _IN_URL.items():
        url = url.replace(sign, escaped)
    if len(url) > _URL_CHARS or not url.isprintable():
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.hostname else ""


def words(text: str, most: int) -> str:
    """Text on one line, without markup and entities.

    Args:
        text: What somebody wrote.
        most: How many characters are kept.
    """
    unmarked = _MARKUP.sub(lambda found: " " if found["break"] else "", text[: most * 4])
    line = " ".join(_ENTITY.sub(_meant, unmarked).split())
    return line if len(line) <= most else f"{line[: most - 3].rstrip()}..."


def _meant(entity: re.Match[str]) -> str:
    name = entity[0][1:]
    return html.unescape(entity[0]) if name.startswith("#") else html5.get(name, entity[0])
