"""Pages that were written after the extractor; a few rules that they showed to be missing were added since."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bench.web.building import Page
from bench.web.held_out import essays, later, manuals, markets, notices

MAKERS: tuple[Callable[[], Page], ...] = (
    *essays.MAKERS,
    *manuals.MAKERS,
    *markets.MAKERS,
    *notices.MAKERS,
    *later.MAKERS,
)


def pages() -> Iterator[Page]:
    """All of them, made one after the other."""
    return (make() for make in MAKERS)
