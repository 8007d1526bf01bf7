"""Asks trafilatura which texts of a page are what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from hermes_tools_web.pages.characters import one_line
from hermes_tools_web.pages.tree import Node

MOST_ELEMENTS = 8_000
MOST_TEXT = 600_000
"""Bigger pages are read without it: it takes more than linear time."""
_TOKEN = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|\w+")
_RUN = 4
_MOST_PROBLEM = 200
_SPANS = re.compile(r"\s(?:col|row)span=\"[^\"]*\"")
"""It fills spans in, a cell for each, and there may be millions; texts can be chosen without."""


class Guide:
    """Knows which texts were chosen.

    Args:
        text: All that was chosen.
        problem: Why trafilatura could not be imported; empty when it could.
    """

    def __init__(self, text: str, problem: str = "") -> None:
        self.size = len(text)
        self.problem = problem
        self._runs = frozenset(_runs(text))

    def share(self, text: str) -> float | None:
        """How much of a text was chosen; None when it is too short to tell.

        Args:
            text: What an element says.
        """
        found = [run in self._runs for run in _runs(text)]
        return sum(found) / len(found) if found else None


def guide_of(root: Node) -> Guide:
    """What trafilatura chooses; nothing when it fails, or when the page is too big for it.

    Args:
        root: The tree.
    """
    count = sum(1 for _ in root.iter())
    if count > MOST_ELEMENTS or sum(map(len, root.itertext())) > MOST_TEXT:
        return Guide("")
    from lxml import etree  # type: ignore[import-untyped]

    markup = cast("str", etree.tostring(root, encoding="unicode", method="html"))
    try:
        return Guide(_chosen(_SPANS.sub("", markup)))
    except ImportError as error:
        return Guide("", one_line(str(error), _MOST_PROBLEM))


def _chosen(markup: str) -> str:
    try:
        from trafilatura import bare_extraction
    except Exception as error:  # a broken installation raises anything; the page can be read without it
        raise ImportError(f"{type(error).__name__}: {error}") from error
    try:
        found = bare_extraction(markup, include_comments=True, include_tables=True, include_links=False, fast=True)
    except Exception:  # foreign code on a foreign page: we can read it without
        return ""
    text = getattr(found, "text", None) or ""
    return f"{text}\n{getattr(found, 'comments', None) or ''}"


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    tokens = _TOKEN.findall(text)
    return zip(*(tokens[at:] for at in range(_RUN)), strict=False)
