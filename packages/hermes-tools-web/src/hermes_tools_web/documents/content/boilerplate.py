"""Remove boilerplate: menus, banners, buttons, lists of other pages."""

from __future__ import annotations

from collections.abc import Callable

from hermes_tools_web.documents.content.sections import HEADINGS, are_references, holds_code, purpose_words
from hermes_tools_web.documents.content.text_density import NOTHING, Weight, measure_text
from hermes_tools_web.documents.content.vocabulary import (
    ASIDES,
    LIKELY,
    NEIGHBOUR,
    NOISE_HEADING,
    NOISE_ROLES,
    NOISE_TEXT,
    PAIRS,
    SURE,
)
from hermes_tools_web.documents.html_tree import Node, attr, drop, get_text, is_gone, name_words, sweep
from hermes_tools_web.text import word_set

_KEPT_TAGS = word_set("html body main article pre code h1 tr td th tbody thead table math")
_NAMED_TAGS = word_set(
    "div section ul ol aside nav header footer form p span a li table dl figure details center menu button h2 h3 h4 h5"
)
_MAX_OF_IT = 0.4
"""An element with this share of the page's own text is content, whatever its name."""
_SMALL = ("a", "p", "span", "li", "div", "button", "label", "small", "summary", "strong", "h2", "h3", "h4", "h5", "h6")
_SHORT = 60
_LINE = 200
_CALL = frozenset(("call", "to", "action"))
_SLOGAN = 40
_ANSWERS = ("yes", "no")


def drop_boilerplate(root: Node) -> None:
    """Remove what is certainly not content from a tree without hidden elements."""
    weights = measure_text(root)
    whole = weights.get(root, NOTHING)
    for node in root.iter():
        if is_gone(node) or node.tag in _KEPT_TAGS:
            continue
        weight = weights.get(node, NOTHING)
        if weight.own < _MAX_OF_IT * max(1, whole.own) and _is_around(node, weight) and not holds_code(node, weights):
            drop(node)
    sweep(root)
    weights = measure_text(root)
    _drop_lists_of_others(root, weights, whole)
    _drop_neighbours(root, weights)
    _drop_small(root, weights)
    sweep(root)


def _is_around(node: Node, weight: Weight) -> bool:
    """Return whether an element surrounds the content."""
    if node.tag == "nav" or attr(node, "role") in NOISE_ROLES:
        return not (weight.titles and weight.own > 200)
    if node.tag == "footer":
        return _is_footer(node, weight)
    if node.tag == "header":
        return not weight.titles and not _is_within(node, "article", "main", "section", "figure", "li")
    if node.tag == "aside":
        return _is_aside(node, weight)
    if node.tag == "form":
        return (weight.text < 400 or weight.density > 0.5) and _asks(node)
    if node.tag == "button":
        return not _is_question(node, weight)
    if node.tag in ("noscript", "clipboard-copy"):
        return True
    if node.tag in ("ul", "ol") and _leads_to_translations(node, weight):
        return True
    return node.tag in _NAMED_TAGS and _is_named_so(node, weight)


def _is_footer(node: Node, weight: Weight) -> bool:
    if _is_within(node, "blockquote", "figure"):
        return False
    return not _is_within(node, "article", "li", "section") or weight.density > 0.3 or weight.text < 200


def _is_aside(node: Node, weight: Weight) -> bool:
    words = name_words(node)
    if words & ASIDES or attr(node, "role") in ("note", "doc-tip", "doc-footnote", "doc-pullquote"):
        return bool(words & {"newsletter", "related", "share", "promo"})
    if words & (SURE | LIKELY) or not _is_within(node, "article", "main"):
        return True
    asks = next(node.iter("input", "form", "button"), None) is not None
    return asks or weight.density > 0.25 or weight.text < 80


def _asks(node: Node) -> bool:
    """Return whether there is something to fill in or to press."""
    if next(node.iter("button", "textarea", "select"), None) is not None:
        return True
    return any(attr(field, "type").lower() != "hidden" for field in node.iter("input"))


def _is_question(node: Node, weight: Weight) -> bool:
    """Return whether a button shows the question whose answer it reveals."""
    return _is_within(node, *HEADINGS, "dt", "summary") or (node.get("aria-expanded") is not None and weight.text > 15)


def _is_named_so(node: Node, weight: Weight) -> bool:
    if not (node.get("class") or node.get("id") or node.get("aria-label")):
        return False
    words = purpose_words(node, weight)
    if weight.titles and weight.own > 60:
        return False
    if "elementor" in words or ("wp" in words and "block" in words and weight.density < 0.5):
        words = words - {"widget", "widgets"}
    if words >= _CALL and weight.own <= _SLOGAN:  # longer text explains what to do
        return True
    if words & SURE or any(pair <= words for pair in PAIRS):
        return not _is_within(node, "pre", "code")
    if words & LIKELY or any(word.endswith(("nav", "menu")) for word in words):
        return weight.density > 0.5 or (weight.text < 40 and not _says_something(node, words))
    label = attr(node, "aria-label").lower()
    return bool(label) and node.tag in ("div", "section", "ul") and ("cookie" in label or "breadcrumb" in label)


def _says_something(node: Node, words: frozenset[str]) -> bool:
    """Return whether an element has a date, an author or a heading: they are short, but wanted."""
    if words & {"byline", "meta", "header", "tags", "latest", "links", "next", "prev"}:
        return True
    return next(node.iter("h1", "h2", "h3", "h4", "time"), None) is not None


def _leads_to_translations(node: Node, weight: Weight) -> bool:
    if weight.density < 0.8 or not weight.text:
        return False
    links = list(node.iter("a"))
    return len(links) > 2 and all(link.get("hreflang") or link.get("lang") for link in links)


def _is_within(node: Node, *tags: str) -> bool:
    return next(node.iterancestors(*tags), None) is not None


def _drop_lists_of_others(root: Node, weights: dict[Node, Weight], whole: Weight) -> None:
    """Remove headings such as `Related articles` with what follows them."""
    for node in list(root.iter(*HEADINGS, "p", "div", "strong")):
        if is_gone(node) or not 0 < weights.get(node, NOTHING).text <= _SHORT or len(node) > 3:
            continue
        if not NOISE_HEADING.fullmatch(get_text(node)):
            continue
        if node.tag in HEADINGS or not len(node):
            _drop_with_followers(node, weights, whole)


def _drop_with_followers(node: Node, weights: dict[Node, Weight], whole: Weight) -> None:
    followers: list[Node] = []
    at = node.getnext()
    while at is not None and at.tag not in ("h1", node.tag) and len(followers) < 200:
        if node.tag in HEADINGS and at.tag in HEADINGS and at.tag < node.tag:
            break
        followers.append(at)
        at = at.getnext()
    text = sum(weights.get(one, NOTHING).text for one in followers)
    linked = sum(weights.get(one, NOTHING).linked for one in followers)
    if not followers:
        _drop_lonely_heading(node, weights, whole)
    elif node.tag in HEADINGS and linked > text * 0.4 and text - linked < max(200, whole.own * 0.25):
        for one in (node, *followers):
            drop(one)
    elif linked > text * 0.7:
        drop(node)
        for one in followers[:1] if weights.get(followers[0], NOTHING).density > 0.7 else []:
            drop(one)


def _drop_lonely_heading(node: Node, weights: dict[Node, Weight], whole: Weight) -> None:
    """Remove the box around a heading that has its own container."""
    parent = node.getparent()
    box = parent.getparent() if parent is not None and parent.tag in ("div", "header") else None
    if box is None or parent is None or box.tag in _KEPT_TAGS or next(iter(box), None) is not parent:
        return
    weight = weights.get(box, NOTHING)
    if weight.density > 0.4 and weight.own < max(200, whole.own * 0.25):
        drop(box)


def _drop_neighbours(root: Node, weights: dict[Node, Weight]) -> None:
    """Remove links to the previous and next page."""
    for node in root.iter("li", "p", "div"):
        weight = weights.get(node, NOTHING)
        if 0 < weight.text <= _LINE and weight.linked and not is_gone(node) and NEIGHBOUR.fullmatch(get_text(node)):
            drop(node)
    sweep(root)


def _drop_small(root: Node, weights: dict[Node, Weight]) -> None:
    """Remove buttons and labels without meaning of their own."""
    for node in root.iter(*_SMALL):
        size = weights.get(node, NOTHING).text
        if not 0 < size <= _SHORT or is_gone(node) or (node.tag == "a" and _is_in_text(node, weights)):
            continue
        text = get_text(node)
        if (
            NOISE_TEXT.fullmatch(text)
            and not _is_said(node, text)
            and not _is_within(node, "td", "th", "dl", "pre", "code")
            and (node.tag not in ("span", "strong", "small", "label", *HEADINGS) or _is_alone(node, weights))
        ):
            drop(node)


def _is_said(node: Node, text: str) -> bool:
    """Return whether a word is a step or an answer, rather than something to click."""
    if node.tag not in ("li", "p") or next(node.iter("a", "button"), None) is not None:
        return False
    return node.tag == "li" or text.lower().rstrip(".!") in _ANSWERS


def _is_in_text(node: Node, weights: dict[Node, Weight]) -> bool:
    """Return whether a link is part of a sentence."""
    parent = node.getparent()
    return (
        parent is not None
        and parent.tag in ("p", "li", "span", "em", "strong")
        and (weights.get(parent, NOTHING).text > weights.get(node, NOTHING).text + 20)
    )


def _is_alone(node: Node, weights: dict[Node, Weight]) -> bool:
    parent = node.getparent()
    return (
        parent is not None
        and parent.tag in ("div", "li", "section", "aside")
        and node.tag not in HEADINGS
        and (weights.get(parent, NOTHING).text == weights.get(node, NOTHING).text)
    )


_MIN_TEXT = 250
"""A page with less text may be about its links."""
_LEADS_ELSEWHERE = 0.8
_MAX_DROPPED = 40
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_OPENED = word_set("body div section main center td tr tbody table article form header")


def drop_link_bars(part: Node, weights: dict[Node, Weight]) -> None:
    """Remove link bars before the first and after the last text of a page."""
    whole = weights.get(part, NOTHING)
    if whole.own < _MIN_TEXT or whole.density > 0.4:
        return
    _trim(part, weights, lambda node: next(iter(node), None), lambda node: node.getnext(), at_end=False)
    _trim(part, weights, lambda node: node[-1] if len(node) else None, lambda node: node.getprevious(), at_end=True)
    sweep(part)


def _trim(
    part: Node,
    weights: dict[Node, Weight],
    enter: Callable[[Node], Node | None],
    step: Callable[[Node], Node | None],
    *,
    at_end: bool,
) -> None:
    at = enter(part)
    dropped = 0
    while at is not None and dropped < _MAX_DROPPED:
        weight = weights.get(at, NOTHING)
        if (at.tail or "").strip() and at_end:
            return
        if weight.text == 0 or _is_bar(at, weight, at_end=at_end):
            if weight.text:
                drop(at)
                dropped += 1
            if (at.tail or "").strip():
                return
            at = step(at)
        elif at.tag in _OPENED and not (at.text or "").strip():
            at = enter(at)
        else:
            return


def _is_bar(node: Node, weight: Weight, *, at_end: bool) -> bool:
    if weight.density < _LEADS_ELSEWHERE or weight.titles or node.tag in _HEADINGS:
        return False
    if at_end and are_references(node):
        return False
    if at_end:
        # Links with their own heading are content.
        before = node.getprevious()
        return before is None or before.tag not in _HEADINGS
    return next(node.iter(*_HEADINGS), None) is None
