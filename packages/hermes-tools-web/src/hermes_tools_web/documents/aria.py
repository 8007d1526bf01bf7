"""Use accessibility attributes: convert ARIA tables to HTML tables, and label icons in cells."""

from __future__ import annotations

import re

from hermes_tools_web.documents.html_tree import Node, attr, get_text, name_words
from hermes_tools_web.text import one_line

_TABLES = ("table", "grid", "treegrid")
_TAGS = {"row": "tr", "columnheader": "th", "rowheader": "th", "cell": "td", "gridcell": "td", "rowgroup": "tbody"}
_BOXES = ("div", "span", "section", "ul", "li")
_SIGNS = ("svg", "i", "span")
_MAX_SIGN = 40
_YES = frozenset(("check", "checkmark", "tick", "yes", "true"))
_NO = frozenset(("times", "cross", "xmark", "no", "false"))
_SCREEN_READER_ONLY = re.compile(r"(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text)(?:\s|$)")


def convert_aria_tables(root: Node) -> None:
    """Turn elements with table roles into table elements."""
    for node in list(root.iter(*_BOXES)):
        if attr(node, "role") not in _TABLES:
            continue
        groups = [child for child in node if attr(child, "role") == "rowgroup"]
        rows = [row for holder in (node, *groups) for row in holder if attr(row, "role") == "row"]
        if not rows:
            continue
        node.tag = "table"
        for part in (*groups, *rows, *(cell for row in rows for cell in row)):
            part.tag = _TAGS.get(attr(part, "role"), part.tag)


def label_icons(root: Node) -> None:
    """Write the meaning of an icon into cells that contain nothing else, such as a check mark."""
    for cell in root.iter("td", "th"):
        if len(cell) and not _shown_text(cell):
            label = next(filter(None, map(_meaning, cell.iter(*_SIGNS))), "")
            if label:
                cell.text = f"{label} "


def _shown_text(cell: Node) -> str:
    """Return the visible text of a cell; any text when the cell has more than an icon."""
    if next(cell.iter("img", "pre", "table", "p", "ul", "ol", "input", "math"), None) is not None:
        return "more than an icon"
    hidden = "".join(
        get_text(node) for node in cell.iter("span", "svg") if node.tag == "svg" or _is_for_screen_readers(node)
    )
    text = get_text(cell)
    return "" if len("".join(text.split())) <= len("".join(hidden.split())) else text


def _meaning(node: Node) -> str:
    label = attr(node, "aria-label") or attr(node, "title")
    if not label and (node.tag == "svg" or _is_for_screen_readers(node)):
        title = node if node.tag != "svg" else next(node.iter("title"), None)
        label = get_text(title) if title is not None else ""
    if label:
        return one_line(label, _MAX_SIGN) if len(label) <= _MAX_SIGN else ""
    words = name_words(node)
    return "✓" if words & _YES else "✗" if words & _NO else ""


def _is_for_screen_readers(node: Node) -> bool:
    return bool(_SCREEN_READER_ONLY.search(attr(node, "class")))
