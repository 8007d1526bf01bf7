"""Rules for arrays and their items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hermes_schemas.validation.equality import first_repeat
from hermes_schemas.validation.messages import Resolve, describe, for_example, join, preview
from hermes_schemas.validation.nodes import MakeNode, Node, Report, Rule
from hermes_schemas.validation.scalars import number_of, size_rule
from hermes_schemas.validation.type_tables import (
    ACCEPT_ALL,
    REJECT_ALL,
    Fit,
    Run,
    Table,
    accept,
    base_class,
    fits,
    when,
)

_KEYWORDS = frozenset({"items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"})


def _on_arrays(fit: Fit) -> Table:
    return when({list: fit, tuple: fit})


def item_schemas(schema: Any) -> tuple[tuple[object, ...], object]:
    """Return the schemas of the first items, and the schema of all others, in the keywords of any draft."""
    prefix, rest = schema.get("prefixItems"), schema.get("items", True)
    if isinstance(prefix, (list, tuple)):
        return tuple(prefix), rest
    if isinstance(rest, (list, tuple)):
        return tuple(rest), schema.get("additionalItems", True)
    return (), rest


def items_rule(schema: Any, make: MakeNode) -> Rule | None:
    first, others = item_schemas(schema)
    prefix, rest = tuple(make(sub) for sub in first), make(others)
    if rest.table is ACCEPT_ALL and all(node.table is ACCEPT_ALL for node in prefix):
        return None

    def explain(value: Sequence[object], path: str, report: Report) -> None:
        for index, item in enumerate(value):
            if report.full:
                return
            node = prefix[index] if index < len(prefix) else rest
            if fits(node.table, item, report.run):
                continue
            if node.table is REJECT_ALL:
                message = f"Expected at most {index} items but got one more: {preview(item)}."
                report.add(join(path, index), "items", message, "Remove it.")
                return
            node.explain(item, join(path, index), report)

    fit = _fit_each(rest.table) if not prefix else _fit_by_position(tuple(node.table for node in prefix), rest.table)
    return Rule(table=_on_arrays(fit), explain=explain, walks=True, heavy=any(node.heavy for node in (*prefix, rest)))


def _fit_each(table: Table) -> Fit:
    get = table.get

    def fit(value: Sequence[object], run: Run) -> bool:
        for item in value:
            entry = get(type(item)) or table[base_class(item)]
            if entry is not accept and not entry(item, run):
                return False
        return True

    return fit


def _fit_by_position(prefix: tuple[Table, ...], rest: Table) -> Fit:
    def fit(value: Sequence[object], run: Run) -> bool:
        return all(fits(prefix[index] if index < len(prefix) else rest, item, run) for index, item in enumerate(value))

    return fit


def contains_rule(schema: Any, node: Node, resolve: Resolve) -> Rule:
    least, most = number_of(schema, "minContains"), number_of(schema, "maxContains")
    least = 1 if least is None else least

    def count(value: Sequence[object], run: Run) -> int:
        return sum(fits(node.table, item, run) for item in value)

    def fit(value: Sequence[object], run: Run) -> bool:
        found = count(value, run)
        return found >= least and (most is None or found <= most)

    def explain(value: Sequence[object], path: str, report: Report) -> None:
        found = count(value, report.run)
        wanted = describe(node.schema, resolve)
        if found < least:
            rule = "contains" if "minContains" not in schema else "minContains"
            message = f"Expected at least {preview(least)} items that are {wanted} but found {found}."
            report.add(path, rule, message, for_example(node.schema, resolve))
        else:
            message = f"Expected at most {preview(most)} items that are {wanted} but found {found}."
            report.add(path, "maxContains", message, "Remove some of them.")

    return Rule(table=_on_arrays(fit), explain=explain, walks=True, heavy=node.heavy)


def unique_rule() -> Rule:
    def fit(value: Sequence[object], _run: Run) -> bool:
        return first_repeat(value) is None

    def explain(value: Sequence[object], path: str, report: Report) -> None:
        index = first_repeat(value)
        if index is not None:
            message = f"Expected items that all differ but {preview(value[index])} was sent more than once."
            report.add(join(path, index), "uniqueItems", message, "Remove the repeated item.")

    return Rule(table=_on_arrays(fit), explain=explain)


def array_rules(schema: Any, make: MakeNode, resolve: Resolve) -> list[Rule | None]:
    """Return the rules for the keywords of arrays in a schema."""
    if _KEYWORDS.isdisjoint(schema):
        return []
    rules: list[Rule | None] = [items_rule(schema, make)]
    for keyword in ("minItems", "maxItems"):
        bound = number_of(schema, keyword)
        if bound is not None:
            rules.append(size_rule(keyword, bound, (list, tuple), "items"))
    if schema.get("uniqueItems") is True:
        rules.append(unique_rule())
    if "contains" in schema:
        rules.append(contains_rule(schema, make(schema["contains"]), resolve))
    return rules
