"""Texts as words of a shell."""

from __future__ import annotations

from typing import Literal

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


def as_bytes(text: str) -> bytes:
    """A text as it is written; bytes that are no text are themselves again, other broken characters are marked."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")
