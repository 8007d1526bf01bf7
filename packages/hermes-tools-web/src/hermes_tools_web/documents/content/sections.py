"""Recognize sections, code and references whose names look like boilerplate."""

from __future__ import annotations

import re

from hermes_tools_web.documents.content.text_density import NOTHING, Weight
from hermes_tools_web.documents.content.vocabulary import REFERENCES
from hermes_tools_web.documents.html_tree import Node, attr, get_text, split_names

HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_ALL_HEADINGS = ("h1", *HEADINGS)
_NO_WORD = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"[\d.]+\s+")
_MAX_LENGTH = 200
_STATE = re.compile(
    r"(?:has|with|without|no|not|is|show|hide|category|tag|type|status|format)[-_].+"
    r"|.+[-_](?:enabled|disabled|free|none|ready|off)",
    re.IGNORECASE,
)
"""Names of neighbours, states and categories of an element."""
_ASKS = ("input", "form", "button", "textarea", "select")


def purpose_words(node: Node, weight: Weight) -> frozenset[str]:
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


def holds_code(node: Node, weights: dict[Node, Weight]) -> bool:
    """Return whether an element mostly contains code."""
    codes = [weights.get(code, NOTHING).text for code in node.iter("pre")]
    return bool(codes) and 2 * sum(codes) >= weights.get(node, NOTHING).text


def are_references(node: Node) -> bool:
    """Return whether an element holds the references of an article, below a matching heading."""
    before = node.getprevious()
    return any(_heads_references(place) for place in (node, before) if place is not None)


def _heads_references(node: Node) -> bool:
    if node.tag in _ALL_HEADINGS:
        return _is_short(node) and REFERENCES.fullmatch(get_text(node)) is not None
    first = next(iter(node), None)
    return first is not None and first.tag in (*_ALL_HEADINGS, "div", "header") and _heads_references(first)


def _is_chapter(node: Node) -> bool:
    written = attr(node, "id")
    if not written:
        return False
    heading = next(node.iter(*_ALL_HEADINGS), None)
    if heading is None or not _is_short(heading) or not _starts_with(get_text(heading), written):
        return False
    return next(node.iter(*_ASKS), None) is None


def _starts_with(heading: str, name: str) -> bool:
    """Return whether a heading starts with the words of a name, after its number."""
    words, named = _words(_NUMBER.sub("", heading, count=1) if heading[:1].isdigit() else heading), _words(name)
    return bool(named) and words[: len(named)] == named


def _words(text: str) -> list[str]:
    return _NO_WORD.sub(" ", text.lower()).split()


def _is_short(node: Node) -> bool:
    return len(get_text(node)) <= _MAX_LENGTH
