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
