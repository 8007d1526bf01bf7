"""Text as words of a shell, and parts of text that cut no mask in two."""

from __future__ import annotations

from typing import Literal

from hermes_text.secrets import find_masks

ShellKind = Literal["bash", "sh"]
"""`bash`, or `sh` for whatever else there is."""


def quoted(text: str) -> str:
    """A text as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def quoted_path(path: str) -> str:
    """A path as one word of a shell, which knows where its user's home is."""
    if path == "~":
        return '"$HOME"'
    return f'"$HOME"/{quoted(path[2:])}' if path.startswith("~/") else quoted(path)


def part_of(text: str, start: int, end: int) -> str:
    """Return a part of a text, longer where it would otherwise cut the mask of a secret in two."""
    for mask in find_masks(text):
        if mask.start < start < mask.end:
            start = mask.start
        if mask.start < end < mask.end:
            end = mask.end
    return text[start:end]


def as_bytes(text: str) -> bytes:
    """A text as it is written; bytes that are no text are themselves again, other broken characters are marked."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")
