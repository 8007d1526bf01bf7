"""Write tables: data as Markdown tables, code as code, and layout tables as their content."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hermes_tools_web.documents.html_tree import Node, attr, is_longer
from hermes_tools_web.documents.markdown import code
from hermes_tools_web.documents.markdown.context import Block, PageContext
from hermes_tools_web.documents.markdown.escaping import escape_cell
from hermes_tools_web.documents.markdown.inline import finish_lines, plain, write_line
from hermes_tools_web.documents.markdown.lists import Writer
from hermes_tools_web.text import word_set

_MAX_COLUMNS = 100
_MAX_SPANNED = 200_000
"""How many cells spans may add to one table."""
_REPEATED = 80
"""A cell that spans rows is repeated in each if it is this short."""
_BIG_CELL = 1500
_BIG = ("h1", "h2", "h3", "table", "form", "article", "section", "figure", "blockquote")


_GROUPS = ("thead", "tbody", "tfoot")
_INNER = word_set("caption colgroup col thead tbody tfoot tr td th")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    node: Node
    cells: tuple[Node, ...]
    head: bool


def write_table(node: Node, page: PageContext, depth: int, write: Writer) -> list[Block]:
    """Write a table by its purpose."""
    listing = _listing(node)
    if listing:
        return [Block("code", listing)]
    rows = _rows(node)
    caption = next((child for child in node if child.tag == "caption"), None)
    above = [Block("text", text) for text in [write_line(caption, page) if caption is not None else ""] if text]
    above += _strays(node, page, depth, write)
    if _is_layout(node, rows):
        return above + [block for row in rows for block in _laid_out(row, page, depth, write)]
    grid = _grid(rows, page)
    return above + ([Block("table", _markdown(grid, rows))] if any(any(cells) for cells in grid) else [])


def _listing(node: Node) -> str:
    """Write code with line numbers beside it; empty for other tables."""
    for _ in node.iter("th", "h2", "p"):
        return ""
    holders = [
        cell for cell in node.iter("td") if "code" in attr(cell, "class").lower() or "blob-code" in attr(cell, "class")
    ]
    if not holders:
        return ""
    inner = next(iter(holders[0].iter("pre")), None)
    if len(holders) == 1 and inner is not None:
        return code.fenced_code(inner)
    return (
        code.fenced_code(node)
        if "blob-code" in attr(holders[0], "class") or "js-file-line" in attr(holders[0], "class")
        else ""
    )


def _rows(node: Node) -> list[_Row]:
    rows: list[_Row] = []
    # A footer may precede the body in the markup, but is shown below it.
    for part in sorted(node, key=lambda part: part.tag == "tfoot"):
        if part.tag == "tr":
            rows.append(_row(part, head=False))
        elif part.tag in _GROUPS:
            rows.extend(_row(row, head=part.tag == "thead") for row in part if row.tag == "tr")
    return [row for row in rows if row.cells]


def _strays(node: Node, page: PageContext, depth: int, write: Writer) -> list[Block]:
    """Write content outside of the cells; browsers show it above the table."""
    holders = [node, *(part for part in node if part.tag in _GROUPS)]
    holders += [row for holder in tuple(holders) for row in holder if row.tag == "tr"]
    blocks: list[Block] = []
    for holder in holders:
        texts = [holder.text, *(child.tail for child in holder)]
        blocks.extend(Block("text", line) for line in (finish_lines(plain(text)) for text in texts if text) if line)
        for child in holder:
            if child.tag not in _INNER:
                blocks.extend(write(child, page, depth))
    return blocks


def _row(node: Node, *, head: bool) -> _Row:
    cells = tuple(cell for cell in node if cell.tag in ("td", "th"))
    return _Row(node=node, cells=cells, head=head or (bool(cells) and all(cell.tag == "th" for cell in cells)))


def _is_layout(node: Node, rows: list[_Row]) -> bool:
    if attr(node, "role") in ("presentation", "none") or not rows:
        return True
    named = any(cell.tag == "th" for row in rows for cell in row.cells)
    if _holds_big(rows):
        return True
    if named:
        return False
    widths = [len(row.cells) for row in rows]
    if max(widths) == 1 or len(rows) == 1:
        return True
    if len(set(widths)) > 2 and not node.get("class"):
        return any(is_longer(row.node, 400) for row in rows[:50])
    return attr(node, "border") == "0" and attr(node, "width") in ("100%", "85%", "90%") and not node.get("class")


def _holds_big(rows: list[_Row]) -> bool:
    """Return whether cells contain larger parts of a page."""
    for row in rows[:200]:
        for cell in row.cells:
            if len(cell) and any(True for _ in cell.iter(*_BIG)):
                nested = next(iter(cell.iter("table")), None)
                if nested is None or is_longer(cell, 300) or len(rows) < 3:
                    return True
            if len(cell) > 1 and is_longer(cell, _BIG_CELL):
                return True
    return False


def _laid_out(row: _Row, page: PageContext, depth: int, write: Writer) -> list[Block]:
    blocks: list[Block] = []
    written = [write(cell, page, depth) for cell in row.cells]
    short = all(
        len(inner) <= 1 and all(one.kind == "text" and len(one.text) < 200 for one in inner) for inner in written
    )
    if short and len(written) > 1:
        line = " ".join(one.text.replace("\n", " ") for inner in written for one in inner)
        return [Block("text", line)] if line else []
    for inner in written:
        blocks.extend(inner)
    return blocks


def _grid(rows: list[_Row], page: PageContext) -> list[list[str]]:
    """Return the texts of all cells, with spans filled in."""
    grid: list[list[str]] = []
    waiting: dict[int, tuple[int, str]] = {}
    added = 0
    for place, row in enumerate(rows):
        cells: list[str] = []
        for cell in row.cells:
            _fill(cells, waiting)
            text = escape_cell(_cell_text(cell, page))
            wide, tall = _span(cell, "colspan", _MAX_COLUMNS), _span(cell, "rowspan", len(rows) - place)
            added += wide * tall - 1
            if added > _MAX_SPANNED:
                wide = tall = 1
            for offset in range(min(wide, _MAX_COLUMNS - len(cells))):
                column = len(cells)
                cells.append(text if not offset or (row.head and len(text) <= _REPEATED) else "")
                if tall > 1:
                    waiting[column] = (tall - 1, text if not offset and len(text) <= _REPEATED else "")
        _fill(cells, waiting)
        grid.append(cells)
    return grid


def _fill(cells: list[str], waiting: dict[int, tuple[int, str]]) -> None:
    while len(cells) in waiting:
        left, text = waiting.pop(len(cells))
        if left > 1:
            waiting[len(cells)] = (left - 1, text)
        cells.append(text)


def _span(cell: Node, name: str, maximum: int) -> int:
    value = attr(cell, name).strip()[:6]
    return (
        max(1, min(maximum, int(value))) if value.isdecimal() and value.isascii() else (maximum if value == "0" else 1)
    )


def _cell_text(cell: Node, page: PageContext) -> str:
    fenced = next(iter(cell.iter("pre")), None)
    if fenced is None:
        return write_line(cell, page)
    return "\n".join(
        f"`{line}`" if "`" not in line else line for line in code.extract_code(cell).split("\n") if line.strip()
    )


def _markdown(grid: list[list[str]], rows: list[_Row]) -> str:
    width = max(map(len, grid))
    heads = 0
    while heads < len(rows) - 1 and heads < 4 and rows[heads].head:
        heads += 1
    if len(rows) == 1 and rows[0].head:
        heads = 1
    header = _merge_headers([_padded(cells, width) for cells in grid[:heads]]) if heads else [""] * width
    lines = [_line(header), _line(["---"] * width)]
    lines.extend(_line(_padded(cells, width)) for cells in grid[heads:] if any(cells))
    return "\n".join(lines)


def _merge_headers(heads: list[list[str]]) -> list[str]:
    merged: list[str] = []
    for column in zip(*heads, strict=True):
        names = [name for place, name in enumerate(column) if name and name not in column[:place]]
        merged.append(" / ".join(names))
    return merged


def _padded(cells: list[str], width: int) -> list[str]:
    # Padding must not multiply the size of a ragged table.
    return cells + [""] * (width - len(cells)) if width <= _MAX_COLUMNS else cells


def _line(cells: list[str]) -> str:
    return re.sub(r" {2,}", " ", f"| {' | '.join(cells)} |")
