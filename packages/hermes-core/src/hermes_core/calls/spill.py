"""Keeps results that are too long for a model in files that it can read on."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from hermes_core.calls.results import encode
from hermes_core.files.atomic import write_atomic

PREVIEW_CHARS = 1_500
TURN_CHARS = 200_000
"""What all results of one turn may add up to: about half of a small context window."""

_KEEP_FILES = 500
_TIDY_EVERY = 32
_KEEP_SECONDS = 7 * 24 * 3600.0

ReadOn = Callable[[Path, int], str]
"""Says how to read a file on from a line: the host knows which tools the caller has."""


@dataclass(frozen=True, slots=True)
class Spill:
    """The folder of spilled results of one home."""

    folder: Path
    _count: Iterator[int] = field(default_factory=count, repr=False)

    def limit(self, text: str, max_chars: float, name: str, read_on: ReadOn) -> str:
        """The text itself while it is short enough; else a preview that says where the rest is."""
        if len(text) <= max_chars:
            return text
        return self.shorten(text, name, read_on)

    def shorten(self, text: str, name: str, read_on: ReadOn) -> str:
        """Put the full text into a file and return a JSON object that stands for it."""
        full = _readable(text)
        data = full.encode("utf-8", "replace")
        preview = _preview(full)
        notice: dict[str, object] = {
            "truncated": True,
            "preview": preview,
            "total_chars": len(full),
            "total_lines": full.count("\n") + 1,
            "total_size": _size(len(data)),
        }
        path = self.folder / f"{_file_name(name)}.txt"
        try:
            write_atomic(path, data)
        except OSError as error:
            notice["hint"] = (
                f"Only the first {len(preview):,} characters are shown, and the rest could not be saved "
                f"({error.strerror or error}). Ask for less: a narrower query, a range, a filter."
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
        for index in sorted(range(len(fitted)), key=lambda i: len(fitted[i]), reverse=True):
            if total <= budget:
                break
            if len(fitted[index]) <= 2 * PREVIEW_CHARS or is_notice(fitted[index]):
                continue  # a notice would not be shorter
            short = self.shorten(fitted[index], names[index], read_on)
            total -= len(fitted[index]) - len(short)
            fitted[index] = short
        return fitted

    def _tidy(self) -> None:
        """Forget the oldest files, so that the folder does not grow for ever."""
        with contextlib.suppress(OSError):  # tidying is never a reason to fail a call
            files = sorted(((file.stat().st_mtime, file) for file in self.folder.glob("*.txt")), reverse=True)
            oldest = time.time() - _KEEP_SECONDS
            for position, (modified, file) in enumerate(files):
                if position >= _KEEP_FILES or modified < oldest:
                    file.unlink(missing_ok=True)


def is_notice(text: str) -> bool:
    """Whether a result already stands for a longer one."""
    return text.startswith('{"truncated": true, "preview": ')


def _readable(text: str) -> str:
    """A result with lines that it can be read by: JSON is spread out, text is taken out of its JSON string."""
    if "\n" in text:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def _preview(text: str) -> str:
    """The beginning, ended at a line's end when there is one in its second half."""
    head = text[:PREVIEW_CHARS]
    cut = head.rfind("\n")
    return head[:cut] if cut >= PREVIEW_CHARS // 2 else head


def _file_name(name: str) -> str:
    """A call's id as a file name; ids may come from anywhere."""
    safe = "".join(char if char.isascii() and (char.isalnum() or char in "-_") else "_" for char in name)
    return safe[:100] or "result"


def _size(count: int) -> str:
    return f"{count / 1_048_576:.1f} MB" if count >= 1_048_576 else f"{count / 1024:.1f} KB"
