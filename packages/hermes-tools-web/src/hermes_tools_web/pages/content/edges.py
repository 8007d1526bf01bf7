"""Takes bars of links away at the beginning and the end of a page, where menus stand that nothing names."""

from __future__ import annotations

from collections.abc import Callable

from hermes_tools_web.pages.characters import word_set
from hermes_tools_web.pages.content.chapters import are_references
from hermes_tools_web.pages.content.weights import NOTHING, Weight
from hermes_tools_web.pages.tree import Node, drop, sweep

_LEAST_TEXT = 250
"""A page that says less itself may be about its links."""
_LEADS_ELSEWHERE = 0.8
_MOST_DROPPED = 40
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_OPENED = word_set("body div section main center td tr tbody table article form header")


def drop_edges(part: Node, weights: dict[Node, Weight]) -> None:
    """Take links away before the first text of a page and after its last.

    Args:
        part: What holds the contents.
        weights: The weights of its elements.
    """
    whole = weights.get(part, NOTHING)
    if whole.own < _LEAST_TEXT or whole.density > 0.4:
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
    while at is not None and dropped < _MOST_DROPPED:
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
        # Links below a heading of their own were meant to be read.
        before = node.getprevious()
        return before is None or before.tag not in _HEADINGS
    return next(node.iter(*_HEADINGS), None) is None
