"""Weighs the parts of a page: how much text they have, and how much of it only leads elsewhere."""

from __future__ import annotations

from typing import NamedTuple

from hermes_tools_web.documents.html_tree import Node, attr, get_text, is_longer, walk


class Weight(NamedTuple):
    """How much text is in an element, and below it.

    Attributes:
        text: Characters.
        linked: Those of them that are links to elsewhere.
        titles: How many `h1` there are.
    """

    text: int
    linked: int
    titles: int = 0

    @property
    def own(self) -> int:
        """Characters that say something here."""
        return self.text - self.linked

    @property
    def density(self) -> float:
        """The part that only leads elsewhere."""
        return self.linked / self.text if self.text else 0.0


NOTHING = Weight(0, 0)
_STAYS = ("#", "mailto:", "tel:")
"""Links to this very page, and to people: their addresses are what is said."""


def measure_text(root: Node) -> dict[Node, Weight]:
    """The weight of every element, in one pass.

    Args:
        root: The tree.
    """
    found: dict[Node, Weight] = {}
    stack: list[list[int]] = [[0, 0, 0]]
    links = 0
    for event, node in walk(root):
        leads = node.tag == "a" and _leads(node)
        if event == "start":
            links += leads
            size = _size(node.text)
            stack.append([size, size if links else 0, int(node.tag == "h1")])
            continue
        text, linked, titles = stack.pop()
        links -= leads
        found[node] = Weight(text, linked, titles)
        tail = _size(node.tail)
        above = stack[-1]
        above[0] += text + tail
        above[1] += linked + (tail if links else 0)
        above[2] += titles
    return found


def _leads(node: Node) -> bool:
    return bool(node.get("href")) and not attr(node, "href").lower().startswith(_STAYS) and not is_title_link(node)


def _size(text: str | None) -> int:
    return len(" ".join(text.split())) if text and not text.isspace() else 0


_OWN = "data-hermes-title"
_MIN_CHARS = 10
_MIN_PART = 0.4
"""What is less of the title is the name of the site."""
_MAX_LENGTH = 500
_MAX_LINKS = 2000


def mark_title_link(root: Node) -> None:
    """Mark the first link that is the title of the page, or the larger part of it, as the page's own text.

    Args:
        root: The tree, with its head.
    """
    title = next((get_text(node) for node in root.iter("title")), "")[:_MAX_LENGTH].casefold()
    if len(title) < _MIN_CHARS:
        return
    minimum = max(_MIN_CHARS, _MIN_PART * len(title))
    for count, node in enumerate(root.iter("a")):
        if count > _MAX_LINKS:
            return
        if is_longer(node, _MAX_LENGTH):
            continue
        text = get_text(node).casefold()
        if len(text) >= minimum and text in title:
            node.attrib[_OWN] = ""
            return


def is_title_link(node: Node) -> bool:
    """Whether a link is the title of its page.

    Args:
        node: The link.
    """
    return node.get(_OWN) is not None
