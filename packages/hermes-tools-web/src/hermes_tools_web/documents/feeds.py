"""Parse feeds: RSS, Atom and JSON Feed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from hermes_tools_web.documents.document import Document, Link
from hermes_tools_web.documents.links import LinkResolver, escape_url
from hermes_tools_web.documents.markdown.escaping import escape, escape_starts
from hermes_tools_web.documents.text_formats import parse_json, read_json
from hermes_tools_web.text import one_line, strip_invisible

if TYPE_CHECKING:
    from hermes_tools_web.documents.html_tree import Node


MAX_ENTRIES = 500
_MAX_SUMMARY = 2000
_ENTRIES = ("item", "entry")
_LONG = ("encoded", "content", "description", "summary", "subtitle", "tagline", "abstract")
_DATES = ("pubdate", "published", "updated", "date", "issued", "modified", "created")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|&(?:[a-z]{2,8}|#\d{1,7}|#x[0-9a-f]{1,6});")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of a feed, or the feed itself."""

    title: str = ""
    url: str = ""
    date: str = ""  # the publication date, as written
    author: str = ""
    summary: str = ""  # the content: markup or text


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed with its entries."""

    about: Entry = field(default_factory=Entry)
    language: str = ""
    entries: tuple[Entry, ...] = ()
    count: int = 0


def read_feed(text: str, url: str, *, links: bool = False) -> Document:
    """Parse an RSS or Atom feed into headings with links, dates and summaries."""
    root = _parsed(text)
    if root is None:
        from hermes_tools_web.documents.text_formats import read_xml

        return read_xml(text)
    return write_feed(_feed(root, LinkResolver(url)), url, links=links)


def _parsed(text: str) -> Node | None:
    """Parse the XML, repairing errors and loading nothing."""
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True
    )
    text = re.sub(r"\A\s*<\?xml[^>]*\?>", "", text.lstrip(), count=1)
    try:
        return cast("Node | None", etree.fromstring(strip_invisible(text).encode("utf-8", "replace"), parser))
    except (etree.XMLSyntaxError, ValueError):
        return None


def _feed(root: Node, addresses: LinkResolver) -> Feed:
    found: list[Entry] = []
    count = 0
    for node in root.iter():
        if _name(node) in _ENTRIES:
            count += 1
            if count <= MAX_ENTRIES:
                found.append(_entry(node, addresses))
    channel = next((node for node in root.iter() if _name(node) == "channel"), root)
    language = next((_text(node) for node in channel if _name(node) == "language"), "")
    return Feed(about=_entry(channel, addresses), language=language, entries=tuple(found), count=count)


def _entry(node: Node, addresses: LinkResolver) -> Entry:
    texts: dict[str, str] = {}
    url = ""
    for child in node:
        name = _name(child)
        if name in _ENTRIES:
            continue
        if name == "link":
            url = _better_link(child, url)
        elif name == "enclosure":
            texts.setdefault(name, child.get("url") or "")
        elif name in ("author", "creator"):
            inner = next((part for part in child if _name(part) == "name"), None)
            texts.setdefault("author", _text(inner if inner is not None else child))
        elif name not in texts or len(texts[name]) < 2:
            texts[name] = _markup(child) if name in _LONG else _text(child)
    named = (texts.get("guid", ""), texts.get("id", ""))
    url = url or next((name for name in named if name.startswith("http")), "") or texts.get("enclosure", "")
    return Entry(
        title=texts.get("title", ""),
        url=addresses.absolute(url),
        date=next((texts[name] for name in _DATES if texts.get(name)), ""),
        author=texts.get("author", ""),
        summary=next((texts[name] for name in _LONG if texts.get(name)), ""),
    )


def _name(node: Node) -> str:
    return node.tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(node.tag, str) else ""


def _text(node: Node) -> str:
    return " ".join("".join(node.itertext()).split())


def _markup(node: Node) -> str:
    """Return the content of an element, including unescaped markup."""
    if not len(node):
        return (node.text or "").strip()
    from lxml import etree

    return (node.text or "") + "".join(etree.tostring(child, encoding="unicode") for child in node)


def _better_link(node: Node, known: str) -> str:
    rel = node.get("rel") or "alternate"
    found = node.get("href") or _text(node)
    return found if found and rel == "alternate" and not known else known


def write_feed(feed: Feed, url: str, *, links: bool) -> Document:
    """Write a feed as a document."""
    parts = [_summary(feed.about.summary, url)] if feed.about.summary else []
    parts.extend(_write_entry(entry, url) for entry in feed.entries)
    facts = {
        "entries": str(feed.count),
        "author": feed.about.author,
        "date": feed.about.date,
        "language": feed.language,
    }
    notes = [f"The first {MAX_ENTRIES} of {feed.count} entries are shown."] if feed.count > len(feed.entries) else []
    if not feed.count:
        notes.append("The feed has no entries.")
    return Document(
        kind="feed",
        title=_strip_markup(feed.about.title),
        markdown="\n\n".join(part for part in parts if part),
        facts={name: one_line(value) for name, value in facts.items() if one_line(value)},
        links=tuple(Link(url=one.url, text=_strip_markup(one.title)) for one in feed.entries if one.url)
        if links
        else (),
        notes=tuple(notes),
        canonical=feed.about.url if feed.about.url == url else "",
    )


def _write_entry(entry: Entry, url: str) -> str:
    title = escape(_strip_markup(entry.title) or one_line(_summary(entry.summary, url), 80) or "Untitled")
    title = title.replace("[", "\\[").replace("]", "\\]") if entry.url else title
    heading = f"## [{title}]({escape_url(entry.url)})" if entry.url else f"## {title}"
    about = " · ".join(escape(one_line(part, 100)) for part in (entry.date, entry.author) if part.strip())
    return "\n\n".join(part for part in (heading, escape_starts(about), _summary(entry.summary, url)) if part)


def _strip_markup(title: str) -> str:
    if _MARKUP.search(title):
        from hermes_tools_web.documents.html_tree import get_text, parse_html

        root = parse_html(title)
        title = get_text(root) if root is not None else title
    return one_line(title)


def _summary(text: str, url: str) -> str:
    if _MARKUP.search(text):
        from hermes_tools_web.documents.html import markdown_of_fragment

        text = markdown_of_fragment(text[: _MAX_SUMMARY * 10], url)
    else:
        text = escape_starts(escape(strip_invisible(" ".join(text.split()))))
    if len(text) <= _MAX_SUMMARY:
        return text
    from hermes_tools_web.documents.document import cut

    return cut(text, _MAX_SUMMARY).rstrip() + "\n\n…"


_MARK = "jsonfeed.org/version"


def read_json_or_feed(text: str, url: str, *, links: bool = False) -> Document:
    """Parse JSON: a JSON Feed as a feed, anything else as data."""
    value = parse_json(text) if _MARK in text[:2000].replace("\\/", "/") else None
    if not isinstance(value, dict) or not isinstance(value.get("items"), list):
        return read_json(text)
    addresses = LinkResolver(url)
    items = [item for item in value["items"] if isinstance(item, dict)]
    about = Entry(
        title=_json_text(value, "title"), summary=_json_text(value, "description"), author=_json_author(value)
    )
    entries = tuple(_json_entry(item, addresses) for item in items[:MAX_ENTRIES])
    return write_feed(
        Feed(about=about, language=_json_text(value, "language"), entries=entries, count=len(items)), url, links=links
    )


def _json_entry(item: Mapping[str, Any], addresses: LinkResolver) -> Entry:
    return Entry(
        title=_json_text(item, "title"),
        url=addresses.absolute(_json_text(item, "url") or _json_text(item, "external_url")),
        date=_json_text(item, "date_published") or _json_text(item, "date_modified"),
        author=_json_author(item),
        summary=_json_text(item, "content_html") or _json_text(item, "content_text") or _json_text(item, "summary"),
    )


def _json_author(item: Mapping[str, Any]) -> str:
    people = item.get("authors") or [item.get("author")]
    names = [_json_text(one, "name") for one in people if isinstance(one, dict)] if isinstance(people, list) else []
    return ", ".join(name for name in names if name)


def _json_text(item: Mapping[str, Any], key: str) -> str:
    value = item.get(key)
    return value if isinstance(value, str) else ""
