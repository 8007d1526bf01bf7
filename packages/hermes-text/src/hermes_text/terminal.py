"""Fits untrusted text into lines of a terminal, without control characters."""

from __future__ import annotations

import unicodedata

# Control characters, and those that change the direction of text.
_UNSAFE = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF), " ")
# Characters that show nothing, except joiners, which Persian, Hindi and emoji need.
_INVISIBLE = (0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x200B, 0x200E, 0x200F, 0x3164, 0xFFA0)
_INVISIBLE += (*range(0x180B, 0x1810), *range(0x2060, 0x2066), *range(0x206A, 0x2070), *range(0xFE00, 0xFE0F))
_INVISIBLE += (*range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0))
_UNSAFE |= dict.fromkeys(_INVISIBLE, "")


def clean(text: object) -> str:
    """Format untrusted text as one line without control characters and invisible characters.

    All visible characters are kept, even those of escape sequences: people approve calls by this text.
    """
    return " ".join(str(text).translate(_UNSAFE).split())


def harmless(line: str) -> str:
    """Replace control characters and invisible characters in a line, and keep its spaces."""
    return line.translate(_UNSAFE)


def cell_width(text: str) -> int:
    """Return the width of a text in terminal columns."""
    if text.isascii():
        return len(text)
    return sum(map(_char_width, text))


def _char_width(char: str) -> int:
    if unicodedata.combining(char) or char in "\u200b\u200d\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, width: int) -> str:
    """Shorten a text to a width, with an ellipsis at its end."""
    return text if cell_width(text) <= width else _head(text, width - 1).rstrip() + "…"


def wrap(text: str, width: int) -> list[str]:
    """Break a text into lines of a width, between words where possible."""
    lines = [""]
    for word in text.split(" "):
        candidate = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_width(candidate) <= width:
            lines[-1] = candidate
            continue
        if lines[-1]:
            lines.append("")
        while cell_width(word) > width and len(word) > 1:
            lines[-1] = _head(word, width) or word[0]
            word = word[len(lines[-1]) :]  # noqa: PLW2901 - the rest of the word
            lines.append("")
        lines[-1] = word
    return lines


def reflow(text: str, width: int) -> list[str]:
    """Break prose into lines of a width, and join lines that were broken only because they were long.

    That is the case when the first word of the next line would have made the line the longest. List items, indented
    lines and empty lines are not joined.
    """
    given = text.splitlines()
    longest = max(map(cell_width, given), default=0)
    if longest <= width:
        return given
    paragraphs: list[str] = []
    previous = ""
    for line in given:
        first_word = line.partition(" ")[0]
        is_new = not previous or not line or line.startswith(("-", "*", "•", " ", "\t"))
        if is_new or cell_width(previous) + 1 + cell_width(first_word) <= longest:
            paragraphs.append(line)
        else:
            paragraphs[-1] += f" {line}"
        previous = line
    lines: list[str] = []
    for paragraph in paragraphs:
        prose = paragraph.lstrip()
        indentation = paragraph[: len(paragraph) - len(prose)]
        lines += [indentation + piece for piece in wrap(prose, max(width - len(indentation), 1))]
    return lines


def _head(text: str, width: int) -> str:
    taken = 0
    for position, char in enumerate(text):
        taken += _char_width(char)
        if taken > width:
            return text[:position]
    return text
