"""Generated pages with facts that must be kept (texts, headings, items, rows, lines of code, links), and with noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bench.web.building import Page
from bench.web.generated import (
    articles,
    communities,
    documentation,
    essays,
    forums,
    generators,
    languages,
    later,
    manuals,
    markets,
    notices,
    odd,
    others,
    shops,
    tables,
)

MAKERS: tuple[Callable[[], Page], ...] = (
    *articles.MAKERS,
    *documentation.MAKERS,
    *tables.MAKERS,
    *forums.MAKERS,
    *shops.MAKERS,
    *languages.MAKERS,
    *odd.MAKERS,
    *others.MAKERS,
    *generators.MAKERS,
    *communities.MAKERS,
    *essays.MAKERS,
    *manuals.MAKERS,
    *markets.MAKERS,
    *notices.MAKERS,
    *later.MAKERS,
)


def pages() -> Iterator[Page]:
    """All of them, made one after the other."""
    return (make() for make in MAKERS)
