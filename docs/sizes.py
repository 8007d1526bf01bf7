"""Prints how many lines each package has, and exits with 1 when one is over its budget.

Only the standard library is needed, so it runs before any package is installed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]


class Package(NamedTuple):
    """A distribution of this repository.

    Attributes:
        name: Its name.
        purpose: The description in its `pyproject.toml`.
        lines: The lines of its source, including comments and blank lines.
        budget: The maximum number of lines.
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
    """Measure every distribution, in alphabetical order."""
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


def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def main() -> int:
    """Print each package against its budget."""
    measured = list(packages())
    for each in measured:
        over = "  over budget" if each.lines > each.budget else ""
        print(f"{each.name:24}{each.lines:>8,} of {each.budget:>7,} lines{over}")
    print(f"{'total':24}{sum(each.lines for each in measured):>8,}")
    return int(any(each.lines > each.budget for each in measured))


if __name__ == "__main__":
    sys.exit(main())
