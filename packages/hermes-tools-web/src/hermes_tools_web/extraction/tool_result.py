"""Format the result of an extraction for the model, and save full texts to files."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hermes_text import sanitize_error, untrusted_line, untrusted_text
from hermes_tools_web.extraction.job import ExtractionJob, Outcome, display_host
from hermes_tools_web.extraction.summarizer import SUMMARY_CHARS
from hermes_tools_web.providers.protocol import Page
from hermes_tools_web.text import (
    clean_line,
    clean_note,
    divide_budget,
    json_length,
    shorten_url,
    split_text,
    truncate,
    truncate_to_json,
)

_TITLE_CHARS = 200
_ERROR_CHARS = 1_000
_FACTS = ("author", "date", "site", "language", "description")
_FACT_CHARS = 300
_NOTE_BUDGET = 700
"""The budget for a note about truncated text, which names a file twice."""
_KINDS = {"pdf": "PDF document", "feed": "feed", "json": "JSON document", "xml": "XML document", "text": "text"}
_encoded = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A page while its result is built."""

    outcome: Outcome
    fields: dict[str, Any]
    text: str = ""
    kind: str = "web page"

    def marked(self, text: str) -> str:
        page = self.outcome.page
        return untrusted_text(text, source=page.final_url or page.url, kind=self.kind)


def format_result(outcomes: Sequence[Outcome], notes: Sequence[str], job: ExtractionJob) -> dict[str, Any]:
    """Format the result of a call. Run it in a thread: it saves full texts."""
    rows = [_row(outcome) for outcome in outcomes]
    budget = _text_budget(rows, notes, job.max_chars)
    sizes = [json_length(row.text) for row in rows]
    for row, share in zip(rows, divide_budget(sizes, budget), strict=True):
        if row.outcome.readable:
            _show(row, share, job)
    result: dict[str, Any] = {"results": [row.fields for row in rows]}
    if notes:
        result["notes"] = [clean_note(note) for note in notes]
    return result


def _row(outcome: Outcome) -> _Row:
    text = outcome.page.content if outcome.readable else ""
    kind = _KINDS.get(outcome.page.kind, "web page")
    if outcome.summary is not None:
        text, kind = outcome.summary.text, f"summary of a {kind}"
    elif outcome.shortened:
        text = truncate(text, SUMMARY_CHARS)
    return _Row(outcome=outcome, fields=_fields(outcome), text=text, kind=kind)


def _fields(outcome: Outcome) -> dict[str, Any]:
    page = outcome.page
    error = _sentence(page.error) if page.error else None
    fetched = datetime.fromtimestamp(outcome.fetched_at, UTC)
    known = {
        "hint": _sentence(page.hint) if error and page.hint else None,
        "blocked_by_policy": {name: _sentence(said) for name, said in (outcome.blocked or {}).items()} or None,
        "final_url": shorten_url(page.final_url) if page.final_url not in ("", page.url) else None,
        "provider": outcome.provider or None,
        "kind": page.kind or None,
        "fetched_at": fetched.strftime("%Y-%m-%dT%H:%M:%SZ") if outcome.fetched_at and not error else None,
        "from_cache": outcome.from_cache if not error else None,
        "about": _about(page) or None,
        "summarized_by": outcome.summary.model if outcome.summary else None,
        "notes": [clean_note(note) for note in (*page.notes, *outcome.notes)] or None,
    }
    title = clean_line(page.title, _TITLE_CHARS)
    fields = {"url": shorten_url(page.url), "title": title, "content": "", "error": error}
    return {**fields, **{name: value for name, value in known.items() if value is not None}}


def _sentence(text: str) -> str:
    """Clean an error or hint: servers and services wrote part of it."""
    return clean_line(sanitize_error(text), _ERROR_CHARS)


def _about(page: Page) -> str:
    """Return the metadata of a page, which is untrusted, too."""
    said = [f"{name}: {clean_line(page.facts[name], _FACT_CHARS)}" for name in _FACTS if page.facts.get(name)]
    return untrusted_line("; ".join(said), source=page.url, kind="what the page says of itself")


def _text_budget(rows: Sequence[_Row], notes: Sequence[str], maximum: float) -> int:
    whole = sum(len(row.text) for row in rows)
    if maximum == float("inf"):
        return 6 * whole
    empty = [{**row.fields, "content": row.marked("")} for row in rows]
    taken = len(_encoded({"results": empty, "notes": [clean_note(note) for note in notes]}))
    return int(maximum) - taken - _NOTE_BUDGET * len(rows)


def _show(row: _Row, share: int, job: ExtractionJob) -> None:
    page = row.outcome.page
    shown = truncate_to_json(row.text, share)
    row.fields["content"] = row.marked(shown)
    if len(shown) >= len(page.content):
        return
    saved = save_text(
        row.marked(page.content),
        shown=row.marked(shown),
        name=display_host(page.final_url or page.url),
        folder=job.folder,
    )
    row.fields["notes"] = [*row.fields.get("notes", ()), _where_the_rest_is(row, shown, saved)]
    if saved is not None:
        row.fields["saved_to"] = str(saved.path)


def _where_the_rest_is(row: _Row, shown: str, saved: SavedText | None) -> str:
    total = len(row.outcome.page.content)
    if row.outcome.summary is not None:
        whole = f"The full text has {total:,} characters"
        return f"{whole} and is in {saved.path}." if saved else f"{whole}; it could not be saved."
    some = f"Only the first {len(shown):,} of {total:,} characters are shown."
    if saved is None:
        return f"{some} The rest could not be saved; pass fewer URLs at once."
    return f"{some} The full text is in {saved.path}; continue at line {saved.line - 1}."


FOLDER = "results"
"""The directory for long results in the home directory."""
_PREFIX = "web_extract-"
_MAX_FILES = 200
_MAX_BYTES = 200_000_000
"""The limit for all files together: one page can have many megabytes."""
_DAYS = 7
_LINE_CHARS = 1_500
"""File-reading tools truncate longer lines."""
_LONG_LINE = re.compile(rf"[^\n]{{{_LINE_CHARS + 1},}}+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedText:
    """A saved text."""

    path: Path  # the file
    line: int  # the line in which the shown part ends


def save_text(text: str, *, shown: str, name: str, folder: Path) -> SavedText | None:
    """Save a text with its markers to a file; return None when that fails.

    `shown` is the part that the result shows, with its markers, and `name` a part of the file name, such as the host.
    """
    path = folder / f"{_PREFIX}{re.sub(r'[^A-Za-z0-9.-]', '_', name)[:60]}-{secrets.token_hex(4)}.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        data = _wrap_lines(text).encode("utf-8", "replace")
        _remove_oldest(folder, _MAX_BYTES - len(data))
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)  # pages of a private network stay private
        with os.fdopen(file, "wb") as opened:
            opened.write(data)
    except OSError:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        return None
    return SavedText(path=path, line=_wrap_lines(shown).count("\n") + 1)


def _wrap_lines(text: str) -> str:
    return _LONG_LINE.sub(lambda line: "\n".join(split_text(line[0], _LINE_CHARS)), text)


def _remove_oldest(folder: Path, max_bytes: int) -> None:
    found = []
    for file in folder.glob(f"{_PREFIX}*.txt"):
        with contextlib.suppress(OSError):  # another call just removed it
            about = file.lstat()
            found.append((about.st_mtime, file, about.st_size))
    oldest, size = time.time() - _DAYS * 86_400, 0
    for position, (modified, file, length) in enumerate(sorted(found, reverse=True)):
        size += length
        if position >= _MAX_FILES - 1 or modified < oldest or size > max_bytes:
            with contextlib.suppress(OSError):  # cleanup must not fail the call
                file.unlink(missing_ok=True)
