"""Read the metadata of a page: title, author, date, language, canonical URL and robots directives."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hermes_tools_web.documents.html_tree import Node, attr, get_text
from hermes_tools_web.documents.links import LinkResolver
from hermes_tools_web.text import one_line, word_set

_MAX_JSON = 1_000_000
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_NAMES: dict[str, tuple[str, ...]] = {
    "title": ("og:title", "twitter:title", "citation_title", "dc.title", "title"),
    "author": ("author", "citation_author", "dc.creator", "article:author", "parsely-author", "twitter:creator"),
    "date": (
        "article:published_time",
        "citation_publication_date",
        "datepublished",
        "dc.date",
        "dc.date.issued",
        "parsely-pub-date",
        "pubdate",
        "date",
        "og:updated_time",
        "article:modified_time",
        "last-modified",
    ),
    "description": ("og:description", "description", "twitter:description", "dc.description"),
    "site": ("og:site_name", "application-name", "al:ios:app_name"),
}
_ARTICLES = word_set("article newsarticle blogposting webpage product recipe techarticle faqpage report")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The metadata of a page."""

    title: str = ""
    facts: dict[str, str] = field(default_factory=dict)  # author, date, language, description and site, if known
    canonical: str = ""  # the canonical URL
    robots: frozenset[str] = frozenset()  # the robots directives


def read_metadata(root: Node, addresses: LinkResolver) -> Metadata:
    """Read the metadata from the unmodified tree."""
    meta = _read_meta(root)
    structured = _structured(root)
    title = _title(root, meta, structured)
    facts = {
        "author": _first(meta, "author") or structured.get("author", "") or _marked(root, "author"),
        "date": _date(_first(meta, "date") or structured.get("date", "") or _marked_date(root)),
        "language": _language(root),
        "description": _first(meta, "description") or structured.get("description", ""),
        "site": _first(meta, "site"),
    }
    shown = {name: one_line(value) for name, value in facts.items() if one_line(value)}
    if shown.get("author", "").startswith(("http://", "https://", "@")):
        del shown["author"]
    return Metadata(title=title, facts=shown, canonical=_canonical(root, addresses), robots=_robots(meta))


def _read_meta(root: Node) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in root.iter("meta"):
        name = (
            node.get("property") or node.get("name") or node.get("itemprop") or node.get("http-equiv") or ""
        ).lower()
        value = attr(node, "content").strip()
        if name and value and len(found) < 500:
            found[name] = (
                f"{found[name]},{value}"
                if name in ("robots", "googlebot") and name in found
                else found.get(name, value)
            )
    return found


def _first(meta: dict[str, str], what: str) -> str:
    return next((meta[name] for name in _NAMES[what] if meta.get(name)), "")


def _title(root: Node, meta: dict[str, str], structured: dict[str, str]) -> str:
    title = next((get_text(node) for node in root.iter("title") if not _in_picture(node)), "")
    social = _first(meta, "title")
    # The window title ends with the name of the site, the others do not.
    if social and (not title or title.lower().startswith(social.lower()) or len(title) > 300):
        title = social
    heading = next((get_text(node) for node in root.iter("h1") if get_text(node)), "")
    return one_line(title or social or structured.get("title", "") or heading)


def _in_picture(node: Node) -> bool:
    return next(node.iterancestors("svg"), None) is not None


def _marked(root: Node, what: str) -> str:
    for node in root.iter("a", "span", "address", "div", "p"):
        if what in attr(node, "itemprop").split() or what in attr(node, "rel").split():
            name = get_text(node)
            return name if len(name) < 100 else ""
    return ""


def _marked_date(root: Node) -> str:
    for node in root.iter("time"):
        if _DATE.match(attr(node, "datetime")):
            return attr(node, "datetime")
    return ""


def _date(text: str) -> str:
    match = _DATE.search(text[:200].replace("/", "-"))
    return match.group() if match else text[:40]


def _language(root: Node) -> str:
    for node in root.iter("html"):
        code = node.get("lang") or node.get("xml:lang") or node.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
        if re.fullmatch(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,3}", code.strip()):
            return code.strip().replace("_", "-")
    return ""


def _canonical(root: Node, addresses: LinkResolver) -> str:
    for node in root.iter("link"):
        if "canonical" in attr(node, "rel").lower().split():
            return addresses.absolute(attr(node, "href"))
    return ""


def _robots(meta: dict[str, str]) -> frozenset[str]:
    words = f"{meta.get('robots', '')},{meta.get('hermes-tools-web', '')}".lower()
    asked = {word.strip() for word in words[:2000].split(",") if word.strip()}
    return frozenset(asked | ({"noindex", "nofollow"} if "none" in asked else set()))


def _structured(root: Node) -> dict[str, str]:
    """Read JSON-LD."""
    found: dict[str, str] = {}
    for node in root.iter("script"):
        if "ld+json" not in attr(node, "type").lower():
            continue
        for thing in _things("".join(node.itertext())[:_MAX_JSON]):
            if str(thing.get("@type", "")).lower().strip("[]'\"") not in _ARTICLES:
                continue
            found.setdefault("title", _text(thing.get("headline") or thing.get("name")))
            found.setdefault("author", _author(thing.get("author")))
            found.setdefault("date", _text(thing.get("datePublished") or thing.get("dateModified")))
            found.setdefault("description", _text(thing.get("description")))
    return found


def _things(text: str) -> Iterator[dict[str, Any]]:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return
    things = value if isinstance(value, list) else [value]
    for thing in things[:50]:
        if isinstance(thing, dict):
            yield thing
            graph = thing.get("@graph")
            yield from (one for one in (graph if isinstance(graph, list) else [])[:100] if isinstance(one, dict))


def _author(value: object) -> str:
    people = value if isinstance(value, list) else [value]
    names = [_text(one.get("name")) if isinstance(one, dict) else _text(one) for one in people[:10]]
    return ", ".join(name for name in names if name)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
