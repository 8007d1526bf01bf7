"""Recognize boilerplate: menus, banners, buttons, lists of other pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hermes_tools_web.documents.content.text_runs import PageText, Run, Weight
from hermes_tools_web.documents.content.vocabulary import (
    ASIDES,
    CALLS,
    LIKELY,
    MAIN_CLASSES,
    MAIN_IDS,
    MEMBER,
    NEIGHBOUR,
    NOISE_HEADING,
    NOISE_ROLES,
    NOISE_TEXT,
    OTHERS_HEADING,
    PAIRS,
    REFERENCES,
    SOCIAL,
    SURE,
)
from hermes_tools_web.documents.html_tree import (
    GONE,
    Node,
    attr,
    drop,
    get_text,
    is_longer,
    name_words,
    split_names,
    sweep,
)
from hermes_tools_web.text import word_set

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
MAIN_TAGS = ("main", "article", "div", "section", "td")
PARTS = word_set("div section ul ol aside nav header footer form p li table dl figure details center menu h2 h3 h4 h5")
_SMALL = ("a", "span", "label", "small", "sup", "clipboard-copy")
_SHORT = 60
_LINE = 200
_SLOGAN = 40
_INVITATION = 250
_CALL = frozenset(("call", "to", "action"))
_ANSWERS = ("yes", "no")
_QUIET = frozenset(("newsletter", "related", "share", "promo"))
_NO_WORD = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"[\d.]+\s+")
_REPLY = re.compile(r"(?:re|aw|fwd?): ", re.IGNORECASE)
"""Headings of answers repeat the title."""
_STATE = re.compile(
    r"(?:has|with|without|no|not|is|show|hide|category|tag|type|status|format)(?:-|_(?!_)).+"
    r"|.+[-_](?:enabled|disabled|free|none|ready|off)",
    re.IGNORECASE,
)
"""Names of neighbours, states and categories of an element."""


def drop_controls(root: Node) -> None:
    """Remove menus, what is to be pressed or filled in, and small labels of it."""
    for node in root.iter("nav"):
        if not is_within(node, GONE) and _is_menu(node):
            drop(node)
    for node in root.iter("button", "noscript", "select", "textarea", "clipboard-copy", "progress", "meter"):
        if node.tag != "button" or not _is_question(node):
            drop(node)
    for node in root.iter(*_SMALL):
        named = (node.get("class") or node.get("id")) and name_words(node) & SURE
        if named and not is_longer(node, _SLOGAN) and not is_within(node, "pre", "code", "table"):
            drop(node)
    sweep(root)


def _is_menu(node: Node) -> bool:
    linked = sum(len(text.strip()) for link in node.iter("a") for text in link.itertext())
    return next(node.iter("h1"), None) is None and not is_longer(node, 2 * linked + _LINE)


def _is_question(node: Node) -> bool:
    """Return whether a button shows the question whose answer it reveals."""
    return is_within(node, *HEADINGS, "dt", "summary") or (
        node.get("aria-expanded") is not None and is_longer(node, 15)
    )


def is_within(node: Node, *tags: str) -> bool:
    """Return whether an element is in one of some kinds."""
    return next(node.iterancestors(*tags), None) is not None


def is_around(node: Node, page: PageText) -> bool:
    """Return whether an element surrounds the content, rather than being part of it."""
    tag = node.tag
    if tag not in PARTS and attr(node, "role") not in NOISE_ROLES:
        return False
    if tag == "nav" or attr(node, "role") in NOISE_ROLES:
        weight = page.weight(node)
        return not (weight.titles and weight.own > _LINE)
    if tag == "footer":
        return _is_footer(node, page.weight(node))
    if tag == "header":
        return not page.weight(node).titles and not is_within(node, "article", "main", "section", "figure", "li")
    if tag == "aside":
        return _is_aside(node, page.weight(node))
    if tag == "form":
        weight = page.weight(node)
        return (weight.text < 400 or weight.density > 0.5) and _asks(node)
    return bool(node.get("class") or node.get("id") or node.get("aria-label")) and _is_named_so(node, page)


def _is_footer(node: Node, weight: Weight) -> bool:
    if is_within(node, "blockquote", "figure"):
        return False
    return not is_within(node, "article", "li", "section") or weight.density > 0.3 or weight.text < _LINE


def _is_aside(node: Node, weight: Weight) -> bool:
    words = name_words(node)
    if words & ASIDES or attr(node, "role") in ("note", "doc-tip", "doc-footnote", "doc-pullquote"):
        return bool(words & _QUIET)
    if words & (SURE | LIKELY) or not is_within(node, "article", "main"):
        return True
    return _asks(node) or weight.density > 0.25 or weight.text < 80


def _asks(node: Node) -> bool:
    """Return whether there is something to fill in."""
    return any(attr(field, "type").lower() != "hidden" for field in node.iter("input"))


def _is_named_so(node: Node, page: PageText) -> bool:
    if not _is_suspicious(name_words(node)):
        label = attr(node, "aria-label").lower()
        return node.tag in ("div", "section", "ul") and ("cookie" in label or "breadcrumb" in label)
    if is_within(node, "pre", "code") or _holds_code(node):
        return False
    weight = page.weight(node)
    words = _purpose_words(node, weight)
    if weight.titles and weight.own > _SHORT:
        return False
    if "elementor" in words or ("wp" in words and "block" in words and weight.density < 0.5):
        words = words - {"widget", "widgets"}
    if words >= _CALL and weight.own <= _SLOGAN:  # longer text explains what to do
        return True
    if words & SURE or any(pair <= words for pair in PAIRS):
        return True
    if words & LIKELY or any(word.endswith(("nav", "menu")) for word in words):
        return weight.density > 0.5 or (weight.text < _SLOGAN and not _says_something(node, words))
    return False


_SUSPICIOUS = SURE | LIKELY | frozenset(word for pair in (*PAIRS, _CALL) for word in pair)


@lru_cache(maxsize=2048)
def _is_suspicious(words: frozenset[str]) -> bool:
    return not words.isdisjoint(_SUSPICIOUS) or any(word.endswith(("nav", "menu")) for word in words)


def _purpose_words(node: Node, weight: Weight) -> frozenset[str]:
    """Return the words of an element's names that tell its purpose.

    The id of a section repeats its heading: `<section id="cookies"><h2>Cookies</h2>` is not a banner. The id of a
    heading is a link target. Some classes describe a state or a topic.
    """
    classes = " ".join(name for name in attr(node, "class").split() if not _STATE.fullmatch(name))
    if node.tag in HEADINGS:
        return frozenset(_words(classes))  # some generators put the whole context into one long name
    if weight.density <= 0.5 and _is_chapter(node):
        return split_names(classes)
    return split_names(f"{classes} {attr(node, 'id')}")


def _is_chapter(node: Node) -> bool:
    heading = next(node.iter(*HEADINGS), None) if attr(node, "id") else None
    if heading is None or is_longer(heading, _LINE) or _asks(node):
        return False
    text = get_text(heading)
    words, named = _words(_NUMBER.sub("", text, count=1) if text[:1].isdigit() else text), _words(attr(node, "id"))
    return bool(named) and words[: len(named)] == named


def _words(text: str) -> list[str]:
    return _NO_WORD.sub(" ", text.lower()).split()


def _holds_code(node: Node) -> bool:
    """Return whether an element mostly contains code."""
    codes = sum(len(get_text(code)) for code in node.iter("pre"))
    return bool(codes) and 2 * codes >= len(get_text(node))


def _says_something(node: Node, words: frozenset[str]) -> bool:
    """Return whether an element has a date, an author or a heading: they are short, but wanted."""
    if words & {"byline", "meta", "header", "latest", "links", "next", "prev"}:
        return True
    return next(node.iter("h1", "h2", "h3", "h4", "time"), None) is not None


def calls_itself_main(node: Node) -> bool:
    """Return whether an element is marked as the main content, by its tag or a well-known name."""
    if node.tag == "main" or attr(node, "role") == "main":
        return True
    if node.tag not in ("div", "section", "article", "td"):
        return False
    if attr(node, "id").lower() in MAIN_IDS or attr(node, "itemprop") in ("articleBody", "mainEntity"):
        return True
    return node.tag == "article" or bool(MAIN_CLASSES & set(attr(node, "class").lower().split()))


def is_noise(run: Run) -> bool:
    """Return whether the words of a run say that it is no content."""
    text, node = run.text, run.owner
    if 0 < len(text) <= _SHORT and NOISE_TEXT.fullmatch(text):
        return not _is_said(run) and not is_within(node, "td", "th", "dl", "pre", "code") and node.tag not in _SPOKEN
    if node.tag in HEADINGS and _REPLY.match(text):
        return True
    if 0 < len(text) <= _LINE and run.linked and NEIGHBOUR.fullmatch(text):
        return True
    if len(text) <= _INVITATION and CALLS.match(text):
        return node.tag not in _SPOKEN or node.tag in HEADINGS
    return node.tag in ("div", "section", "center") and len(text) < 10 and text.replace(",", "").isdecimal()


_SPOKEN = word_set("td th dt dd pre code h1 h2 h3 h4 h5 h6 summary caption figcaption")


def _is_said(run: Run) -> bool:
    """Return whether a word is a step or an answer, rather than something to click."""
    if run.owner.tag not in ("li", "p") or run.linked or next(run.owner.iter("a"), None) is not None:
        return False
    return run.owner.tag == "li" or run.text.lower().rstrip(".!") in _ANSWERS


def find_labels(runs: Sequence[Run]) -> Iterator[int]:
    """Yield the places of several share buttons, or lines about a member of a forum, in a row."""
    for pattern in (SOCIAL, MEMBER):
        before = False
        for at, run in enumerate(runs):
            here = 0 < run.size <= _SLOGAN and pattern.fullmatch(run.text) is not None
            if here and before:
                yield from (at - 1, at)
            before = here


def find_lists_of_others(page: PageText, whole: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of headings such as `Related articles` with what follows them."""
    for run in page.runs:
        node = run.owner
        if not 0 < run.size <= _SHORT or not NOISE_HEADING.fullmatch(run.text):
            continue
        if node.tag not in HEADINGS and (node.tag not in ("p", "div", "strong") or len(node) > 1):
            continue
        yield from _others_below(node, page, whole)


def _others_below(node: Node, page: PageText, whole: int) -> Iterator[tuple[int, int]]:
    named = OTHERS_HEADING.fullmatch(get_text(node)) is not None
    followers: list[Node] = []
    at = node.getnext()
    while at is not None and at.tag not in ("h1", node.tag) and len(followers) < 200:
        if node.tag in HEADINGS and at.tag in HEADINGS and at.tag < node.tag:
            break
        followers.append(at)
        at = at.getnext()
    if not followers:
        return
    weights = [page.weight(one) for one in followers]
    text, linked = sum(weight.text for weight in weights), sum(weight.linked for weight in weights)
    first, end = page.span(node)
    if node.tag in HEADINGS and (linked > text * 0.4 or named) and text - linked < max(_LINE, whole // 4):
        yield first, page.span(followers[-1])[1]
    elif linked > text * 0.7:
        yield first, page.span(followers[0])[1] if weights[0].density > 0.7 else end


def are_references(node: Node) -> bool:
    """Return whether an element holds the references of an article, below a matching heading."""
    before = node.getprevious()
    return any(_heads_references(place) for place in (node, before) if place is not None)


def _heads_references(node: Node) -> bool:
    if node.tag in HEADINGS:
        return not is_longer(node, _LINE) and REFERENCES.fullmatch(get_text(node)) is not None
    first = next(iter(node), None)
    return first is not None and first.tag in (*HEADINGS, "div", "header") and _heads_references(first)
