"""Scores what must survive on generated pages: headings, items, rows, code and absolute links; and what is noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from bench.harness import Row, Score, once
from bench.web import generated
from bench.web.building import Page
from bench.web.checks import ExtractedText

KEPT = 0.97
NOISE = 0.03
"""What ours must reach."""


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


def ours(page: Page) -> str:
    """What `web_extract` reads; the notes belong to it."""
    from hermes_tools_web.documents.reader import read_document

    document = read_document(page.body, content_type=page.content_type, url=page.url)
    return "\n\n".join([document.markdown, *document.notes])


def trafilatura_markdown(page: Page) -> str:
    """Trafilatura's own Markdown, with the settings that keep the most structure."""
    import trafilatura

    found = trafilatura.extract(
        page.body,
        url=page.url,
        output_format="markdown",
        include_links=True,
        include_formatting=True,
        include_tables=True,
        include_images=True,
    )
    return found or ""


def tally(extract: Callable[[Page], str], pages: Iterable[Page]) -> Tally:
    """What an extractor makes of pages."""
    found = Tally()
    for page in pages:
        found.add(page, extract(page))
    return found


def rows() -> Iterator[Row | Score]:
    """Kept facts and noise of ours and of trafilatura, then the time of a very large page."""
    pages = list(generated.pages())
    html = [page for page in pages if page.is_html]
    for name, extract in {"ours": ours, "trafilatura": trafilatura_markdown}.items():
        yield from _scores(f"facts, {len(html)} pages: {name}", tally(extract, html), own=name == "ours")
    others = [page for page in pages if not page.is_html]
    yield from _scores(f"facts, {len(others)} documents: ours", tally(ours, others), own=True)
    for page in html:
        if len(page.body) > 1_000_000:
            yield Row(
                what="web: a page of 10 MB",
                against="trafilatura alone",
                ours=once(lambda page=page: ours(page)),  # type: ignore[misc]
                baseline=once(lambda page=page: trafilatura_markdown(page)),  # type: ignore[misc]
                limit=3,
            )


def _scores(what: str, found: Tally, *, own: bool) -> Iterator[Score]:
    yield Score(what=f"{what}, kept", count=found.kept, of=found.wanted, at_least=KEPT if own else None)
    if found.unwanted:
        yield Score(what=f"{what}, noise", count=found.noise, of=found.unwanted, at_most=NOISE if own else None)
    for kind in sorted(found.kinds_wanted):
        yield Score(what=f"  {kind}", count=found.kinds[kind], of=found.kinds_wanted[kind])
