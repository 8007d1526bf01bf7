"""The distributions, their dependencies and their line budgets."""

from __future__ import annotations

from docs.pages.pieces import code, table
from docs.sizes import packages


def page() -> str:
    """Generate the page."""
    rows = (
        (f"`{each.name}`", each.purpose, _about(each.lines), f"{each.budget:,}", code(each.ours), code(each.others))
        for each in packages()
    )
    return (
        "# Packages\n\n"
        "Each package is a separate distribution with a line budget, which includes comments and blank lines.\n"
        "`nox -s size` prints the exact sizes and fails if a package exceeds its budget. The budgets are in the\n"
        "`pyproject.toml` of the repository; a commit that raises one gives the reason.\n\n"
        + table(
            ["package", "contents", "lines (rounded down)", "budget", "our packages it requires", "other dependencies"],
            rows,
        )
    )


def _about(lines: int) -> str:
    step = 10 ** (len(str(lines)) - 2)
    return f"{lines // step * step:,}"  # exact figures would change the page with every commit
