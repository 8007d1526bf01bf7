"""Escape text so that it cannot open fences, tables, lists or links."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"\\(?=[!-/:-@\[-`{-~])|`|<(?=[A-Za-z/!?])|\](?=[(\[:])|!(?=\[)|\[(?=\^)")
_LINE_START = re.compile(
    r"^(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|\||~{3}|={2,}\s*$|(?:[-_*][ \t]*){3,}$|\[\^[^\]\n]{1,40}\\?\]:)", re.MULTILINE
)
_NUMBERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)", re.MULTILINE)


def escape(text: str) -> str:
    """Escape text within a line; only what would change the meaning of the rest."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def escape_starts(text: str) -> str:
    """Escape line starts that look like headings, lists, quotes or tables."""
    return _NUMBERED.sub(r"\1\\\2", _LINE_START.sub(r"\\", text))


def escape_cell(text: str) -> str:
    """Put text into one table cell: on one line, with escaped bars."""
    text = "<br>".join(line.strip() for line in text.split("\n") if line.strip())
    return text.replace("|", "\\|")


def code_span(text: str) -> str:
    """Write inline code."""
    text = " ".join(text.split())
    if not text:
        return ""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{marks}{pad}{text}{pad}{marks}"
