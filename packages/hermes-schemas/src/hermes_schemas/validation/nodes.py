"""What compiling leaves behind: nodes, the rules they hold, and the report their explanations are written to."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_schemas.validation.messages import preview
from hermes_schemas.validation.type_tables import ACCEPT_ALL, Run, Table, every, fits, merge

_STEP = r"\.?([^.\[\]]+)|\[(\d+)\]|\[\"((?:[^\"\\]|\\.)*)\"\]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One way in which a value does not fit, told to the model that sent it."""

    path: str
    rule: str
    message: str
    hint: str | None = None

    @property
    def steps(self) -> tuple[str | int, ...]:
        """The path as keys and positions."""
        found = re.findall(_STEP, self.path)  # not compiled on import: most values fit
        return tuple(int(index) if index else re.sub(r"\\(.)", r"\1", quoted) or name for name, index, quoted in found)

    def __str__(self) -> str:
        place = f"{self.path}: " if self.path else ""
        return f"{place}{self.message}" + (f" {self.hint}" if self.hint else "")


@dataclass(slots=True, kw_only=True)
class Report:
    """Violations found so far, and what has been explained already so that no part is explained twice."""

    limit: int
    run: Run
    found: dict[tuple[str, str, str], Violation] = field(default_factory=dict)
    explained: set[tuple[int, int, str]] = field(default_factory=set)
    depth: int = 0

    @property
    def full(self) -> bool:
        return len(self.found) >= self.limit

    def add(self, path: str, rule: str, message: str, hint: str | None = None) -> None:
        if not self.full:
            violation = Violation(path=path, rule=rule, message=message, hint=hint)
            self.found.setdefault((path, rule, message), violation)

    def add_depth(self, value: object, path: str) -> None:
        self.add(
            path,
            "depth",
            f"This is nested deeper than can be checked: {preview(value)}.",
            "Send a flatter value.",
        )


Explain = Callable[[Any, str, Report], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One keyword, or a few that are checked together.

    `walks` says that it looks below or beside the value with subschemas; `heavy` that doing so may visit one value many
    times, so that shared parts must remember their answers; `stops` that the rules after it have nothing to add to it.
    """

    table: Table
    explain: Explain
    walks: bool = False
    heavy: bool = False
    stops: bool = False


class Node:
    """One compiled subschema. It is filled after it is made, because schemas may point back at themselves."""

    __slots__ = ("done", "heavy", "nullable", "rules", "schema", "table", "tags")

    def __init__(self, schema: object) -> None:
        self.schema = schema
        self.table: Table = ACCEPT_ALL
        self.rules: tuple[Rule, ...] = ()
        self.tags: tuple[tuple[str, Table], ...] = ()
        self.nullable = False
        self.heavy = False
        self.done = False

    def fill(self, rules: Sequence[Rule], *, nullable: bool = False) -> None:
        self.rules = tuple(rules)
        self.table = rules[0].table if len(rules) == 1 else merge(every, [rule.table for rule in rules])
        if nullable:
            self.table = {**self.table, type(None): ACCEPT_ALL[type(None)]}
        self.nullable = nullable
        self.heavy = any(rule.heavy for rule in rules) or sum(rule.walks for rule in rules) > 1
        self.done = True

    def explain(self, value: object, path: str, report: Report) -> None:
        """Say what each rule that does not hold has against the value."""
        if self.nullable and value is None:
            return
        for rule in self.rules:
            if report.full:
                return
            if not fits(rule.table, value, report.run):
                rule.explain(value, path, report)
                if rule.stops:
                    return
