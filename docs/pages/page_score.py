"""The recorded score of the page reader on labeled pages."""

from __future__ import annotations

import json
from typing import Any

from bench.web.score import RECORD
from docs.pages.pieces import table

_FIGURES = ("precision", "recall", "f1")
_COMPARED = ("ours", "trafilatura", "readability-lxml", "resiliparse")


def page() -> str:
    """Generate the page."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    extractors: dict[str, dict[str, Any]] = record["extractors"]
    baseline = extractors["trafilatura"]["milliseconds"]
    totals = [
        (name, *(_percent(figures["all"][figure]) for figure in _FIGURES), f"{figures['milliseconds'] / baseline:.1f}")
        for name, figures in extractors.items()
    ]
    sections = [
        "# Score of the page reader",
        "This page compares the text that `web_extract` reads with that of other extractors, on the "
        f"{record['pages']} pages in `bench/web/labeled`. Each has a label: the text that a reader wants. "
        "[The web](../explanation/web.md#how-extraction-compares) explains what these figures mean. "
        "`python -m bench.web.score` measures them, and `--record` stores them for this page.",
        "Figures are averages over pages. Time is relative to trafilatura.",
        table(["extractor", "precision", "recall", "F1", "time"], totals),
    ]
    for by, intro in {"kind": "F1 by kind of page:", "language": "F1 by language:"}.items():
        rows = [
            (group, str(count), *(_percent(extractors[name][by][group]["f1"]) for name in _COMPARED))
            for group, count in record["groups"][by].items()
        ]
        sections += [intro, table([by, "pages", *_COMPARED], rows)]
    return "\n\n".join(sections)


def _percent(share: float) -> str:
    return f"{share:.1%}"
