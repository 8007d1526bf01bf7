"""Shell quoting, and slices of text that keep masks of secrets whole."""

from __future__ import annotations

from typing import Literal

from hermes_text.secrets import find_masks

ShellKind = Literal["bash", "sh"]
"""`bash`, or `sh` for any other shell."""


def quoted(text: str) -> str:
    """Quote a text for a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def quoted_path(path: str) -> str:
    """Quote a path for a shell, with its home expanded."""
    if path == "~":
        return '"$HOME"'
    return f'"$HOME"/{quoted(path[2:])}' if path.startswith("~/") else quoted(path)


def part_of(text: str, start: int, end: int) -> str:
    """Return a slice, extended where it would cut the mask of a secret."""
    for mask in find_masks(text):
        if mask.start < start < mask.end:
            start = mask.start
        if mask.start < end < mask.end:
            end = mask.end
    return text[start:end]


def as_bytes(text: str) -> bytes:
    """Encode a text; undecodable bytes are restored, and other invalid characters are replaced."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")
