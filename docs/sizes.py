"""Prints how many lines each package has, and exits with 1 when one is over its budget."""

from __future__ import annotations

import sys

from docs.pages.packages import packages


def main() -> int:
    """Print each package against its budget."""
    measured = list(packages())
    for each in measured:
        over = "  over its budget" if each.lines > each.budget else ""
        print(f"{each.name:24}{each.lines:>8,} of {each.budget:>7,} lines{over}")
    print(f"{'together':24}{sum(each.lines for each in measured):>8,}")
    return int(any(each.lines > each.budget for each in measured))


if __name__ == "__main__":
    sys.exit(main())
