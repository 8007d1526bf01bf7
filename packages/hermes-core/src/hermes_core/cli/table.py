"""Tables: rich ones for a terminal, aligned text for a pipe, and names that are never broken."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal

import click

from hermes_core.cli.output import clean, is_styled, line_width

_GAP = 2
_NARROWEST = 12
"""What a column that gives way keeps: less than that is no longer text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column.

    Attributes:
        title: Its heading.
        fit: What happens when the line is too narrow: the text is kept whole, cut, or wrapped.
        style: How a terminal shows it.
        styles: Styles for certain values.
    """

    title: str
    fit: Literal["keep", "cut", "wrap"] = "keep"
    style: str = ""
    styles: Mapping[str, str] = field(default_factory=dict)


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under their headings. A column in which nothing stands is left out."""
    cells = [[clean(cell) for cell in row] for row in rows]
    used = [index for index in range(len(columns)) if any(row[index] for row in cells)]
    columns = [columns[index] for index in used]
    cells = [[row[index] for index in used] for row in cells]
    if is_styled():
        _print_rich(columns, cells)
    else:
        for line in plain_lines(columns, cells, line_width()):
            click.echo(line)


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print labels with their values, one under the other; a fact without a value is left out."""
    said = [(label, clean(value)) for label, value in facts if value]
    longest = max((len(label) for label, _ in said), default=0)
    limit = line_width()
    for label, value in said:
        room = None if limit is None else max(limit - longest - _GAP, _NARROWEST)
        for number, line in enumerate([value] if room is None else wrap(value, room)):
            click.echo(f"{'' if number else label:<{longest}}{' ' * _GAP}{line}")


def plain_lines(columns: Sequence[Column], rows: Sequence[Sequence[str]], limit: int | None) -> Iterator[str]:
    """The table as text, as wide as its contents or as the limit allows."""
    table = [[column.title.upper() for column in columns], *rows]
    widths = _fitted(columns, [max(cell_width(row[index]) for row in table) for index in range(len(columns))], limit)
    for row in table:
        fitted = [
            wrap(cell, width) if column.fit == "wrap" else [cut(cell, width)]
            for cell, column, width in zip(row, columns, widths, strict=True)
        ]
        for line in zip_longest(*fitted, fillvalue=""):
            padded = (cell + " " * (width - cell_width(cell)) for cell, width in zip(line, widths, strict=True))
            yield (" " * _GAP).join(padded).rstrip()


def _fitted(columns: Sequence[Column], natural: list[int], limit: int | None) -> list[int]:
    """Take width away from the columns that give way, always from the widest, until the line fits."""
    widths = list(natural)
    if limit is None:
        return widths
    excess = sum(widths) + _GAP * (len(widths) - 1) - limit
    giving = [index for index, column in enumerate(columns) if column.fit != "keep"]
    while excess > 0 and giving:
        widest = max(giving, key=lambda index: widths[index])
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
        excess -= 1
    return widths


def cell_width(text: str) -> int:
    """How many places a text takes on a line."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) or char in "\u200b\u200d\ufe0f" else 1 + _is_wide(char) for char in text
    )


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def cut(text: str, width: int) -> str:
    """A text that fits, its end replaced by an ellipsis when it was too long."""
    if cell_width(text) <= width:
        return text
    return _head(text, width - 1).rstrip() + "…"


def wrap(text: str, width: int) -> list[str]:
    """A text in lines that fit, broken between words where that is possible."""
    lines = [""]
    for word in text.split(" "):
        rest = word
        candidate = f"{lines[-1]} {rest}" if lines[-1] else rest
        if cell_width(candidate) <= width:
            lines[-1] = candidate
            continue
        if lines[-1]:
            lines.append("")
        while cell_width(rest) > width and len(rest) > 1:
            head = _head(rest, width) or rest[0]
            lines[-1] = head
            lines.append("")
            rest = rest[len(head) :]
        lines[-1] = rest
    return lines


def _head(text: str, width: int) -> str:
    taken = 0
    for position, char in enumerate(text):
        taken += cell_width(char)
        if taken > width:
            return text[:position]
    return text


def _print_rich(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    natural = [max(map(cell_len, (column.title, *cells))) for column, *cells in zip(columns, *rows, strict=True)]
    # The widths are ours: left to itself, rich drops whole columns when one that may be cut is long.
    widths = _fitted(columns, natural, line_width())
    for column, width in zip(columns, widths, strict=True):
        wraps = column.fit == "wrap"
        overflow: Literal["fold", "ellipsis"] = "fold" if wraps else "ellipsis"
        table.add_column(column.title.capitalize(), no_wrap=not wraps, overflow=overflow, width=width)
    for row in rows:
        styled = (
            Text(cell, style=column.styles.get(cell, column.style)) for cell, column in zip(row, columns, strict=True)
        )
        table.add_row(*styled)
    # A terminal narrower than the names wraps them itself, which can still be copied; a cut name cannot.
    width = max(line_width() or 0, sum(widths) + _GAP * len(widths))
    Console(width=width, highlight=False).print(table)
