"""Saves the whole text of a page that is not shown whole, where a model can read on."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from hermes_tools_web.chunks import chunks_of

FOLDER = "results"
"""Where long results lie in the user's folder."""
_PREFIX = "web_extract-"
_MOST_FILES = 200
_MOST_BYTES = 200_000_000
"""What all of them may take of the disk: one page can have many megabytes."""
_DAYS = 7
_LINE_CHARS = 1_500
"""Tools that read files cut longer lines."""
_LONG_LINE = re.compile(rf"[^\n]{{{_LINE_CHARS + 1},}}+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """Where a text was saved.

    Attributes:
        path: The file.
        line: The line of it in which what was shown ends.
    """

    path: Path
    line: int


def save(text: str, *, shown: str, name: str, folder: Path) -> Saved | None:
    """Save a text; None when the disk does not take it.

    Args:
        text: All of it, between its marks.
        shown: The beginning of it that is shown, likewise; may be empty.
        name: What it is called, such as its host.
        folder: Where to.
    """
    path = folder / f"{_PREFIX}{re.sub(r'[^A-Za-z0-9.-]', '_', name)[:60]}-{secrets.token_hex(4)}.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        data = _in_lines(text).encode("utf-8", "replace")
        _tidy(folder, _MOST_BYTES - len(data))
        _write(path, data)
    except OSError:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        return None
    return Saved(path=path, line=_in_lines(shown).count("\n") + 1)


def _write(path: Path, data: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)  # pages behind somebody's network are theirs
    with os.fdopen(file, "wb") as opened:
        opened.write(data)


def _in_lines(text: str) -> str:
    """The text with lines that are short enough to be read."""
    return _LONG_LINE.sub(lambda line: "\n".join(chunks_of(line[0], _LINE_CHARS)), text)


def _tidy(folder: Path, most_bytes: int) -> None:
    """Forget the oldest texts, so that the folder does not grow for ever."""
    oldest = time.time() - _DAYS * 86_400
    size = 0
    for position, (modified, file, length) in enumerate(_newest_first(folder)):
        size += length
        if position >= _MOST_FILES - 1 or modified < oldest or size > most_bytes:
            with contextlib.suppress(OSError):  # tidying is no reason to fail
                file.unlink(missing_ok=True)


def _newest_first(folder: Path) -> list[tuple[float, Path, int]]:
    found = []
    for file in folder.glob(f"{_PREFIX}*.txt"):
        with contextlib.suppress(OSError):  # another call took it away just now
            about = file.lstat()
            found.append((about.st_mtime, file, about.st_size))
    return sorted(found, reverse=True)
