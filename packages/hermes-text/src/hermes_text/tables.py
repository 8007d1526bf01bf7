"""Format tables for terminals without breaking names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import Literal, NamedTuple

from hermes_text.terminal import cell_width, cut, wrap

GAP = 2
"""Spaces between columns."""
NARROWEST = 12
"""The minimum width of a column that is cut or wrapped."""


class Column(NamedTuple):
    """One column of a table.

    Attributes:
        title: Its heading.
        fit: What to do when the line is too narrow: keep the text, cut it, or wrap it.
        style: Its style on a terminal.
        styles: Styles for certain values.
    """

    title: str
    fit: Literal["keep", "cut", "wrap"] = "keep"
    style: str = ""
    styles: Mapping[str, str] = MappingProxyType({})


def table_lines(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    limit: int | None,
    styled: Callable[[str, str], str] = lambda text, _style: text,
) -> Iterator[str]:
    """Format a table, as wide as its contents or the limit.

    Args:
        columns: Its columns.
        rows: The cells of each row.
        limit: The maximum width of a line; None for no limit.
        styled: Applies a style to a text, without changing its visible width.
    """
    titles = [column.title.upper() for column in columns]
    natural = [max(map(cell_width, cells)) for cells in zip(titles, *rows, strict=True)]
    widths = _fitted(columns, natural, limit)
    for number, row in enumerate((titles, *rows)):
        styles = [column.styles.get(cell, column.style) for cell, column in zip(row, columns, strict=True)]
        styles = styles if number else ["bold"] * len(columns)
        fitted = [
            wrap(cell, width) if column.fit == "wrap" else [cut(cell, width)]
            for cell, column, width in zip(row, columns, widths, strict=True)
        ]
        for line in zip_longest(*fitted, fillvalue=""):
            *before, last = zip(line, widths, styles, strict=True)
            padded = [styled(cell, style) + " " * (width - cell_width(cell) + GAP) for cell, width, style in before]
            yield ("".join(padded) + styled(last[0], last[2])).rstrip()


def _fitted(columns: Sequence[Column], natural: list[int], limit: int | None) -> list[int]:
    """Reduce the widest columns that may be cut or wrapped until the line fits."""
    widths = list(natural)
    flexible = [index for index, column in enumerate(columns) if column.fit != "keep"]
    excess = 0 if limit is None else sum(widths) + GAP * (len(widths) - 1) - limit
    while excess > 0 and flexible:
        widest = max(flexible, key=lambda index: widths[index])
        if widths[widest] <= NARROWEST:
            break
        widths[widest] -= 1
        excess -= 1
    return widths
