"""Tells when a page says little because it is only a frame for others, or for a script."""

from __future__ import annotations

import re

from hermes_tools_web.documents.html_tree import Node, attr, get_text
from hermes_tools_web.documents.links import LinkResolver, escape_url
from hermes_tools_web.documents.markdown.escaping import escape
from hermes_tools_web.text import one_line, word_set

NEEDS_SCRIPT = (
    "The page is filled in by JavaScript, which is not run here: little or nothing of it can be read. "
    "A browser tool may show it, or look for the same elsewhere."
)
FRAMES = "The page is a set of frames: what it says is in the pages that it links to."
_LITTLE = 200
_SENTENCE = 15
_LINKED = re.compile(r"!?\[[^\]]*\]\([^)]*\)")
_ROOTS = word_set("root app __next __nuxt ___gatsby svelte main-app application react-root app-root q-app")
_ASKS = re.compile(
    r"(?:enable|activate|requires?|need|turn on|without)\W+(?:\w+\W+){0,4}javascript"
    r"|javascript\W+(?:\w+\W+){0,4}(?:enable|require|disabled)",
    re.IGNORECASE,
)


def list_frames(root: Node, addresses: LinkResolver) -> str:
    """The frames of a frameset as a list of links; empty when it is none.

    Args:
        root: The whole tree.
        addresses: Where its links lead.
    """
    lines: list[str] = []
    for node in root.iter("frame"):
        url = addresses.absolute(attr(node, "src"))
        name = one_line(attr(node, "title") or attr(node, "name"), 100) or url
        if url and len(lines) < 500:
            lines.append(f"- [{escape(name)}]({escape_url(url)})")
    return "\n".join(lines)


def needs_script(root: Node) -> bool:
    """Whether a page has scripts that would write it; the whole tree is needed.

    Args:
        root: The whole tree.
    """
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
    """Whether a page says so little that something is missing.

    Args:
        markdown: What was read of it.
    """
    return len(markdown) < _LITTLE


def is_complete(markdown: str) -> bool:
    """Whether a short text can be all that a page says: a heading, and a sentence below it.

    Args:
        markdown: What was read of it.
    """
    lines = markdown.split("\n")
    below = _LINKED.sub("", " ".join(line for line in lines if not line.startswith("#")))
    return any(line.startswith("#") for line in lines) and sum(map(str.isalpha, below)) >= _SENTENCE
