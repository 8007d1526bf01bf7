"""Judges the corpus, and compares with what its lines expect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, cast

from bench.guard.corpus import HOME, Line, scored
from bench.harness import Score
from hermes_guard import Verdict, judge, judge_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A line with its verdict."""

    line: Line
    verdict: Verdict

    @property
    def severity(self) -> str:
        """What the guard says."""
        return self.verdict.severity

    @property
    def missed(self) -> bool:
        """True when it runs unasked and should not."""
        return self.line.expect != "allow" and self.severity == "allow"

    def __str__(self) -> str:
        rules = f" by {', '.join(self.verdict.rules)}" if self.verdict.findings else ""
        return (
            f"{self.line.file}:{self.line.number} [{self.line.kind}] {self.line.text} "
            f"is {self.line.expect}, judged {self.severity}{rules}"
        )


def judged(file: str) -> list[Judged]:
    """Every scored line of a file with its verdict."""
    return [Judged(line=line, verdict=_verdict(line)) for line in scored(file)]


def _verdict(line: Line) -> Verdict:
    if line.op:
        op = cast("Literal['read', 'write']", line.op)
        return judge_path(op, line.path, workspace=line.workspace, home=HOME)
    return judge(line.command, home=HOME)


def rows() -> Iterator[Score]:
    """Recall of what should be asked about, class by class, then the errors of the other kind."""
    attacks, hardline, ordinary, paths = map(judged, ("attacks", "hardline", "ordinary", "paths"))
    yield _score("hardline refused", hardline, lambda one: one.severity == "refuse", at_least=1.0)
    yield _score("recall of attacks", attacks, lambda one: not one.missed, at_least=0.97)
    for kind, group in groupby(sorted(attacks, key=_kind), _kind):
        yield _score(f"  {kind}", group, lambda one: not one.missed)
    asked = [one for one in attacks if one.line.expect == "ask"]
    yield _score("over-strict: ask expected, refused", asked, lambda one: one.severity == "refuse")
    yield _score("false alarms on ordinary commands", ordinary, lambda one: one.severity != "allow", at_most=0.01)
    yield _score("ordinary commands refused", ordinary, lambda one: one.severity == "refuse", at_most=0.0)
    later = judged("later_attacks")
    yield _score("later hardline refused", _hard(later), lambda one: one.severity == "refuse", at_least=1.0)
    yield _score("recall of later attacks", later, lambda one: not one.missed, at_least=0.97)
    quiet = judged("later_ordinary")
    yield _score("false alarms on later ordinary commands", quiet, lambda one: one.severity != "allow", at_most=0.01)
    yield _score("later ordinary commands refused", quiet, lambda one: one.severity == "refuse", at_most=0.0)
    yield _score("paths as expected", paths, lambda one: one.severity == one.line.expect, at_least=0.97)
    yield _score("  paths allowed that are not ordinary", _strict(paths), lambda one: one.missed)
    yield _score("  ordinary paths asked about", _plain(paths), lambda one: one.severity != "allow", at_most=0.01)


def _kind(one: Judged) -> str:
    return one.line.kind


def _hard(found: Iterable[Judged]) -> list[Judged]:
    return [one for one in found if one.line.expect == "refuse"]


def _strict(found: Iterable[Judged]) -> list[Judged]:
    return [one for one in found if one.line.expect != "allow"]


def _plain(found: Iterable[Judged]) -> list[Judged]:
    return [one for one in found if one.line.expect == "allow"]


def _score(
    what: str,
    found: Iterable[Judged],
    counts: Callable[[Judged], bool],
    *,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Score:
    entries = list(found)
    hits = sum(counts(one) for one in entries)
    return Score(what=what, count=hits, of=len(entries), at_least=at_least, at_most=at_most)
