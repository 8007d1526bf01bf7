"""Measure the text and link density of elements."""

from __future__ import annotations

from typing import NamedTuple

from hermes_tools_web.documents.html_tree import Node, attr, get_text, is_longer, walk


class Weight(NamedTuple):
    """The text of an element with its descendants."""

    text: int  # the number of characters
    linked: int  # the number of characters in links to other pages
    titles: int = 0  # the number of `h1` elements

    @property
    def own(self) -> int:
        """The characters outside of links."""
        return self.text - self.linked

    @property
    def density(self) -> float:
        """The share of linked characters."""
        return self.linked / self.text if self.text else 0.0


NOTHING = Weight(0, 0)
_STAYS = ("#", "mailto:", "tel:")
"""Links within the page and to people do not count as links."""


def measure_text(root: Node) -> dict[Node, Weight]:
    """Return the weight of every element, in one pass."""
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
"""A smaller part of the title is the name of the site."""
_MAX_LENGTH = 500
_MAX_LINKS = 2000


def mark_title_link(root: Node) -> None:
    """Mark the first link whose text is most of the page title, so that it counts as text."""
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
    """Return whether a link is the title of its page."""
    return node.get(_OWN) is not None
