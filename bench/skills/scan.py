"""How long scanning a skill takes beside parsing its files, and whether the time is linear in its size."""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from bench.harness import Row, fastest, once
from hermes_tools_skills.scanner import scan_skill

_FRONT = "---\nname: report\ndescription: Writes a report about the sales of each region.\n---\n\n# Report\n\n"
_PROSE = (
    "Read the file, group the rows by region, and write one paragraph about each. Use `npm run chart` for charts.\n\n"
)
_FENCE = "```bash\npip install pandas\npython scripts/report.py sales.csv --out report.md\n```\n\n"
_PYTHON = '''
def total_{number}(rows, region):
    """Return the total of a region."""
    found = [float(row["amount"]) for row in rows if row["region"] == region]
    with open(f"{region}.txt", "w") as file:
        file.write(f"{region}: {sum(found):.2f}\\n")
    return sum(found)
'''
_SHELL = (
    '#!/bin/bash\nset -euo pipefail\nmkdir -p build\nfor f in data/*.csv; do\n  python scripts/report.py "$f"\ndone\n'
)


def rows() -> Iterator[Row]:
    """Against `ast.parse` of the Python files and splitting the rest into lines, in processor time."""
    with tempfile.TemporaryDirectory() as folder:
        typical, larger = (_write(Path(folder) / str(times), times) for times in (1, 8))
        scan_skill(typical)
        best = fastest(
            {
                "ours": lambda: once(lambda: scan_skill(typical), process_time),
                "parse": lambda: once(lambda: _parse(typical), process_time),
                "larger": lambda: once(lambda: scan_skill(larger), process_time),
            },
            repeats=5,
        )
        yield Row(
            what="scan of a typical skill",
            against="ast.parse and splitlines",
            ours=best["ours"],
            baseline=best["parse"],
        )
        yield Row(
            what="scan of a skill of eight times the size",
            against="eight scans of a typical one",
            ours=best["larger"],
            baseline=best["ours"] * 8,
            limit=2,
        )


def _write(root: Path, times: int) -> Path:
    """Write a skill with 10 KB of prose, 10 KB of Python and a shell script, or a multiple of that."""
    (root / "scripts").mkdir(parents=True)
    (root / "SKILL.md").write_text(_FRONT + (_PROSE * 15 + _FENCE) * 5 * times)
    for number in range(times):
        code = "".join(_PYTHON.replace("{number}", str(at)) for at in range(30))
        (root / "scripts" / f"report_{number}.py").write_text(code)
        (root / "scripts" / f"run_{number}.sh").write_text(_SHELL)
    return root


def _parse(root: Path) -> None:
    for path in root.rglob("*.*"):
        text = path.read_text()
        if path.suffix == ".py":
            ast.parse(text)
        else:
            text.splitlines()
