"""Compiled schemas: nodes with their rules, and the report that explanations are added to."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hermes_schemas.validation.messages import preview
from hermes_schemas.validation.type_tables import ACCEPT_ALL, Run, Table, every, fits, merge

_STEP = r"\.?([^.\[\]]+)|\[(\d+)\]|\[\"((?:[^\"\\]|\\.)*)\"\]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One reason why a value does not fit, for the model that sent it."""

    path: str
    rule: str
    message: str
    hint: str | None = None

    @property
    def steps(self) -> tuple[str | int, ...]:
        """The path as keys and positions."""
        found = re.findall(_STEP, self.path)  # not compiled at import: most values fit
        return tuple(int(index) if index else re.sub(r"\\(.)", r"\1", quoted) or name for name, index, quoted in found)

    def __str__(self) -> str:
        place = f"{self.path}: " if self.path else ""
        return f"{place}{self.message}" + (f" {self.hint}" if self.hint else "")


@dataclass(slots=True, kw_only=True)
class Report:
    """The problems found so far, and the parts that were explained, so that none is explained twice."""

    limit: int
    run: Run
    found: dict[tuple[str, str, str], Problem] = field(default_factory=dict)
    explained: set[tuple[int, int, str]] = field(default_factory=set)
    depth: int = 0

    @property
    def full(self) -> bool:
        return len(self.found) >= self.limit

    def add(self, path: str, rule: str, message: str, hint: str | None = None) -> None:
        if not self.full:
            problem = Problem(path=path, rule=rule, message=message, hint=hint)
            self.found.setdefault((path, rule, message), problem)

    def add_depth(self, value: object, path: str) -> None:
        message = f"This is nested deeper than can be checked: {preview(value)}."
        self.add(path, "depth", message, "Send a flatter value.")


Explain = Callable[[Any, str, Report], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One keyword, or several that are checked together."""

    table: Table  # the check for each class of values
    explain: Explain  # adds the problems of a value that does not fit
    walks: bool = False  # True when it applies subschemas to the value or its parts
    heavy: bool = False  # True when it may visit one value many times, so that shared parts must cache their results
    stops: bool = False  # True when later rules are not explained after it


MakeNode = Callable[[object], "Node"]


class Node:
    """One compiled subschema. It is filled after it is made, because schemas may be cyclic."""

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
        """Add the problem of each rule that the value does not fit."""
        if self.nullable and value is None:
            return
        for rule in self.rules:
            if report.full:
                return
            if not fits(rule.table, value, report.run):
                rule.explain(value, path, report)
                if rule.stops:
                    return
