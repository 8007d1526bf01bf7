"""Ask trafilatura which text of a page is its main content."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from hermes_tools_web.documents.content.boilerplate import MAIN_TAGS, calls_itself_main
from hermes_tools_web.documents.content.text_runs import TOKEN, PageText
from hermes_tools_web.documents.html_tree import Node, attr
from hermes_tools_web.text import one_line

MAX_ELEMENTS = 8_000
MAX_TEXT = 600_000
"""Larger pages are processed without trafilatura: it takes more than linear time."""
_MAX_SPANNED = 2_000
"""trafilatura adds a cell per span, and there may be millions; spans do not affect the selection."""
_SHINGLE = 4
_ENOUGH = 0.5
_MAX_PROBLEM = 200
_MENU = 0.6
_MENU_SHARE = 0.5
_MENU_SIZE = 60
_MAX_RUNS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The text that trafilatura selected, and that it recognized as comments."""

    text: str = ""
    comments: str = ""
    problem: str = ""  # why trafilatura could not be imported


def select(root: Node, page: PageText) -> str:
    """Mark what trafilatura selects; nothing when it fails or the page is too large.

    Returns:
        Why trafilatura could not be imported.
    """
    if sum(1 for _ in root.iter()) > MAX_ELEMENTS or page.weight(root).text > MAX_TEXT:
        return ""
    selection = _run_trafilatura(root, fast=True)
    _mark_selected(page, selection)
    if len(page.runs) <= _MAX_RUNS and _is_dump(root, page):
        # Without a good candidate, it selects everything; its slower second opinions are often better.
        selection = _run_trafilatura(root, fast=False)
        _mark_selected(page, selection)
    return selection.problem


def _is_dump(root: Node, page: PageText) -> bool:
    """Return whether links of menus are selected, too, on a page that marks no main content."""
    half = page.weight(root).text // 2
    if any(calls_itself_main(node) and page.weight(node).text > half for node in root.iter(*MAIN_TAGS)):
        return False
    menus = [run for run in page.runs if run.density > _MENU]
    selected = sum(run.linked for run in menus if run.selected)
    return selected > max(_MENU_SIZE, _MENU_SHARE * sum(run.linked for run in menus))


def _run_trafilatura(root: Node, *, fast: bool) -> Selection:
    try:
        from trafilatura import bare_extraction
    except Exception as error:  # a broken installation raises anything
        return Selection(problem=one_line(f"{type(error).__name__}: {error}", _MAX_PROBLEM))
    try:
        # The tree is copied there.
        found: Any = bare_extraction(cast("Any", _without_spans(root)), options=_options(fast))
    except Exception:  # third-party code on untrusted input
        return Selection()
    return Selection(text=getattr(found, "text", None) or "", comments=getattr(found, "comments", None) or "")


@cache
def _options(fast: bool) -> Any:
    from trafilatura.settings import Extractor

    options = Extractor(output_format="python", fast=fast)  # slow: it parses settings
    # Any other word is as balanced, without a second attempt for short pages that takes long and finds little.
    options.focus = "balanced" if not fast else "once"
    return options


def _without_spans(root: Node) -> Node:
    spans = [attr(cell, "colspan") + attr(cell, "rowspan") for cell in root.iter("td", "th")]
    if sum(int(span) for span in spans if span.isdecimal() and span.isascii()) < _MAX_SPANNED:
        return root
    root = copy(root)
    for cell in root.iter("td", "th"):
        for name in ("colspan", "rowspan"):
            cell.attrib.pop(name, None)
    return root


def _mark_selected(page: PageText, selection: Selection) -> None:
    """Mark the runs that trafilatura selected."""
    selected, comments = _Text(selection.text), _Text(selection.comments)
    for run in page.runs:
        tokens = TOKEN.findall(run.text)
        run.selected = selected.has(tokens)
        run.comment = not run.selected and comments.has(tokens)
    page.measure()


class _Text:
    """A text to look up runs in."""

    def __init__(self, text: str) -> None:
        self._lines = {" ".join(TOKEN.findall(line)) for line in text.split("\n")} - {""}
        self._shingles = frozenset(_shingles(TOKEN.findall(text)))

    def has(self, tokens: list[str]) -> bool:
        if not tokens or not self._lines:
            return False
        if " ".join(tokens) in self._lines:
            return True
        found = [shingle in self._shingles for shingle in _shingles(tokens)]
        return bool(found) and sum(found) >= _ENOUGH * len(found)


def _shingles(tokens: list[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(tokens[at:] for at in range(_SHINGLE)), strict=False)
