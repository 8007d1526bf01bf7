"""How long a judgement takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from statistics import median, quantiles
from time import perf_counter
from typing import Literal, cast

from bench.guard.corpus import HOME, Line, scored
from bench.harness import Row, collector_off
from hermes_guard import judge, judge_path
from hermes_guard.budget import Budget
from hermes_guard.shell.parser import parse

_ROUNDS = 5
_MEGABYTE = 1_000_000


def rows() -> Iterator[Row]:
    """Every command of the corpus, against the grammar alone; then a megabyte, against copying it."""
    ordinary = [line.command for line in scored("ordinary")]
    attacks = [line.command for line in scored("attacks")]
    for name, commands in (("ordinary", ordinary), ("attacks", attacks)):
        ours = _times([lambda text=text: judge(text, home=HOME) for text in commands])  # type: ignore[misc]
        bare = _times([lambda text=text: parse(text, Budget()) for text in commands])  # type: ignore[misc]
        yield Row(what=f"judge, {name}: median", against="tree-sitter alone", ours=median(ours), baseline=median(bare))
        yield Row(
            what=f"judge, {name}: 95th of 100", against="tree-sitter alone", ours=_late(ours), baseline=_late(bare)
        )
    ours = _times([partial(_judge_path, line) for line in scored("paths")])
    bare = _times([partial(_copy, line.path) for line in scored("paths")])
    yield Row(what="judge_path: median", against="encode and decode", ours=median(ours), baseline=median(bare))
    for name, piece in (("spaces", " "), ("quotes", "'"), ("cp", "cp "), ("nested $(", "$(")):
        text = piece * (_MEGABYTE // len(piece))
        (ours_once,), (bare_once,) = _times([partial(judge, text)]), _times([partial(_copy, text)])
        yield Row(what=f"judge 1 MB of {name}", against="encode and decode", ours=ours_once, baseline=bare_once)


def _judge_path(line: Line) -> object:
    return judge_path(cast("Literal['read', 'write']", line.op), line.path, workspace=line.workspace, home=HOME)


def _copy(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass")


def _times(runs: list[Callable[[], object]]) -> list[float]:
    """The best time of each run, in seconds."""
    best = [float("inf")] * len(runs)
    with collector_off():
        for _ in range(_ROUNDS):
            for number, run in enumerate(runs):
                started = perf_counter()
                run()
                best[number] = min(best[number], perf_counter() - started)
    return best


def _late(times: list[float]) -> float:
    return quantiles(times, n=100)[94]
