"""Find the element with the main content, with the help of trafilatura."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from hermes_tools_web.documents.content.sections import are_references
from hermes_tools_web.documents.content.text_density import NOTHING, Weight
from hermes_tools_web.documents.content.vocabulary import MAIN_CLASSES, MAIN_IDS
from hermes_tools_web.documents.html_tree import Node, attr, drop, get_text, name_words, sweep
from hermes_tools_web.text import one_line, word_set

_ENOUGH = 0.5
"""The minimum share of text for a part that the page does not mark as its main content."""
_NAMED_ENOUGH = 0.25
_AUTHORS = frozenset(("author", "authors", "byline", "contributors"))
_PARTS = ("div", "section", "ul", "ol", "aside", "table", "p", "form", "center", "dl")
_TEXTS = word_set("p li td th pre dd dt h1 h2 h3 h4 blockquote div span article section")


def find_main_content(root: Node, weights: dict[Node, Weight], selected: SelectedText) -> Node:
    """Return the element with the main content, or the body."""
    whole = weights.get(root, NOTHING)
    named = _named(root, weights, whole)
    if named is not None:
        return _narrowed(named, weights)
    guided = _guided(root, selected)
    if guided is not None and weights.get(guided, NOTHING).own >= _ENOUGH * whole.own:
        return _with_title(root, _widened(guided, weights), weights)
    body = root.find("body")
    return body if body is not None else root


def _named(root: Node, weights: dict[Node, Weight], whole: Weight) -> Node | None:
    """Return the element that the page itself marks as its main content."""
    best: Node | None = None
    for node in root.iter():
        if not _calls_itself_main(node):
            continue
        own = weights.get(node, NOTHING).own
        sure = node.tag == "main" or attr(node, "role") == "main"
        minimum = (_NAMED_ENOUGH if sure else _ENOUGH) * whole.own
        if own >= minimum and own > 0 and (best is None or (sure and own > weights[best].own)):
            best = node
    return best


def _calls_itself_main(node: Node) -> bool:
    if node.tag == "main" or attr(node, "role") == "main":
        return True
    if node.tag not in ("div", "section", "article", "td"):
        return False
    if attr(node, "id").lower() in MAIN_IDS or attr(node, "itemprop") in ("articleBody", "mainEntity"):
        return True
    return node.tag == "article" or bool(MAIN_CLASSES & set(attr(node, "class").lower().split()))


def _narrowed(part: Node, weights: dict[Node, Weight]) -> Node:
    """Return the only article in the main content if it is nearly all of it."""
    articles = [node for node in part.iter("article") if node is not part]
    if (
        len(articles) == 1
        and weights[articles[0]].own >= 0.75 * weights[part].own
        and _has_title(articles[0], part, weights)
    ):
        return articles[0]
    return part


def _has_title(article: Node, part: Node, weights: dict[Node, Weight]) -> bool:
    return bool(weights[article].titles) or not weights[part].titles


def _guided(root: Node, selected: SelectedText) -> Node | None:
    """Return the smallest element with nearly all of the selected text."""
    if not selected.size:
        return None
    chosen: dict[Node, int] = {}
    total = 0
    for node in root.iter(*_TEXTS):
        text = " ".join((node.text or "").split()) if len(node) else get_text(node)
        share = selected.share(text) if len(text) > 20 else None
        if share is None or share < 0.5:
            continue
        total += len(text)
        chosen[node] = chosen.get(node, 0) + len(text)
        for above in node.iterancestors():
            chosen[above] = chosen.get(above, 0) + len(text)
    best: Node | None = None
    for node, size in chosen.items():
        if size >= 0.9 * total and (best is None or _is_in(node, best)):
            best = node
    return best


def _widened(part: Node, weights: dict[Node, Weight]) -> Node:
    """Include a title, date or author close to an element."""
    at = part
    while (parent := at.getparent()) is not None and parent.tag != "html":
        if weights[parent].text > 1.3 * weights[part].text + 100:
            break
        at = parent
    return at


def _with_title(root: Node, part: Node, weights: dict[Node, Weight]) -> Node:
    """Widen an element to include the only title of the page."""
    if weights[part].titles or weights[root].titles != 1:
        return part
    at = part
    while not weights[at].titles and (parent := at.getparent()) is not None and parent.tag != "html":
        at = parent
    return at


def _is_in(node: Node, other: Node) -> bool:
    return any(above is other for above in node.iterancestors())


def drop_unselected(part: Node, weights: dict[Node, Weight], selected: SelectedText) -> None:
    """Remove link lists that trafilatura did not select, if it selected most of the rest."""
    whole = weights.get(part, NOTHING)
    if not selected.size or selected.size < 0.6 * whole.own:
        return
    for node in part.iter(*_PARTS):
        weight = weights.get(node, NOTHING)
        if node is part or weight.text < 15 or weight.density < 0.6 or weight.titles or weight.own > 0.2 * whole.own:
            continue
        share = selected.share(get_text(node))
        if share is not None and share < 0.05 and not are_references(node) and not name_words(node) & _AUTHORS:
            drop(node)
    sweep(part)


MAX_ELEMENTS = 8_000
MAX_TEXT = 600_000
"""Larger pages are processed without trafilatura: it takes more than linear time."""
_TOKEN = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|\w+")
_RUN = 4
_MAX_PROBLEM = 200
_SPANS = re.compile(r"\s(?:col|row)span=\"[^\"]*\"")
"""trafilatura adds a cell per span, and there may be millions; spans do not affect the selection."""


class SelectedText:
    """The text that trafilatura selected."""

    def __init__(self, text: str, problem: str = "") -> None:
        self.size = len(text)
        self.problem = problem
        self._runs = frozenset(_runs(text))

    def share(self, text: str) -> float | None:
        """Return the selected share of a text; None when the text is too short."""
        found = [run in self._runs for run in _runs(text)]
        return sum(found) / len(found) if found else None


def run_trafilatura(root: Node) -> SelectedText:
    """Return the text that trafilatura selects; empty when it fails or the page is too large."""
    count = sum(1 for _ in root.iter())
    if count > MAX_ELEMENTS or sum(map(len, root.itertext())) > MAX_TEXT:
        return SelectedText("")
    from lxml import etree  # type: ignore[import-untyped]

    markup = cast("str", etree.tostring(root, encoding="unicode", method="html"))
    try:
        return SelectedText(_chosen(_SPANS.sub("", markup)))
    except ImportError as error:
        return SelectedText("", one_line(str(error), _MAX_PROBLEM))


def _chosen(markup: str) -> str:
    try:
        from trafilatura import bare_extraction
    except Exception as error:  # a broken installation raises anything
        raise ImportError(f"{type(error).__name__}: {error}") from error
    try:
        found = bare_extraction(markup, include_comments=True, include_tables=True, include_links=False, fast=True)
    except Exception:  # third-party code on untrusted input
        return ""
    text = getattr(found, "text", None) or ""
    return f"{text}\n{getattr(found, 'comments', None) or ''}"


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    tokens = _TOKEN.findall(text)
    return zip(*(tokens[at:] for at in range(_RUN)), strict=False)
