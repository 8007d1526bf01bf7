"""The context that the writers of a page share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from hermes_tools_web.documents.html_tree import Node, attr, walk
from hermes_tools_web.documents.links import LinkResolver
from hermes_tools_web.text import word_set

BLOCK_TAGS = word_set(
    "address article aside blockquote body center dd details dir div dl dt fieldset figcaption figure footer "
    "form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav noframes noscript ol p pre "
    "section summary table tbody td tfoot th thead tr ul xmp listing plaintext caption optgroup search"
)
_NOTE_TEXT = re.compile(r"\[?([\w*†‡§]{1,6})\]?\Z")


class Block(NamedTuple):
    """A block of Markdown."""

    kind: str
    """`text`, `heading`, `list`, `code`, `table`, `quote` or `rule`."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContext:
    """The context of a page."""

    addresses: LinkResolver  # resolves the links
    broad: frozenset[Node] = frozenset()  # inline elements that contain blocks
    notes: dict[str, str] = field(default_factory=dict)  # the labels of footnotes, by the id of their element

    def is_block(self, node: Node) -> bool:
        """Return whether an element is a block."""
        return node.tag in BLOCK_TAGS or node in self.broad


def make_context(root: Node, addresses: LinkResolver) -> PageContext:
    """Create the context in one pass, so that writing is linear."""
    broad: set[Node] = set()
    notes: dict[str, str] = {}
    for event, node in walk(root):
        if event == "start":
            if node.tag == "a":
                _gather_note(node, notes)
            continue
        parent = node.getparent()
        if parent is not None and (node.tag in BLOCK_TAGS or node in broad) and parent.tag not in BLOCK_TAGS:
            broad.add(parent)
    return PageContext(addresses=addresses, broad=frozenset(broad), notes=_held(root, notes))


def _gather_note(node: Node, notes: dict[str, str]) -> None:
    href = attr(node, "href")
    if not href.startswith("#") or len(href) < 2 or len(notes) > 5000:
        return
    parent = node.getparent()
    marked = (parent is not None and parent.tag == "sup") or node.find("sup") is not None
    marked = marked or "noteref" in attr(node, "epub:type") + attr(node, "role") + attr(node, "class")
    match = _NOTE_TEXT.match("".join(node.itertext()).strip()[:10]) if marked else None
    if match:
        notes.setdefault(href[1:], match.group(1))


def _held(root: Node, notes: dict[str, str]) -> dict[str, str]:
    """Return the notes whose element is on the page."""
    if not notes:
        return {}
    held: dict[str, str] = {}
    for node in root.iter():
        name = node.get("id")
        if name and name in notes and node.tag in ("li", "p", "div", "dd", "aside", "tr", "span"):
            held[name] = notes[name]
    return held
