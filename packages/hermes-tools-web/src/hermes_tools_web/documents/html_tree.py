"""Parse HTML of any quality into a tree with limited size and depth."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping
from functools import lru_cache
from typing import Protocol, cast

from hermes_tools_web.text import word_set

MAX_DEPTH = 220
"""The depth limit; deeper elements are lifted. Real pages do not come close."""
_HUGE = 9_000_000
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*)([^<>]*)>")
GONE = "gone-from-here"
_VOID = word_set("area base br col embed hr img input link meta param source track wbr frame")

_LINES = word_set("li p td th tr dt dd option thead tbody html head body")
_OF_HEAD = frozenset({"title", "meta", "link", "base", "script", "style", "noscript", "template", "bgsound", "object"})


class Node(Protocol):
    """The part of lxml's element interface that we use."""

    tag: str
    text: str | None
    tail: str | None
    attrib: MutableMapping[str, str]

    def get(self, key: str) -> str | None: ...
    def iter(self, *tags: str) -> Iterator[Node]: ...
    def itertext(self) -> Iterator[str]: ...
    def iterdescendants(self, *tags: str) -> Iterator[Node]: ...
    def iterancestors(self, *tags: str) -> Iterator[Node]: ...
    def getparent(self) -> Node | None: ...
    def getprevious(self) -> Node | None: ...
    def getnext(self) -> Node | None: ...
    def insert(self, index: int, element: Node) -> None: ...
    def remove(self, element: Node) -> None: ...
    def find(self, path: str) -> Node | None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Node]: ...
    def __getitem__(self, place: int) -> Node: ...


def parse_html(text: str) -> Node | None:
    """Parse a page; None when it is empty."""
    text = shorten_tags(text)
    root, whole = _parsed(text)
    if not whole or (root is not None and len(text) > _HUGE and _is_deep(root)):
        root, _ = _parsed(_lifted(text))
    if root is not None:
        _empty_head(root)
    return root


def _parsed(text: str) -> tuple[Node | None, bool]:
    from lxml import etree  # type: ignore[import-untyped]
    from lxml.html import HTMLParser  # type: ignore[import-untyped]

    # Without huge_tree, text nodes above 10 MB are lost; with it, the depth has no limit.
    parser = HTMLParser(encoding="utf-8", huge_tree=len(text) > _HUGE, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError, AssertionError):
        root = None
    if root is not None:
        # The parser takes them for containers of what follows.
        etree.strip_tags(root, "source", "track", "wbr")
    whole = not any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log)
    return cast("Node | None", root), whole


def _empty_head(root: Node) -> None:
    """Move misplaced elements from the head into the body.

    The parser does not know that `<main>` or `<article>` starts the body.
    """
    from lxml import etree

    head = root.find("head")
    if head is None:
        return
    children = list(head)
    first = next((at for at, child in enumerate(children) if child.tag not in _OF_HEAD), len(children))
    if first == len(children):
        return
    body = root.find("body")
    if body is None:
        body = cast("Node", etree.SubElement(root, "body"))
    for place, child in enumerate(children[first:]):
        body.insert(place, child)


def _is_deep(root: Node) -> bool:
    depth = 0
    for event, _ in walk(root):
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH + 20:
            return True
    return False


def _lifted(text: str) -> str:
    """Remove tags that are nested too deeply, but keep their text."""
    kept: list[bool] = []
    open_count = 0

    def judge(match: re.Match[str]) -> str:
        nonlocal open_count
        closing, name, rest = match.group(1), match.group(2).lower(), match.group(3)
        if name in _VOID or rest.endswith("/"):
            return match.group()
        if closing:
            if not kept or not kept.pop():
                return " "
            open_count -= 1
            return match.group()
        kept.append(open_count < MAX_DEPTH // 2)
        open_count += kept[-1]
        if kept[-1]:
            return match.group()
        return "<br>" if name in _LINES else " "

    return _TAG.sub(judge, text)


def walk(root: Node) -> Iterator[tuple[str, Node]]:
    """Yield each element as `start` and `end`, without recursion."""
    from lxml import etree

    return cast("Iterator[tuple[str, Node]]", etree.iterwalk(root, events=("start", "end")))


def attr(node: Node, name: str) -> str:
    """Return an attribute of an element; empty when it is missing."""
    return node.get(name) or ""


def drop(node: Node) -> None:
    """Mark an element for removal by `sweep`, which is linear in the size of the tree."""
    node.tag = GONE


def sweep(root: Node) -> None:
    """Remove the marked elements, but keep the text after them."""
    from lxml import etree

    etree.strip_elements(root, GONE, with_tail=False)


def is_gone(node: Node) -> bool:
    """Return whether an element is marked for removal."""
    return node.tag == GONE


def get_text(node: Node) -> str:
    """Return the text of an element on one line."""
    return " ".join("".join(node.itertext()).split())


def is_longer(node: Node, maximum: int) -> bool:
    """Return whether an element has more than `maximum` characters of text, without reading all of it."""
    size = 0
    for text in node.itertext():
        size += len(text)
        if size > maximum:
            return True
    return False


def name_words(node: Node) -> frozenset[str]:
    """Return the words of an element's classes and id: `post-relatedItems` has `post`, `related` and `items`."""
    names = f"{node.get('class') or ''} {node.get('id') or ''}"
    return split_names(names) if len(names) > 1 else frozenset()


@lru_cache(maxsize=2048)
def split_names(names: str) -> frozenset[str]:
    """Return the words of space-separated classes and ids."""
    return frozenset(_WORD.sub(r"\1 \2", names).lower().replace("-", " ").replace("_", " ").replace(":", " ").split())


_WORD = re.compile(r"([a-z0-9])([A-Z])")


_LONG = 4000
_MAX_ATTRIBUTES = 100
_MAX_VALUE = 2500
# Comments and scripts are skipped as the parser does. Every branch consumes input, so matching is linear.
_PIECE = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|textarea)\b[^>]{0,3000}>.*?(?:</\1|\Z)"
    r"|<[a-zA-Z](?:[^>\"'=]++|[\"']++|=++(?:\s*+(?:\"[^\"]*+\"|'[^']*+'))?)*>?",
    re.DOTALL | re.IGNORECASE,
)
_NAME = re.compile(r"<[a-zA-Z][^\s/>]{0,60}")
_ATTRIBUTE = re.compile(r"[\s/]*+([^\s/>=]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s>]*+)))?")


def shorten_tags(text: str) -> str:
    """Reduce very long tags to their first attributes, without long values: lxml takes quadratic time for them."""
    if max(map(len, text.split("<"))) <= _LONG:
        return text
    if not any(len(match.group()) > _LONG and _is_tag(match) for match in _PIECE.finditer(text)):
        return text
    return _PIECE.sub(
        lambda match: _short(match.group()) if len(match.group()) > _LONG and _is_tag(match) else match.group(), text
    )


def _is_tag(match: re.Match[str]) -> bool:
    return match.group(1) is None and not match.group().startswith("<!--")


def _short(tag: str) -> str:
    name = _NAME.match(tag)
    assert name is not None  # the pattern starts like it
    place = name.end()
    kept: list[str] = []
    while len(kept) < _MAX_ATTRIBUTES and (match := _ATTRIBUTE.match(tag, place)):
        place = match.end()
        value = next((part for part in match.groups()[1:] if part is not None), "")
        if len(value) <= _MAX_VALUE and len(match.group(1)) < 100:
            quote = "'" if '"' in value else '"'
            kept.append(f" {match.group(1)}={quote}{value}{quote}")
    return f"{name.group()}{''.join(kept)}{'>' if tag.endswith('>') else ''}"


MAX_MARKUP = 6_000_000
MAX_TAGS = 200_000
"""The limits of markup, once scripts, comments and inline images are removed."""
_UNREAD = re.compile(
    r"<!--.*?(?:-->|\Z)|<script\b(?![^>]{0,200}(?:ld\+json|math/tex))[^>]{0,3000}>.*?(?:</script\s*>|\Z)"
    r"|<style\b[^>]{0,3000}>[^<]{500000,}+|[ \t\n]{200,}+",
    re.DOTALL | re.IGNORECASE,
)


def limit_markup(text: str) -> tuple[str, str]:
    """Truncate markup that is too large.

    Returns:
        The markup, and a note when some was left out.
    """
    if len(text) <= MAX_MARKUP and text.count("<") <= MAX_TAGS:
        return text, ""
    text = _UNREAD.sub(" ", shorten_tags(text))
    size = len(text)
    end = min(size, MAX_MARKUP, _place_of_tag(text, MAX_TAGS))
    if end >= size:
        return text, ""
    return text[:end], f"The page is very big: only the first {min(99, max(1, end * 100 // size))} % of it were read."


def _place_of_tag(text: str, number: int) -> int:
    place = -1
    for _ in range(number):
        place = text.find("<", place + 1)
        if place < 0:
            return len(text)
    return place
