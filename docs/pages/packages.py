"""The distributions, their dependencies and how many lines each may have."""

from __future__ import annotations

from docs.pages.pieces import code, table
from docs.sizes import packages


def page() -> str:
    """Return the text of the page."""
    rows = (
        (f"`{each.name}`", each.purpose, _about(each.lines), f"{each.budget:,}", code(each.ours), code(each.others))
        for each in packages()
    )
    return (
        "# Packages\n\n"
        "Each package is a distribution of its own. Its source has a budget of lines, comments and blank lines\n"
        "included. `nox -s size` prints the exact figures and fails when a package is over its budget. The\n"
        "budgets are in the `pyproject.toml` of the repository; a commit that raises one gives the reason.\n\n"
        + table(
            ["package", "what it holds", "lines, about", "budget", "our packages that it needs", "other dependencies"],
            rows,
        )
    )


def _about(lines: int) -> str:
    return f"{round(lines, 2 - len(str(lines))):,}"  # exact figures would change the page with every commit
