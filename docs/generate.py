"""Writes the pages under docs/reference, the diagrams and the core's list of families from the code and the manifests.

`python docs/generate.py` writes them; `--check` writes nothing, prints what is stale, and exits with 1.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).parent / "reference"
NOTICE = "<!-- Made by docs/generate.py. Change the code that it reads, not this page. -->"


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or with `--check` say which are stale."""
    root = Path(__file__).parents[1]
    sys.path[:0] = [str(root), *map(str, sorted(root.glob("packages/*/src")))]  # whatever copies are installed
    from docs.pages import PAGES, diagrams, families

    check = "--check" in arguments
    stale = 0
    made = {FOLDER / f"{name}.md": f"{NOTICE}\n\n{make()}\n" for name, make in PAGES.items()}
    drawn = {file: draw() for file, draw in diagrams.DIAGRAMS.items()}
    for file, new in {**made, **drawn, families.FILE: families.text()}.items():
        old = file.read_text(encoding="utf-8") if file.exists() else ""
        if new == old:
            continue
        stale += 1
        if check:
            lines = difflib.unified_diff(old.splitlines(), new.splitlines(), f"{file} (stored)", f"{file} (from code)")
            print("\n".join(lines))
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(new, encoding="utf-8")
            print(f"wrote {file}")
    if check and stale:
        print(f"{stale} files are stale: run python docs/generate.py", file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
