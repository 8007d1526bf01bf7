"""Finds links that are the title of their page: they lead elsewhere, and say what the page is about."""

from __future__ import annotations

from hermes_tools_web.pages.tree import Node, is_longer, text_of

_OWN = "data-hermes-title"
_LEAST_CHARS = 10
_LEAST_PART = 0.4
"""What is less of the title is the name of the site."""
_LONGEST = 500
_MOST_LINKS = 2000


def mark_title(root: Node) -> None:
    """Mark the first link that is the title of the page, or the larger part of it, as the page's own text.

    Args:
        root: The tree, with its head.
    """
    title = next((text_of(node) for node in root.iter("title")), "")[:_LONGEST].casefold()
    if len(title) < _LEAST_CHARS:
        return
    least = max(_LEAST_CHARS, _LEAST_PART * len(title))
    for count, node in enumerate(root.iter("a")):
        if count > _MOST_LINKS:
            return
        if is_longer(node, _LONGEST):
            continue
        text = text_of(node).casefold()
        if len(text) >= least and text in title:
            node.attrib[_OWN] = ""
            return


def is_title(node: Node) -> bool:
    """Whether a link is the title of its page.

    Args:
        node: The link.
    """
    return node.get(_OWN) is not None
