"""Write lists: numbered, nested, task lists, definitions and footnotes."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from hermes_tools_web.documents.html_tree import Node, attr
from hermes_tools_web.documents.markdown.context import Block, PageContext
from hermes_tools_web.documents.markdown.inline import emphasize, finish_lines, plain, write_inline

Writer = Callable[[Node, PageContext, int], list[Block]]
_MAX_DEPTH = 12
"""Deeper lists are flattened: each level indents every line."""
_NUMBER = re.compile(r"-?\d{1,9}\Z")
_GROUPS = ("div", "ul", "ol", "span", "section", "form")


def write_list(node: Node, page: PageContext, depth: int, write: Writer) -> list[Block]:
    """Write a list; further blocks of an item are indented."""
    items = _loose(node.text)
    notes: list[Block] = []
    number = _start(node)
    for child in node:
        inner = write(child, page, depth + 1) if child.tag == "li" else _stray(child, page, depth, write)
        label = page.notes.get(attr(child, "id"))
        if inner and label:
            notes.append(Block("text", f"[^{label}]: {_indented(join_blocks(inner), 4)}"))
        elif inner and child.tag != "li" and items and inner[0].kind == "list":
            items.append(_shift(join_blocks(inner), "  ", depth))
        elif inner:
            mark = "- "
            if node.tag == "ol" and child.tag == "li":
                number = int(attr(child, "value")) if _NUMBER.match(attr(child, "value")) else number
                mark = f"{number}. "
                number += -1 if node.get("reversed") is not None else 1
            items.append(_item_text(inner, mark, depth))
        items.extend(_loose(child.tail))
    return ([Block("list", "\n".join(items))] if items else []) + notes


def _stray(node: Node, page: PageContext, depth: int, write: Writer) -> list[Block]:
    """Write a child of a list that is not an item: a nested list, or a `div` around items."""
    if node.tag in ("ul", "ol"):
        return write_list(node, page, depth + 1, write)
    if page.is_block(node):
        return write(node, page, depth + 1)
    text = finish_lines(write_inline(node, page))
    return [Block("text", text)] if text else []


def _loose(text: str | None) -> list[str]:
    """Write text between the items."""
    line = finish_lines(plain(text))
    return [f"- {line}"] if line else []


def write_stray_item(node: Node, page: PageContext, depth: int, write: Writer) -> list[Block]:
    """Write an item outside of a list; see `write_list`."""
    inner = write(node, page, depth + 1)
    return [Block("list", _item_text(inner, "- ", depth))] if inner else []


def write_definitions(node: Node, page: PageContext, depth: int, write: Writer) -> list[Block]:
    """Write a definition list: terms in bold with their meanings below; see `write_list`."""
    blocks: list[Block] = []
    lines: list[str] = []
    for child in _pairs(node):
        inner = write(child, page, depth + 1)
        if inner and child.tag == "dd":
            lines.append(f": {_indented(join_blocks(inner), 2, depth)}")
            continue
        _end_term(lines, blocks)
        if child.tag == "dt" and len(inner) == 1 and inner[0].kind == "text":
            lines.append(emphasize(inner[0].text, "**"))
        else:
            blocks.extend(inner)
    _end_term(lines, blocks)
    return blocks


def _end_term(lines: list[str], blocks: list[Block]) -> None:
    if lines:
        blocks.append(Block("text", "\n".join(lines)))
        lines.clear()


def _pairs(node: Node) -> list[Node]:
    """Return terms and meanings, including those in a `div` per pair."""
    found: list[Node] = []
    for child in node:
        found.extend(list(child) if child.tag == "div" and any(part.tag in ("dt", "dd") for part in child) else [child])
    return found


def join_blocks(blocks: list[Block]) -> str:
    """Join blocks; a list directly follows the text before it."""
    parts = [blocks[0].text]
    for before, block in pairwise(blocks):
        close = block.kind == "list" and before.kind == "text"
        parts.append(("\n" if close else "\n\n") + block.text)
    return "".join(parts)


def _start(node: Node) -> int:
    value = attr(node, "start")
    if _NUMBER.match(value):
        return max(0, int(value))
    return sum(1 for child in node if child.tag == "li") if node.get("reversed") is not None else 1


def _item_text(blocks: list[Block], mark: str, depth: int) -> str:
    return mark + _indented(join_blocks(blocks), len(mark), depth)


def _indented(text: str, width: int, depth: int = 0) -> str:
    if "\n" not in text or depth > _MAX_DEPTH:
        return text
    blank = " " * width
    first, *rest = text.split("\n")
    return "\n".join([first, *(blank + line if line else "" for line in rest)])


def _shift(text: str, blank: str, depth: int) -> str:
    return text if depth > _MAX_DEPTH else "\n".join(blank + line if line else "" for line in text.split("\n"))
