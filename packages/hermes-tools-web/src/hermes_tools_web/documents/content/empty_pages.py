"""Detect pages with little text because they need JavaScript or consist of frames."""

from __future__ import annotations

import re

from hermes_tools_web.documents.html_tree import Node, attr, get_text
from hermes_tools_web.documents.links import LinkResolver, escape_url
from hermes_tools_web.documents.markdown.escaping import escape
from hermes_tools_web.text import one_line, word_set

NEEDS_SCRIPT = (
    "The page needs JavaScript, which is not run, so little or nothing of it could be extracted. "
    "Use a browser tool or try another source."
)
FRAMES = "The page is a frameset: its content is in the linked pages."
_LITTLE = 200
_ROOTS = word_set("root app __next __nuxt ___gatsby svelte main-app application react-root app-root q-app")
_ASKS = re.compile(
    r"(?:enable|activate|requires?|need|turn on|without)\W+(?:\w+\W+){0,4}javascript"
    r"|javascript\W+(?:\w+\W+){0,4}(?:enable|require|disabled)",
    re.IGNORECASE,
)


def list_frames(root: Node, addresses: LinkResolver) -> str:
    """Return the frames of a frameset as a Markdown list; empty when there are none."""
    lines: list[str] = []
    for node in root.iter("frame"):
        url = addresses.absolute(attr(node, "src"))
        name = one_line(attr(node, "title") or attr(node, "name"), 100) or url
        if url and len(lines) < 500:
            lines.append(f"- [{escape(name)}]({escape_url(url)})")
    return "\n".join(lines)


def needs_script(root: Node) -> bool:
    """Return whether the content is probably rendered by JavaScript."""
    if next(root.iter("script"), None) is None:
        return False
    for node in root.iter("noscript"):
        if _ASKS.search(get_text(node)[:2000]):
            return True
    for node in root.iter("div", "main", "app-root", "body"):
        is_root = attr(node, "id") in _ROOTS or node.get("ng-app") is not None or node.get("data-reactroot") is not None
        if is_root and len(get_text(node)) < _LITTLE:
            return True
    return False


def is_short(markdown: str) -> bool:
    """Return whether a page has so little text that something is missing."""
    return len(markdown) < _LITTLE
