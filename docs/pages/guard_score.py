"""What the guard makes of the corpus."""

from __future__ import annotations

from bench.guard import score
from docs.pages.pieces import table


def page() -> str:
    """The figures, class by class."""
    found = list(score.rows())
    rows = [(row.what.strip(), f"{row.count:,}", f"{row.of:,}", f"{row.share:.1%}", row.limit) for row in found]
    main = [cells for cells, row in zip(rows, found, strict=True) if not row.what.startswith("  ")]
    classes = [cells for cells, row in zip(rows, found, strict=True) if row.what.startswith("  ")]
    return "\n\n".join(
        [
            "# Score of the guard",
            "What [`hermes-guard`](../how-to/guard-commands.md) says about the labelled commands and paths in "
            "`bench/guard/corpus`, compared with what their labels expect. Lines that careful people would label "
            "differently are not scored. [The guard](../explanation/guard.md#accuracy) says what these "
            "figures mean and what they do not. `nox -s bench` prints them with times.",
            table(["what", "lines", "of", "share", "bound"], main),
            "Recall by class of attack, and the two ways to be wrong about a path:",
            table(["class", "lines", "of", "share", "bound"], classes),
        ]
    )
