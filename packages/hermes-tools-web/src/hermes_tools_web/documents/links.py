"""Resolve, clean and collect the links of a page."""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from hermes_tools_web.documents.document import Link
from hermes_tools_web.documents.html_tree import Node, attr
from hermes_tools_web.text import one_line

_MAX_LENGTH = 2000
_MAX_KNOWN = 5000
"""The size of the cache: pages repeat their links."""
_TRACKING = re.compile(
    r"(?:utm_\w+|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igshid|igsh|mc_cid|mc_eid|_hsenc|_hsmi|"
    r"__hs\w+|vero_id|oly_enc_id|oly_anon_id|_openstat|mkt_tok|wickedid|s_cid|ncid|cmpid|icid|srsltid|spm|scm|ref_src|"
    r"ref_url|_ga|_gl|rb_clickid|ml_subscriber\w*|zanpid|epik|li_fat_id|at_campaign|at_medium|ns_\w+)\Z",
    re.IGNORECASE,
)
_UNSAFE = re.compile(r"[<>\"`\\^{}|\s\x00-\x1f]")


class LinkResolver:
    """Resolves the links of a page."""

    def __init__(self, url: str, base: str = "") -> None:
        self.page = url
        self._base = (_joined(url, base.strip()) or url) if base.strip() else url
        self._page_itself = url.partition("#")[0]
        self._known: dict[str, str] = {}

    def absolute(self, href: str) -> str:
        """Return an absolute URL without tracking parameters; empty for scripts, mail addresses and data."""
        known = self._known.get(href)
        if known is None:
            known = self._absolute(href)
            if len(self._known) < _MAX_KNOWN and len(href) <= _MAX_LENGTH:
                self._known[href] = known
        return known

    def _absolute(self, href: str) -> str:
        href = (
            href[: _MAX_LENGTH + 500].strip("\x00\t\n\x0b\x0c\r ").replace("\n", "").replace("\t", "").replace("\r", "")
        )
        if not href or href[:11].lower() == "javascript:" or href[:5].lower() == "data:":
            return ""
        found = _joined(self._base, href)
        return _clean(found) if found and len(found) <= _MAX_LENGTH else ""

    def is_same_page(self, href: str) -> bool:
        """Return whether a link leads to a position on the same page."""
        if href.startswith("#"):
            return True
        return "#" in href and self.absolute(href).partition("#")[0] == self._page_itself


def make_link_resolver(root: Node, url: str) -> LinkResolver:
    """Create the resolver of a page, with its `base` element."""
    for node in root.iter("base"):
        if attr(node, "href"):
            return LinkResolver(url, attr(node, "href"))
    return LinkResolver(url)


def escape_url(url: str) -> str:
    """Escape a URL for a Markdown link."""
    url = _UNSAFE.sub(lambda match: quote(match.group()), url)
    if _is_balanced(url):
        return url
    return url.replace("(", "%28").replace(")", "%29")


def _joined(base: str, href: str) -> str:
    try:
        url = urljoin(base, href)
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return ""
    return url if parts.scheme.lower() in ("http", "https") and host else ""


def _clean(url: str) -> str:
    parts = urlsplit(url)
    if not parts.query or "=" not in parts.query:
        return url
    kept = [pair for pair in parts.query.split("&") if not _TRACKING.match(pair.partition("=")[0])]
    query = "&".join(kept)
    return url if query == parts.query else urlunsplit(parts._replace(query=query))


def _is_balanced(url: str) -> bool:
    if "(" not in url and ")" not in url:
        return True
    depth = 0
    for char in url:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return False
    return depth == 0


MAX = 20_000
"""The limit of links per page."""
_NAMED = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}


def collect_links(root: Node, addresses: LinkResolver) -> tuple[Link, ...]:
    """Collect the links of a page in order, including frames; each URL once."""
    found: dict[str, Link] = {}
    for node in root.iter(*_NAMED):
        url = addresses.absolute(attr(node, _NAMED[node.tag])).partition("#")[0]
        if not url:
            continue
        rel = _rel(node)
        known = found.get(url)
        if known is None:
            found[url] = Link(url=url, text=_text(node), rel=rel)
        elif not known.text or known.rel - rel:
            # The URL may be followed if one of its links may be.
            found[url] = Link(url=url, text=known.text or _text(node), rel=known.rel & rel)
        if len(found) >= MAX:
            break
    return tuple(found.values())


def _rel(node: Node) -> frozenset[str]:
    words = frozenset(attr(node, "rel").lower().split()[:20])
    return words | {"frame"} if node.tag in ("frame", "iframe") else words


def _text(node: Node) -> str:
    text = one_line(" ".join(node.itertext())[:2000], 200)
    if text:
        return text
    pictured = next((attr(image, "alt") for image in node.iter("img") if attr(image, "alt")), "")
    return one_line(pictured or attr(node, "title") or attr(node, "alt") or attr(node, "name"), 200)
