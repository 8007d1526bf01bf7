"""Stores results that are too long for a model in files that it can read."""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

from hermes_core.calls.results import encode, is_json
from hermes_files.atomic import write_atomic
from hermes_schemas.path_lines import spread_out

PREVIEW_CHARS = 1_500
TURN_CHARS = 200_000
"""The maximum length of all results of a turn together: about half of a small context window."""

_NOTICE_CHARS = 500  # the approximate length of a notice without its preview
_KEEP_FILES = 500
_TIDY_EVERY = 32
_KEEP_SECONDS = 7 * 24 * 3600.0

ReadOn = Callable[[Path, int], str]
"""Explains how to read the rest of a file from a line, with the tools of the caller."""


class Spill:
    """The directory of spilled results of one home."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._count = count()

    def shorten(self, text: str, name: str, read_on: ReadOn, preview_chars: int = PREVIEW_CHARS) -> str:
        """Write the full text to a file; return a JSON object with its path and a preview."""
        full = readable(text)
        data = full.encode("utf-8", "replace")
        size = len(data)
        preview = _preview(full, preview_chars)
        notice: dict[str, object] = {
            "truncated": True,
            "preview": preview,
            "total_chars": len(full),
            "total_lines": full.count("\n") + 1,
            "total_size": f"{size / 1024:.1f} KB" if size < 1_048_576 else f"{size / 1_048_576:.1f} MB",
        }
        # Models reuse ids in every conversation, so the name must be unique without them.
        safe = re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:100] or "result"
        path = self.folder / f"{safe}-{os.urandom(4).hex()}.txt"
        try:
            write_atomic(path, data)
        except OSError as error:
            notice["hint"] = (
                f"Only the first {len(preview):,} characters are shown, and the rest could not be saved "
                f"({error.strerror or error}). Request less: a narrower query, a range, a filter."
            )
        else:
            notice["saved_to"] = str(path)
            notice["hint"] = read_on(path, preview.count("\n") + 1)
        if next(self._count) % _TIDY_EVERY == 0:
            self._tidy()
        return encode(notice)

    def fit_turn(self, results: Sequence[str], names: Sequence[str], budget: int, read_on: ReadOn) -> list[str]:
        """Shorten the longest results of a turn until all of them together fit the budget."""
        fitted = list(results)
        total = sum(map(len, fitted))
        for preview_chars in (PREVIEW_CHARS, 200, 0):
            for index in sorted(range(len(fitted)), key=lambda i: len(fitted[i]), reverse=True):
                if total <= budget:
                    return fitted
                if len(fitted[index]) <= preview_chars + _NOTICE_CHARS:
                    continue
                if (notice := self._read_notice(results[index])) is not None:
                    preview = _preview(str(notice.get("preview", "")), preview_chars)  # the file contains the full text
                    short = encode({**notice, "preview": preview})
                else:
                    short = self.shorten(results[index], names[index], read_on, preview_chars)
                if len(short) < len(fitted[index]):
                    total -= len(fitted[index]) - len(short)
                    fitted[index] = short
        return fitted

    def _read_notice(self, text: str) -> dict[str, object] | None:
        """Parse a result that already refers to a file in this directory; None for others."""
        if not text.startswith('{"truncated": true, "preview": '):
            return None
        try:
            notice: dict[str, object] = json.loads(text)
        except (ValueError, RecursionError):
            return None
        path = Path(str(notice.get("saved_to", "")))
        return notice if path.parent == self.folder and path.is_file() else None

    def _tidy(self) -> None:
        """Remove the oldest files, so that the directory does not grow without limit."""
        with contextlib.suppress(OSError):  # failing to tidy must not fail a call
            files = sorted(((file.stat().st_mtime, file) for file in self.folder.glob("*.txt")), reverse=True)
            oldest = time.time() - _KEEP_SECONDS
            for position, (modified, file) in enumerate(files):
                if position >= _KEEP_FILES or modified < oldest:
                    file.unlink(missing_ok=True)


def readable(text: str) -> str:
    """Split a result into lines: format JSON, and unquote a JSON string.

    Numbers and keys stay as they are written, because parsing them could round some.
    """
    if "\n" in text:
        return text
    if text.startswith('"'):
        try:
            value = json.loads(text)
        except ValueError:
            return text
        return value if isinstance(value, str) else text
    return spread_out(text) if text.startswith(("{", "[")) and is_json(text) else text


def _preview(text: str, limit: int) -> str:
    """Return the beginning whose JSON text has at most this length, cut at a line break if possible."""
    head = text[:limit]
    while head and (size := len(encode(head)) - 2) > limit:
        head = head[: min(len(head) - 1, len(head) * limit // size)]
    cut = head.rfind("\n")
    return head[:cut] if head and cut >= len(head) // 2 else head
