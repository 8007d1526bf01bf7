"""Writes a part of a page as one Markdown text within a bound."""

from __future__ import annotations

from hermes_tools_web.pages.addresses import Addresses
from hermes_tools_web.pages.characters import visible
from hermes_tools_web.pages.markdown.blocks import write_blocks
from hermes_tools_web.pages.markdown.context import Block, page_of
from hermes_tools_web.pages.tree import Node

_LONG = 30
"""Shorter paragraphs may be the same on purpose, as in a song."""


def write_markdown(node: Node, addresses: Addresses) -> str:
    """An element and all in it, as Markdown.

    Args:
        node: The element.
        addresses: Where its links lead.
    """
    blocks = write_blocks(node, page_of(node, addresses))
    return visible("\n\n".join(block.text for block in _tidied(blocks)))


def _tidied(blocks: list[Block]) -> list[Block]:
    """Without what says nothing: rules at the ends, and the same said twice in a row."""
    kept: list[Block] = []
    for block in blocks:
        if kept and block == kept[-1] and len(block.text) >= _LONG:
            continue
        if block.kind == "rule" and not kept:
            continue
        kept.append(block)
    while kept and kept[-1].kind == "rule":
        kept.pop()
    return kept
