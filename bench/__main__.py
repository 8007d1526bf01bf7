"""`python -m bench`: measure everything and print one table."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator

from bench import audit, cold, crowd, definitions, dispatch, errors, imports, repair
from bench.files import masks, patching, reading, scripts, searching
from bench.guard import score, speed
from bench.harness import Row, Score
from bench.search import speed as tool_search
from bench.skills import scan
from bench.terminal import environments, local
from bench.web import score as web

SUBJECTS: dict[str, Callable[[], Iterator[Row | Score]]] = {
    "definitions": definitions.rows,
    "dispatch": dispatch.rows,
    "audit": audit.rows,
    "repair": repair.rows,
    "errors": errors.rows,
    "imports": imports.rows,
    "cold": cold.rows,
    "crowd": crowd.rows,
    "guard-speed": speed.rows,
    "guard": score.rows,
    "terminal": local.rows,
    "terminal-environments": environments.rows,
    "tool-search": tool_search.rows,
    "masks": masks.rows,
    "read": reading.rows,
    "search": searching.rows,
    "patch": patching.rows,
    "scripts": scripts.rows,
    "skill-scan": scan.rows,
    "web": web.rows,
}
_LINE = "{:<38}  {:>11}  {:<34}  {:>11}  {:>7}  {:>7}  {}"


def main() -> int:
    """Returns the exit code: 1 when `--check` was given and a limit is exceeded."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("subjects", nargs="*", choices=[[], *SUBJECTS], help="what to measure; everything by default")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a limit is exceeded")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    found: list[Row | Score] = []
    if not options.json:
        print(_LINE.format("what", "ours (µs)", "baseline", "(µs)", "ratio", "limit", "").rstrip())
    for subject in options.subjects or SUBJECTS:
        for row in SUBJECTS[subject]():
            found.append(row)
            if not options.json:
                print(_line(row), flush=True)
    if options.json:
        print(json.dumps([row.as_json() for row in found], indent=2))
    return 1 if options.check and any(row.verdict == "over" for row in found) else 0


def _line(row: Row | Score) -> str:
    if isinstance(row, Score):
        count, share = f"{row.count:,}", f"{row.share:.1%}"
        return _LINE.format(row.what, count, f"of {row.of:,}", "", share, row.limit, row.verdict).rstrip()
    limit = "" if row.limit is None else f"{row.limit:g}"
    times = f"{row.ours * 1e6:,.1f}", f"{row.baseline * 1e6:,.1f}"
    return _LINE.format(row.what, times[0], row.against, times[1], f"{row.ratio:.2f}", limit, row.verdict).rstrip()


if __name__ == "__main__":
    sys.exit(main())
