"""Gathers the links of a page: absolute, each address once, with what they are called."""

from __future__ import annotations

from hermes_tools_web.pages.addresses import Addresses
from hermes_tools_web.pages.characters import one_line
from hermes_tools_web.pages.document import Link
from hermes_tools_web.pages.tree import Node, attr

MOST = 20_000
"""How many links of one page are told; no page that people wrote has more."""
_NAMED = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}


def links_of(root: Node, addresses: Addresses) -> tuple[Link, ...]:
    """The links of a page in their order; frames are among them.

    Args:
        root: The whole tree.
        addresses: Where its links lead.
    """
    found: dict[str, Link] = {}
    for node in root.iter(*_NAMED):
        url = addresses.absolute(attr(node, _NAMED[node.tag])).partition("#")[0]
        if not url:
            continue
        rel = _rel(node)
        known = found.get(url)
        if known is None:
            found[url] = Link(url=url, text=_text(node), rel=rel)
        elif not known.text or known.rel - rel:
            # One of several links to the same place may be followed: then the place may be.
            found[url] = Link(url=url, text=known.text or _text(node), rel=known.rel & rel)
        if len(found) >= MOST:
            break
    return tuple(found.values())


def _rel(node: Node) -> frozenset[str]:
    words = frozenset(attr(node, "rel").lower().split()[:20])
    return words | {"frame"} if node.tag in ("frame", "iframe") else words


def _text(node: Node) -> str:
    said = one_line(" ".join(node.itertext())[:2000], 200)
    if said:
        return said
    pictured = next((attr(image, "alt") for image in node.iter("img") if attr(image, "alt")), "")
    return one_line(pictured or attr(node, "title") or attr(node, "alt") or attr(node, "name"), 200)
