"""The score of the guard on the corpus."""

from __future__ import annotations

from bench.guard import score
from docs.pages.pieces import table


def page() -> str:
    """Generate the page."""
    found = list(score.rows())
    rows = [(row.what.strip(), f"{row.count:,}", f"{row.of:,}", f"{row.share:.1%}", row.limit) for row in found]
    main = [cells for cells, row in zip(rows, found, strict=True) if not row.what.startswith("  ")]
    classes = [cells for cells, row in zip(rows, found, strict=True) if row.what.startswith("  ")]
    return "\n\n".join(
        [
            "# Score of the guard",
            "This page compares the verdicts of [`hermes-guard`](../how-to/guard-commands.md) on the commands and "
            "paths in `bench/guard/corpus` with their labels. Lines that careful people would label differently are "
            "not scored. [The guard](../explanation/guard.md#accuracy) explains what these figures mean. `nox -s "
            "bench` prints them with times.",
            table(["what", "lines", "of", "share", "bound"], main),
            "Recall for each class of attack, and the two kinds of errors for paths:",
            table(["class", "lines", "of", "share", "bound"], classes),
        ]
    )
