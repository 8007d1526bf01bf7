"""Scores extractors: how much of what belongs to a page they keep, and how much of what does not."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from bench.harness import Row, Score, fastest, once
from bench.web import held_out, seen
from bench.web.building import Page
from bench.web.checks import ExtractedText
from bench.web.extractors import INSTALL, available

KEPT = 0.97
NOISE = 0.03
"""What ours must reach, on pages that it was built with and on those that it was not."""


@dataclass(kw_only=True)
class Tally:
    """What an extractor made of some pages."""

    kept: int = 0
    wanted: int = 0
    noise: int = 0
    unwanted: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    kinds_wanted: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    noisy: list[str] = field(default_factory=list)

    def add(self, page: Page, markdown: str) -> None:
        """Count one page."""
        written = ExtractedText(markdown)
        for check in page.keep:
            found = check.found(written)
            self.kept += found
            self.wanted += 1
            self.kinds[check.what] += found
            self.kinds_wanted[check.what] += 1
            if not found:
                self.lost.append(f"{page.name}: {check.what}: {check.name[:90]}")
        for said in page.noise:
            found = said in markdown or " ".join(said.split()) in written.plain
            self.noise += found
            self.unwanted += 1
            if found:
                self.noisy.append(f"{page.name}: {said[:90]}")


def tally(extract: Callable[[Page], str], pages: Iterable[Page]) -> Tally:
    """What an extractor makes of pages."""
    found = Tally()
    for page in pages:
        found.add(page, extract(page))
    return found


def rows() -> Iterator[Row | Score]:
    """Kept and noise of each extractor, on pages that ours was built with and on those held out; then times."""
    extractors = available()
    if len(extractors) < 4:
        print(f"The comparison needs more: {INSTALL}", file=sys.stderr)
    all_pages = {"seen": list(seen.pages()), "held out": list(held_out.pages())}
    for label, pages in all_pages.items():
        html = [page for page in pages if page.is_html]
        for name, extract in extractors.items():
            yield from _scores(f"{label}, {len(html)} pages: {name}", tally(extract, html), own=name == "ours")
        others = [page for page in pages if not page.is_html]
        yield from _scores(f"{label}, {len(others)} documents: ours", tally(extractors["ours"], others), own=True)
    yield from _times(extractors, [page for page in all_pages["seen"] if page.is_html])


def _scores(what: str, found: Tally, *, own: bool) -> Iterator[Score]:
    yield Score(what=f"{what}, kept", count=found.kept, of=found.wanted, at_least=KEPT if own else None)
    if found.unwanted:
        yield Score(what=f"{what}, noise", count=found.noise, of=found.unwanted, at_most=NOISE if own else None)
    for kind in sorted(found.kinds_wanted):
        yield Score(what=f"  {kind}", count=found.kinds[kind], of=found.kinds_wanted[kind])


def _times(extractors: dict[str, Callable[[Page], str]], pages: list[Page]) -> Iterator[Row]:
    """All ordinary pages together, then the page of ten megabytes once."""
    ours, alone = extractors["ours"], extractors["trafilatura"]
    ordinary = [page for page in pages if len(page.body) < 1_000_000]
    best = fastest(
        {
            "ours": lambda: once(lambda: [ours(page) for page in ordinary]),
            "alone": lambda: once(lambda: [alone(page) for page in ordinary]),
        },
        repeats=3,
    )
    count = len(ordinary)
    yield Row(
        what="web: an ordinary page",
        against="trafilatura alone",
        ours=best["ours"] / count,
        baseline=best["alone"] / count,
        limit=3,
    )
    for page in pages:
        if page not in ordinary:
            yield Row(
                what="web: a page of 10 MB",
                against="trafilatura alone",
                ours=once(lambda page=page: ours(page)),  # type: ignore[misc]
                baseline=once(lambda page=page: alone(page)),  # type: ignore[misc]
                limit=3,
            )
