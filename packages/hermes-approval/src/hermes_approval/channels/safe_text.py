"""Escapes untrusted text for a terminal, so that nothing in it acts, hides or deceives."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

_TAB = "    "
_MAX_MARKS = 3
"""How many accents in a row languages use; more of them would cover other lines."""

# Unicode categories: control and format characters (direction marks, zero widths, tags), surrogates, private and
# unassigned characters, line and paragraph separators.
_ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MARKS = frozenset({"Mn", "Me"})
# Letters, marks and symbols without a visible form.
_INVISIBLE = frozenset(
    map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810)))
) | frozenset(map(chr, (*range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0))))
_WORD = re.compile(r"[^ ]* +|[^ ]+")
_PLAIN = frozenset(map(chr, range(0x20, 0x7F)))


def one_line(text: object) -> str:
    """Return text as one line. Everything that a terminal would act on is escaped, as `<U+001B>`."""
    shown: list[str] = []
    marks = _MAX_MARKS  # a mark at the start would cover the text before it
    for char in str(text):
        if char in _PLAIN:
            marks = 0
            shown.append(char)
            continue
        kind = unicodedata.category(char)
        marks = marks + 1 if kind in _MARKS else 0
        if char == "\t":
            shown.append(_TAB)
        elif kind in _ACTING or kind == "Zs" or marks > _MAX_MARKS or char in _INVISIBLE:
            shown.append(f"<U+{ord(char):04X}>")
        else:
            shown.append(char)
    return "".join(shown)


def lines(value: Any) -> Iterator[str]:
    """Return the escaped lines of an argument: text as it is, everything else as JSON."""
    if not isinstance(value, str):
        value = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return map(one_line, value.split("\n"))


def fold(line: str, width: int) -> list[str]:
    """Break an escaped line into pieces that fit, after spaces where possible. Every space is preserved."""
    if len(line) * 2 <= width:
        return [line]
    from rich.cells import cell_len, chop_cells

    width = max(width, 2)
    pieces, used = [""], 0
    for word in _WORD.findall(line):
        for piece in chop_cells(word, width):  # one piece, unless the word is too long
            needed = cell_len(piece)
            if used + needed > width:
                pieces.append("")
                used = 0
            pieces[-1] += piece
            used += needed
    return pieces
