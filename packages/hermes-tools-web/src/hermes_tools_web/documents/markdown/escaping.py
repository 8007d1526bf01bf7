"""Keeps what a page says from becoming structure: its text cannot open fences, tables, lists or links."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"\\(?=[!-/:-@\[-`{-~])|`|<(?=[A-Za-z/!?])|\](?=[(\[:])|!(?=\[)|\[(?=\^)")
_LINE_START = re.compile(
    r"^(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|\||~{3}|={2,}\s*$|(?:[-_*][ \t]*){3,}$|\[\^[^\]\n]{1,40}\\?\]:)", re.MULTILINE
)
_NUMBERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)", re.MULTILINE)


def escape(text: str) -> str:
    """A piece of text, for the middle of a line.

    Only what would change the meaning of the rest is escaped: what a model reads should look like the page.

    Args:
        text: What the page says.
    """
    return _SPECIAL.sub(r"\\\g<0>", text)


def escape_starts(text: str) -> str:
    """Lines that begin like a heading, a list, a quote or a table do not.

    Args:
        text: Lines whose middles were escaped.
    """
    return _NUMBERED.sub(r"\1\\\2", _LINE_START.sub(r"\\", text))


def escape_cell(text: str) -> str:
    """A text for one cell of a table: on one line, and without bars that end it.

    Args:
        text: What was escaped or written as Markdown already.
    """
    text = "<br>".join(line.strip() for line in text.split("\n") if line.strip())
    return text.replace("|", "\\|")


def code_span(text: str) -> str:
    """A text as code in the middle of a line.

    Args:
        text: What the page shows as code.
    """
    text = " ".join(text.split())
    if not text:
        return ""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{marks}{pad}{text}{pad}{marks}"
