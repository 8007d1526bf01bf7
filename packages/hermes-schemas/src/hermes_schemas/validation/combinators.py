"""Rules for keywords that combine schemas: unions, intersections, negation and conditions."""

from __future__ import annotations

from typing import Any

from hermes_schemas.validation.messages import Resolve, describe, for_example, got, preview
from hermes_schemas.validation.nodes import MakeNode, Node, Report, Rule
from hermes_schemas.validation.type_tables import (
    ACCEPT_ALL,
    CLASSES,
    Fit,
    Run,
    Table,
    accept,
    entry_for,
    every,
    exactly_one,
    fits,
    merge,
    negated,
    overlap,
    reject,
    some,
)


def _likely(value: object, nodes: tuple[Node, ...], run: Run, resolve: Resolve) -> Node | None:
    """Return the branch that is probably meant: the only one for the value's class, or with its tags."""
    fitting = [node for node in nodes if entry_for(node.table, value) is not reject]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    if isinstance(value, dict):
        tagged = [node for node in fitting if node.tags and _carries(value, node, run)]
        if len(tagged) == 1:
            return tagged[0]
    # Branches with the same description differ only inside, so any of them will do.
    return fitting[0] if len({describe(node.schema, resolve) for node in fitting}) == 1 else None


def _carries(value: dict[object, object], node: Node, run: Run) -> bool:
    return all(name in value and fits(table, value[name], run) for name, table in node.tags)


def any_rule(keyword: str, nodes: tuple[Node, ...], schema: Any, resolve: Resolve) -> Rule:
    """Make the rule for `anyOf` or `oneOf`."""
    tables = [node.table for node in nodes]
    table = merge(some if keyword == "anyOf" else exactly_one, tables)

    def explain(value: object, path: str, report: Report) -> None:
        held = sum(fits(node.table, value, report.run) for node in nodes)
        if held:
            message = f"This fits {held} of the allowed shapes but must fit exactly one: {preview(value)}."
            report.add(path, keyword, message, "Make it fit one shape only.")
            return
        likely = _likely(value, nodes, report.run, resolve)
        before = len(report.found)
        if likely is not None:
            likely.explain(value, path, report)
        if len(report.found) == before:
            wanted = describe({keyword: schema[keyword]}, resolve)
            message = f"Expected {wanted} but {got(value)}."
            report.add(path, keyword, message, for_example({keyword: schema[keyword]}, resolve, wanted))

    heavy = any(node.heavy for node in nodes) or overlap(tables)
    return Rule(table=table, explain=explain, walks=True, heavy=heavy)


def all_rule(nodes: tuple[Node, ...]) -> Rule:
    """Make the rule for `allOf`, or for `$ref`, which is the same with one part."""
    tables = [node.table for node in nodes]

    def explain(value: object, path: str, report: Report) -> None:
        for node in nodes:
            if not fits(node.table, value, report.run):
                node.explain(value, path, report)

    heavy = any(node.heavy for node in nodes) or overlap(tables)
    table = tables[0] if len(tables) == 1 else merge(every, tables)
    return Rule(table=table, explain=explain, walks=True, heavy=heavy)


def not_rule(node: Node, resolve: Resolve) -> Rule:
    table = {cls: negated(node.table[cls]) for cls in CLASSES}

    def explain(value: object, path: str, report: Report) -> None:
        message = f"Expected anything but {describe(node.schema, resolve)}, and {got(value)}."
        report.add(path, "not", message, "Send a different value.")

    return Rule(table=table, explain=explain, walks=True, heavy=node.heavy)


def _conditional(condition: Fit, then: Fit, otherwise: Fit) -> Fit:
    if condition is accept:
        return then
    if condition is reject:
        return otherwise
    if then is otherwise:
        return then
    return lambda value, run: then(value, run) if condition(value, run) else otherwise(value, run)


def condition_rule(condition: Node, then: Node, otherwise: Node) -> Rule:
    """Make the rule for `if`, `then` and `else`."""
    table: Table = {cls: _conditional(condition.table[cls], then.table[cls], otherwise.table[cls]) for cls in CLASSES}

    def explain(value: object, path: str, report: Report) -> None:
        chosen = then if fits(condition.table, value, report.run) else otherwise
        chosen.explain(value, path, report)

    return Rule(table=table, explain=explain, walks=True, heavy=True)


def branch_rules(schema: Any, make: MakeNode, resolve: Resolve) -> list[Rule | None]:
    """Return the rules for the keywords in a schema that combine others."""
    rules: list[Rule | None] = []
    for keyword in ("allOf", "anyOf", "oneOf"):
        parts = schema.get(keyword)
        if isinstance(parts, (list, tuple)) and parts:
            nodes = tuple(make(part) for part in parts)
            rules.append(all_rule(nodes) if keyword == "allOf" else any_rule(keyword, nodes, schema, resolve))
    if "not" in schema:
        rules.append(not_rule(make(schema["not"]), resolve))
    if "if" in schema:
        then, otherwise = make(schema.get("then", True)), make(schema.get("else", True))
        if then.table is not ACCEPT_ALL or otherwise.table is not ACCEPT_ALL:
            rules.append(condition_rule(make(schema["if"]), then, otherwise))
    return rules
