"""Parse JSON, JSON Lines, XML and plain text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

from hermes_tools_web.documents.document import Document
from hermes_tools_web.text import one_line, strip_invisible

MAX = 500_000
"""The limit for shown data, in characters."""
_MAX_INDENTED = 4_000_000
"""Longer JSON is shown as is: indenting it is too expensive."""
_PREFIX = re.compile(r"\A\)\]\}',?\s*\n|\A(?:while\(1\);|for\(;;\);)\s*")
_MEANT = re.compile(r"\s*+(?:\{\s*+[\"'}]|\[\s*+[\[{\"])")
_LINE = re.compile(r"\s*[\[{\"\d\-tfn]")


def read_json(text: str) -> Document:
    """Pretty-print JSON; show invalid JSON as text."""
    text = _PREFIX.sub("", text.strip())
    if len(text) > _MAX_INDENTED:
        return _fenced("json", "json", text, "")
    found = _loaded(text)
    if found is not None:
        return _fenced("json", "json", json.dumps(found[0], indent=2, ensure_ascii=False), _json_title(found[0]))
    if _is_lines(text):
        return _fenced("json", "json", text, "")
    read = read_text(text)
    if not _MEANT.match(text):
        return read  # log lines start with brackets, too
    note = "The document looks like JSON but is invalid; it is shown as is."
    return Document(kind="text", title=read.title, markdown=read.markdown, notes=(note, *read.notes))


def read_xml(text: str) -> Document:
    """Show XML that is neither a page nor a feed as is."""
    title = re.search(r"<(?:\w+:)?title[^>]{0,300}>([^<]{1,500})<", text[:50_000])
    return _fenced("xml", "xml", text.strip(), one_line(title.group(1)) if title else "")


def parse_json(text: str) -> Any:
    """Parse JSON; None when it is invalid."""
    found = _loaded(text)
    return None if found is None else found[0]


def _loaded(text: str) -> tuple[Any] | None:
    try:
        return (json.loads(text, parse_int=_whole, strict=False),)
    except (ValueError, RecursionError):
        return None


def _whole(digits: str) -> int | float | str:
    """Keep integers with thousands of digits as text: Python refuses to parse them."""
    return int(digits) if len(digits) < 4000 else digits


def _is_lines(text: str) -> bool:
    lines = [line for line in text[:200_000].splitlines() if line.strip()]
    if len(text) > 200_000:
        lines = lines[:-1]
    return len(lines) > 1 and all(_LINE.match(line) and _loaded(line) is not None for line in lines[:50])


def _json_title(value: object) -> str:
    if isinstance(value, dict):
        for key in ("title", "name"):
            if isinstance(value.get(key), str):
                return one_line(value[key])
    return ""


def _fenced(kind: str, language: str, text: str, title: str) -> Document:
    notes: tuple[str, ...] = ()
    text = strip_invisible(text)
    if len(text) > MAX:
        notes = (f"The first {MAX:,} of {len(text):,} characters are shown.",)
        text = text[:MAX].rsplit("\n", 1)[0] if "\n" in text[:MAX] else text[:MAX]
    return Document(kind=kind, title=title, markdown=fence(text, language), notes=notes)


def fence(text: str, language: str = "") -> str:
    """Put text into a fenced block that its content cannot close."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}{language}\n{text}\n{marks}"


_HEADING = re.compile(r"^\s{0,3}#\s+(.{1,300}?)\s*#*\s*$", re.MULTILINE)
_LATEX_TITLE = re.compile(r"\\title\{([^{}]{1,300})\}")
_FRONT_TITLE = re.compile(r"\A---\n(?:.*\n){0,40}?title:\s*[\"']?(.{1,300}?)[\"']?\s*\n")

_SILENT = frozenset(("script", "style", "template", "svg"))
_BLANK_LINES = re.compile(r"\n\s*\n")


def read_text(text: str) -> Document:
    """Show plain text as is."""
    text = strip_invisible(text).strip("\n")
    return Document(
        kind="text",
        title=_text_title(text[:20_000]),
        markdown=text,
        notes=() if text.strip() else ("The document is empty.",),
    )


def read_markup_as_text(text: str) -> Document:
    """Extract the words of HTML or XML without a parser."""
    words: list[str] = []
    title, silent = "", ""
    first, *pieces = text.split("<")
    for piece in pieces:
        tag, closed, words_of_tag = piece.partition(">")
        name = tag.split(maxsplit=1)[0].lower() if tag.strip() else ""
        if silent:
            silent = "" if name == f"/{silent}" else silent
        elif name in _SILENT:
            silent = name
        elif name == "title" and not title:
            title = one_line(unescape(words_of_tag))
        if not silent:
            words.append(words_of_tag if closed else f"<{piece}")
    found = read_text(_BLANK_LINES.sub("\n\n", unescape(first + " ".join(words))))
    return replace(found, title=title)


def _text_title(text: str) -> str:
    for pattern in (_FRONT_TITLE, _LATEX_TITLE, _HEADING):
        match = pattern.search(text)
        if match:
            return one_line(match.group(1))
    return ""
