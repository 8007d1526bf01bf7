"""`python -m bench.files.noisy.score DIR`: apply noisy edits and count exact, refused and wrong results."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import hermes_tools_terminal.plugin
from bench.files.noisy.edits import read_edits
from bench.files.noisy.noises import NOISES, Case, cases
from hermes_core import Hermes

VERDICTS: Final = ("exact", "left", "refused", "misreported", "warned", "silent")
"""The outcome of an edit:

- exact: the file has the intended content
- left: the file is unchanged, as intended
- refused: the file is unchanged, and the edit fails with an error
- misreported: the file is unchanged, and wrongly reported as already edited
- warned, silent: the file is wrong, with or without a warning
"""


def main() -> int:
    """Print a table with one line for each kind of noise."""
    parser = argparse.ArgumentParser(prog="python -m bench.files.noisy.score", description=__doc__)
    parser.add_argument("directory", type=Path, help="release archives and clones of repositories")
    parser.add_argument("--cases", type=int, default=14_400, help="how many edits; 14,400 by default")
    parser.add_argument("--seed", type=int, default=1, help="decides which edit gets which noise; 1 by default")
    parser.add_argument("--mode", choices=["replace", "patch"], default="replace", help="quote texts, or V4A hunks")
    parser.add_argument("--log", type=Path, help="write every edit that is not right to this file, as JSON lines")
    parser.add_argument("--noise", action="append", choices=list(NOISES), help="only these kinds")
    options = parser.parse_args()
    edits = read_edits(options.directory, options.seed)
    todo = [case for case in cases(edits, options.cases, options.seed) if case.noise in (options.noise or NOISES)]
    print(f"{len(edits):,} edits of {len({edit.project for edit in edits})} projects; {len(todo):,} cases")
    counts: Counter[tuple[str, str]] = Counter()
    log: list[str] = []
    for case, after, answer in apply_all(todo, options.mode):
        verdict = judge(case, after, answer)
        counts[case.noise, verdict] += 1
        if verdict not in {"exact", "left"}:
            wrong = {"verdict": verdict, "noise": case.noise, "file": f"{case.edit.project}: {case.edit.path}"}
            texts = {"old": case.old, "new": case.new, "text": case.text, "expected": case.expected, "after": after}
            log.append(json.dumps(wrong | texts | {"answer": answer}) + "\n")
    if options.log:
        options.log.write_text("".join(log))
    _print(counts)
    return 0


def apply_all(todo: Iterable[Case], mode: str) -> Iterable[tuple[Case, str, dict[str, Any]]]:
    """Apply each case to a file through the whole pipeline; the file afterwards, and the answer."""
    with (
        tempfile.TemporaryDirectory() as home,
        tempfile.TemporaryDirectory() as directory,
        Hermes(plugins=[hermes_tools_terminal.plugin], home=home, config={"terminal": {"cwd": directory}}) as hermes,
    ):
        for number, case in enumerate(todo):
            file = Path(directory, f"{number}.txt")  # of no language: checking the syntax takes longer than the edit
            file.write_text(case.text, encoding="utf-8", newline="")
            yield case, *_apply(hermes, file, case, mode)


def _apply(hermes: Hermes, file: Path, case: Case, mode: str) -> tuple[str, dict[str, Any]]:
    args = {"mode": mode, "path": str(file), "old_string": case.old, "new_string": case.new}
    if mode == "patch":
        args = {"mode": mode, "patch": _hunk(file, case)}
    answer: dict[str, Any] = json.loads(hermes.call("patch", args))
    return file.read_bytes().decode(), answer


def _hunk(file: Path, case: Case) -> str:
    """The case as a V4A patch: equal lines at both ends are context."""
    nothing = not case.new and (case.edit.ended or not (case.edit.lead or case.edit.trail))  # else it is a blank line
    texts = [case.old] if nothing else [case.old, case.new]
    feed = "\n" if all(text.endswith("\n") for text in texts) else ""  # else the line feed of one begins a blank line
    old, new = case.old.removesuffix(feed).split("\n"), [] if nothing else case.new.removesuffix(feed).split("\n")
    first = last = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    stop = len(old) - last
    lines = [f" {line}" for line in old[:first]]
    lines += [f"-{line}" for line in old[first:stop]] + [f"+{line}" for line in new[first : len(new) - last]]
    lines += [f" {line}" for line in old[stop:]]
    return "\n".join(["*** Begin Patch", f"*** Update File: {file}", "@@", *lines, "*** End Patch", ""])


def judge(case: Case, after: str, answer: dict[str, Any]) -> str:
    """Classify the outcome of an edit."""
    if after == case.expected:
        return "left" if case.expected == case.text else "exact"
    if after == case.text:
        return "misreported" if "Already applied" in str(answer) else "refused"
    return "warned" if "_warning" in answer else "silent"


def _print(counts: Counter[tuple[str, str]]) -> None:
    print("{:<24}".format("noise") + "".join(f"{verdict:>12}" for verdict in VERDICTS))
    total: Counter[str] = Counter()
    for noise in NOISES:
        found = {verdict: counts[noise, verdict] for verdict in VERDICTS}
        total.update(found)
        if any(found.values()):
            print(f"{noise:<24}" + "".join(f"{found[verdict]:>12,}" for verdict in VERDICTS))
    print("{:<24}".format("all") + "".join(f"{total[verdict]:>12,}" for verdict in VERDICTS))


if __name__ == "__main__":
    sys.exit(main())
