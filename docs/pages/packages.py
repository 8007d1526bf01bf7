"""The distributions, their dependencies and how many lines each may have."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from docs.pages.pieces import code, table

ROOT = Path(__file__).parents[2]


class Package(NamedTuple):
    """A distribution of this repository.

    Attributes:
        name: Its name.
        purpose: The description in its `pyproject.toml`.
        lines: How many lines its source has, comments and blank lines included.
        budget: How many it may have.
        ours: The distributions of this repository that it requires.
        others: The other distributions that it requires.
    """

    name: str
    purpose: str
    lines: int
    budget: int
    ours: list[str]
    others: list[str]


def packages() -> Iterator[Package]:
    """Measure every distribution, in the order of their names."""
    budgets: Mapping[str, int] = _read(ROOT / "pyproject.toml")["tool"]["hermes-tools"]["line-budgets"]
    folders = sorted(file.parent for file in (ROOT / "packages").glob("*/pyproject.toml"))
    names = {folder.name for folder in folders}
    for folder in folders:
        project = _read(folder / "pyproject.toml")["project"]
        required = [re.split(r"[^\w-]", line)[0] for line in project["dependencies"]]
        ours = [name for name in required if name in names]
        others = [name for name in required if name not in names]
        lines = sum(len(file.read_bytes().splitlines()) for file in (folder / "src").rglob("*.py"))
        yield Package(folder.name, project["description"], lines, budgets[folder.name], ours, others)


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


def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))
