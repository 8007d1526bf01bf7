"""Write block elements: paragraphs, headings, lists, quotes and what is in them."""

from __future__ import annotations

from collections.abc import Callable

from hermes_tools_web.documents.html_tree import Node, attr
from hermes_tools_web.documents.links import LinkResolver
from hermes_tools_web.documents.markdown import code, lists, tables
from hermes_tools_web.documents.markdown.context import Block, PageContext, make_context
from hermes_tools_web.documents.markdown.inline import (
    add_inline,
    emphasize,
    finish_lines,
    plain,
    write_line,
    write_link,
)
from hermes_tools_web.text import strip_invisible

_MAX_QUOTE_DEPTH = 6
"""Deeper quotes are flattened: each level adds two characters to every line."""


def write_blocks(node: Node, page: PageContext, depth: int = 0) -> list[Block]:
    """Return the blocks of an element."""
    blocks: list[Block] = []
    line = [plain(node.text)]
    for child in node:
        if page.is_block(child) or child.tag == "iframe":
            _end_line(line, blocks)
            blocks.extend(_block(child, page, depth))
        elif child.tag == "code" and child.find(".//br") is not None:
            _end_line(line, blocks)
            blocks.extend(_code(child, page, depth))
        else:
            add_inline(line, child, page)
        line.append(plain(child.tail))
    _end_line(line, blocks)
    return blocks


def _end_line(line: list[str], blocks: list[Block]) -> None:
    text = finish_lines("".join(line))
    line.clear()
    if text:
        blocks.append(Block("text", text))


def _block(node: Node, page: PageContext, depth: int) -> list[Block]:
    write = _WRITERS.get(node.tag)
    if write is None and attr(node, "role") == "heading":
        write = _heading
    return write(node, page, depth) if write else write_blocks(node, page, depth)


def _heading(node: Node, page: PageContext, _depth: int) -> list[Block]:
    level = int(node.tag[1]) if node.tag[1:].isdigit() else _level(attr(node, "aria-level"))
    text = " ".join(write_line(node, page).split()).replace("**", "")
    return [Block("heading", f"{'#' * level} {text}")] if text.strip("\\ ") else []


def _level(level: str) -> int:
    return min(6, int(level)) if level.isdecimal() and level.isascii() and int(level[:3]) > 0 else 2


def _code(node: Node, _page: PageContext, _depth: int) -> list[Block]:
    text = code.fenced_code(node)
    return [Block("code", text)] if text else []


def _nested(write: Callable[[Node, PageContext, int, lists.Writer], list[Block]]) -> lists.Writer:
    """Make a writer for an element that contains blocks."""
    return lambda node, page, depth: write(node, page, depth, write_blocks)


def _quote(node: Node, page: PageContext, depth: int) -> list[Block]:
    inner = write_blocks(node, page, depth + 1)
    if not inner or depth >= _MAX_QUOTE_DEPTH:
        return inner
    text = lists.join_blocks(inner)
    return [Block("quote", "\n".join(f"> {line}".rstrip() for line in text.split("\n")))]


def _rule(_node: Node, _page: PageContext, _depth: int) -> list[Block]:
    return [Block("rule", "---")]


def _summary(node: Node, page: PageContext, depth: int) -> list[Block]:
    inner = write_blocks(node, page, depth)
    if len(inner) == 1 and inner[0].kind == "text":
        return [Block("text", emphasize(inner[0].text, "**"))]
    return inner


def _card(node: Node, page: PageContext, depth: int) -> list[Block]:
    """Write a link around blocks: its first text or heading becomes the link."""
    inner = write_blocks(node, page, depth)
    url = page.addresses.absolute(attr(node, "href")) if not page.addresses.is_same_page(attr(node, "href")) else ""
    for place, block in enumerate(inner):
        if block.kind in ("text", "heading") and not block.text.startswith("!["):
            marks, _, text = block.text.rpartition("# ") if block.kind == "heading" else ("", "", block.text)
            first, _, rest = text.partition("\n")
            start = f"{marks}# " if block.kind == "heading" else ""
            inner[place] = Block(block.kind, f"{start}{write_link(first, url)}" + (f"\n{rest}" if rest else ""))
            break
    return inner


def _embedded(node: Node, page: PageContext, _depth: int) -> list[Block]:
    """Write an embedded frame that has a title: a video, a map, a document."""
    url = page.addresses.absolute(attr(node, "src") or attr(node, "data-src"))
    title = finish_lines(plain(attr(node, "title")[:300]))
    return [Block("text", write_link(title, url))] if url and title and not url.endswith("blank") else []


_WRITERS: dict[str, lists.Writer] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _heading),
    **dict.fromkeys(("pre", "xmp", "listing", "plaintext"), _code),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), _nested(lists.write_list)),
    "li": _nested(lists.write_stray_item),
    "dl": _nested(lists.write_definitions),
    "blockquote": _quote,
    "hr": _rule,
    "summary": _summary,
    "table": _nested(tables.write_table),
    "a": _card,
    "iframe": _embedded,
}


def write_markdown(node: Node, addresses: LinkResolver) -> str:
    """Convert an element to Markdown."""
    blocks = write_blocks(node, make_context(node, addresses))
    return strip_invisible("\n\n".join(block.text for block in _tidied(blocks)))


def _tidied(blocks: list[Block]) -> list[Block]:
    """Remove rules at both ends, and of several in a row all but one."""
    left: list[Block] = []
    for block in blocks:
        if block.kind != "rule" or (left and left[-1].kind != "rule"):
            left.append(block)
    return left[:-1] if left and left[-1].kind == "rule" else left
