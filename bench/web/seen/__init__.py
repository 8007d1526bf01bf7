"""Pages that the extractor was built with."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bench.web.building import Page
from bench.web.seen import (
    articles,
    communities,
    documentation,
    forums,
    generators,
    languages,
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
)


def pages() -> Iterator[Page]:
    """All of them, made one after the other."""
    return (make() for make in MAKERS)
