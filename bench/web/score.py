"""Scores extractors on labeled pages: precision, recall, F1 and time.

`python -m bench.web.score` compares them on the pages of the repository. `--pages DIR` reads another directory of the
same form, `--by kind` (or `language`, `page`) prints the figures of each, and `--record` stores them for the docs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from bench.harness import Row, Score, fastest, once
from bench.web import facts
from bench.web.extractors import Extractor, available, ours, plain_text
from bench.web.labeled_pages import COMMITTED, LabeledPage, load, without_optional
from bench.web.shingles import Match, average, compare, list_differences

RECORD = COMMITTED / "score.json"
F1 = 0.93
"""What ours must reach on the pages of the repository."""
SLOWDOWN = 2
"""How many times the time of trafilatura ours may take."""

_GROUPS: dict[str, Callable[[LabeledPage], str]] = {
    "kind": lambda page: page.kind,
    "language": lambda page: page.language,
    "page": lambda page: page.name,
}


def read(name: str, extract: Extractor, page: LabeledPage) -> str:
    """The text that is compared: without Markdown, if it is ours, and without optional lines."""
    text = extract(page)
    return without_optional(plain_text(text) if name == "ours" else text, page)


def score_pages(extractors: Mapping[str, Extractor], pages: Sequence[LabeledPage]) -> dict[str, dict[str, Match]]:
    """Score each page with each extractor."""
    return {
        name: {page.name: compare(read(name, extract, page), page.text) for page in pages}
        for name, extract in extractors.items()
    }


def time_pages(extractors: Mapping[str, Extractor], pages: Sequence[LabeledPage], repeats: int = 3) -> dict[str, float]:
    """Measure the seconds that each extractor takes for a page, on average."""

    def side(extract: Extractor) -> Callable[[], float]:
        return lambda: once(lambda: [extract(page) for page in pages]) / len(pages)

    return fastest({name: side(extract) for name, extract in extractors.items()}, repeats)


def rows() -> Iterator[Row | Score]:
    """The figures of the labeled pages, the time of a page, then facts that must be kept."""
    extractors, pages = available(), load()
    for name, matches in score_pages(extractors, pages).items():
        total = average(matches.values())
        for figure in ("precision", "recall", "f1"):
            at_least = F1 if name == "ours" and figure == "f1" else None
            per_mille = round(getattr(total, figure) * 1000)
            yield Score(what=f"{len(pages)} pages, {name}: {figure}", count=per_mille, of=1000, at_least=at_least)
    seconds = time_pages({name: extractors[name] for name in ("ours", "trafilatura")}, pages)
    yield Row(
        what="web: an ordinary page",
        against="trafilatura alone",
        ours=seconds["ours"],
        baseline=seconds["trafilatura"],
        limit=SLOWDOWN,
    )
    yield from facts.rows()


def main() -> None:
    """Print the table, and store it if asked."""
    parser = argparse.ArgumentParser(prog="python -m bench.web.score", description=__doc__)
    parser.add_argument("--pages", type=Path, default=COMMITTED, help="a directory of labeled pages")
    parser.add_argument("--by", choices=_GROUPS, help="also print the figures of each group")
    parser.add_argument("--only", action="append", help="an extractor; may be repeated; all by default")
    parser.add_argument("--show", metavar="PAGE", help="only print what our text of a page has too much, or lacks")
    parser.add_argument("--record", action="store_true", help="store the figures for the documentation")
    parser.add_argument("--no-times", action="store_true", help="do not measure times")
    options = parser.parse_args()
    pages = load(options.pages)
    if options.show:
        for page in pages:
            if page.name == options.show:
                print("\n".join(list_differences(read("ours", ours, page), page.text)))
        return
    extractors = {name: extract for name, extract in available().items() if not options.only or name in options.only}
    scores = score_pages(extractors, pages)
    seconds = {} if options.no_times else time_pages(extractors, pages)
    width = max(map(len, scores))
    print(f"{len(pages)} pages{'':{width}}precision  recall      F1  ms a page")
    for name, matches in scores.items():
        print(_line(f"{name:{width + 8}}", average(matches.values()), seconds.get(name)))
    if options.by:
        for group, names in group_pages(pages, options.by).items():
            print(f"\n{group} ({len(names)})")
            for name, matches in scores.items():
                print(_line(f"  {name:{width + 6}}", average(matches[page] for page in names), None))
    if options.record:
        RECORD.write_text(json.dumps(_record(pages, scores, seconds), indent=1) + "\n", encoding="utf-8")


def group_pages(pages: Sequence[LabeledPage], by: str) -> dict[str, list[str]]:
    """Names of pages by their kind, language or name."""
    groups: dict[str, list[str]] = {}
    for page in sorted(pages, key=_GROUPS[by]):
        groups.setdefault(_GROUPS[by](page), []).append(page.name)
    return groups


def _line(name: str, match: Match, seconds: float | None) -> str:
    time = "" if seconds is None else f"{seconds * 1000:11.1f}"
    return f"{name} {match.precision:8.3f} {match.recall:7.3f} {match.f1:7.3f}{time}"


def _record(
    pages: Sequence[LabeledPage], scores: Mapping[str, Mapping[str, Match]], seconds: Mapping[str, float]
) -> dict[str, object]:
    """Figures rounded to what a table shows."""

    def figures(matches: Iterator[Match]) -> dict[str, float]:
        return {key: round(value, 3) for key, value in asdict(average(matches)).items()}

    kinds = {by: group_pages(pages, by) for by in ("kind", "language")}
    return {
        "pages": len(pages),
        "extractors": {
            name: {
                "all": figures(iter(matches.values())),
                "milliseconds": round(seconds[name] * 1000, 1) if name in seconds else None,
                **{
                    by: {group: figures(matches[page] for page in names) for group, names in groups.items()}
                    for by, groups in kinds.items()
                },
            }
            for name, matches in scores.items()
        },
        "groups": {by: {group: len(names) for group, names in groups.items()} for by, groups in kinds.items()},
    }


if __name__ == "__main__":
    main()
