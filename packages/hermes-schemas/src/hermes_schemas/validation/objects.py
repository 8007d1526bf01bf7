"""Rules for objects: their properties, the names of properties, and dependencies between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hermes_schemas.validation.messages import Resolve, example, find_nearest, join, join_values, preview
from hermes_schemas.validation.nodes import MakeNode, Node, Report, Rule
from hermes_schemas.validation.patterns import compile_pattern
from hermes_schemas.validation.references import MISSING, is_schema_object
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

Patterns = tuple[tuple[Callable[[str], bool], Node], ...]


_KEYWORDS = frozenset(
    """
    properties patternProperties additionalProperties required minProperties maxProperties propertyNames
    dependentRequired dependentSchemas dependencies
    """.split()  # noqa: SIM905 - shorter than a list
)


def names_in(value: object) -> tuple[str, ...]:
    """Return the property names in a list such as `required`; other items are ignored."""
    return tuple(name for name in value if isinstance(name, str)) if isinstance(value, (list, tuple)) else ()


def subschemas(schema: Any, keyword: str) -> dict[str, object]:
    """Return the subschemas of a keyword by their names."""
    found = schema.get(keyword)
    return {name: sub for name, sub in found.items() if isinstance(name, str)} if is_schema_object(found) else {}


def members_rule(schema: Any, make: MakeNode, resolve: Resolve) -> Rule | None:
    """Make the rule for `properties`, `patternProperties`, `additionalProperties` and `required` together."""
    properties = {name: make(sub) for name, sub in subschemas(schema, "properties").items()}
    patterns: Patterns = tuple(
        _pattern(pattern, sub, make) for pattern, sub in subschemas(schema, "patternProperties").items()
    )
    extra = make(schema.get("additionalProperties", True))
    required = names_in(schema.get("required"))
    if not properties and not patterns and not required and extra.table is ACCEPT_ALL:
        return None
    tables = {name: node.table for name, node in properties.items()}
    fit: Fit
    if patterns:
        fit = _fit_with_patterns(tables, patterns, extra.table, required)
    else:
        fit = _fit_plain(tables, extra.table, required)
    nodes = [*properties.values(), *(node for _, node in patterns), extra]

    def explain(value: dict[object, object], path: str, report: Report) -> None:
        described = subschemas(schema, "properties")
        for name in required:
            if report.full:
                return
            if name not in value:
                message, hint = _missing(name, value, described.get(name), resolve)
                report.add(join(path, name), "required", message, hint)
        for key, item in value.items():
            if report.full:
                return
            chosen = [node for matches, node in patterns if isinstance(key, str) and matches(key)]
            if key in properties:
                chosen.insert(0, properties[key])
            if not chosen and extra.table is REJECT_ALL:
                _explain_unknown(key, value, tuple(properties), path, report)
                continue
            for node in chosen or [extra]:
                if not fits(node.table, item, report.run):
                    node.explain(item, join(path, key), report)

    return Rule(
        table=when({dict: fit}),
        explain=explain,
        walks=True,
        heavy=any(node.heavy for node in nodes) or len(patterns) + bool(properties) > 1,
    )


def _pattern(pattern: str, schema: object, make: MakeNode) -> tuple[Callable[[str], bool], Node]:
    matches = compile_pattern(pattern)
    # An invalid pattern could match any name, so it allows every name and value.
    return (matches, make(schema)) if matches is not None else (lambda _name: True, make(True))


def _fit_plain(tables: dict[str, Table], extra: Table, required: tuple[str, ...]) -> Fit:
    get = tables.get
    open_ended, closed = extra is ACCEPT_ALL, extra is REJECT_ALL

    def fit(value: dict[Any, object], run: Run) -> bool:
        for name in required:
            if name not in value:
                return False
        for key, item in value.items():
            table = get(key)
            if table is None:
                if open_ended:
                    continue
                if closed:
                    return False
                table = extra
            entry = table.get(type(item)) or table[base_class(item)]
            if entry is not accept and not entry(item, run):
                return False
        return True

    return fit


def _fit_with_patterns(tables: dict[str, Table], patterns: Patterns, extra: Table, required: tuple[str, ...]) -> Fit:
    def fit(value: dict[Any, object], run: Run) -> bool:
        for name in required:
            if name not in value:
                return False
        for key, item in value.items():
            table = tables.get(key)
            known = table is not None
            if table is not None and not fits(table, item, run):
                return False
            if isinstance(key, str):
                for matches, node in patterns:
                    if matches(key):
                        known = True
                        if not fits(node.table, item, run):
                            return False
            if not known and not fits(extra, item, run):
                return False
        return True

    return fit


def _missing(name: str, value: dict[object, object], schema: object, resolve: Resolve) -> tuple[str, str]:
    made = example(schema, resolve)
    about = schema.get("description") if isinstance(schema, dict) else None
    note = f" ({preview(about, 120)})" if isinstance(about, str) and about else ""
    shape = f", for example {preview({name: made}, 80)}" if made is not MISSING else ""
    sent = f"got only {join_values(tuple(value))}" if value else "got an empty object"
    message = f"The required property {preview(name)} is missing; {sent}."
    return message, f"Add {preview(name)}{note}{shape}."


def _explain_unknown(
    key: object, value: dict[object, object], declared: tuple[str, ...], path: str, report: Report
) -> None:
    near = find_nearest(key, (name for name in declared if name not in value))
    if near is not None:
        hint = f"Did you mean {preview(near)}? Otherwise remove it."
    elif declared:
        hint = f"Remove it. The known properties are {join_values(declared)}."
    else:
        hint = "Remove it. No properties are expected here."
    message = f"There is no property {preview(key)} here; it was sent as {preview(value[key])}."
    report.add(join(path, key), "additionalProperties", message, hint)


def names_rule(node: Node) -> Rule:
    """Make the rule for `propertyNames`, which checks every key as a value."""

    def fit(value: dict[object, object], run: Run) -> bool:
        return all(fits(node.table, key, run) for key in value)

    def explain(value: dict[object, object], path: str, report: Report) -> None:
        for key in value:
            if not fits(node.table, key, report.run):
                message = f"The property name {preview(key)} is not allowed."
                report.add(join(path, key), "propertyNames", message, "Rename or remove it.")

    return Rule(table=when({dict: fit}), explain=explain, walks=True, heavy=node.heavy)


def needs_rule(keyword: str, needs: dict[str, tuple[str, ...]]) -> Rule:
    """Make the rule for `dependentRequired`: some properties require others."""

    def fit(value: dict[object, object], _run: Run) -> bool:
        return all(name not in value or all(other in value for other in others) for name, others in needs.items())

    def explain(value: dict[object, object], path: str, report: Report) -> None:
        for name, others in needs.items():
            absent = [other for other in others if name in value and other not in value]
            if absent:
                message = f"The property {preview(name)} was sent without {join_values(absent)}."
                report.add(path, keyword, message, f"Add {join_values(absent)}, or leave {preview(name)} out.")

    return Rule(table=when({dict: fit}), explain=explain)


def companions_rule(nodes: dict[str, Node]) -> Rule:
    """Make the rule for `dependentSchemas`: if a property is present, the object must fit another schema."""

    def fit(value: dict[object, object], run: Run) -> bool:
        return all(name not in value or fits(node.table, value, run) for name, node in nodes.items())

    def explain(value: dict[object, object], path: str, report: Report) -> None:
        for name, node in nodes.items():
            if name in value and not fits(node.table, value, report.run):
                node.explain(value, path, report)

    return Rule(table=when({dict: fit}), explain=explain, walks=True, heavy=True)


def tags_of(schema: Any, make: MakeNode) -> tuple[tuple[str, Table], ...]:
    """Return the properties with fixed values, which distinguish object schemas in a union."""
    tagged = []
    for name, sub in subschemas(schema, "properties").items():
        if isinstance(sub, dict) and ("const" in sub or "enum" in sub):
            tagged.append((name, make(sub).table))
    return tuple(tagged)


def object_rules(schema: Any, make: MakeNode, resolve: Resolve) -> list[Rule | None]:
    """Return the rules for the keywords of objects in a schema."""
    if _KEYWORDS.isdisjoint(schema):
        return []
    rules: list[Rule | None] = [members_rule(schema, make, resolve)]
    for keyword in ("minProperties", "maxProperties"):
        bound = number_of(schema, keyword)
        if bound is not None:
            rules.append(size_rule(keyword, bound, (dict,), "properties"))
    if "propertyNames" in schema:
        rules.append(names_rule(make(schema["propertyNames"])))
    for keyword in ("dependentRequired", "dependencies"):
        needs = {name: names_in(others) for name, others in subschemas(schema, keyword).items()}
        needs = {name: others for name, others in needs.items() if others}
        if needs:
            rules.append(needs_rule(keyword, needs))
    for keyword in ("dependentSchemas", "dependencies"):
        found = subschemas(schema, keyword).items()
        nodes = {name: make(sub) for name, sub in found if not isinstance(sub, (list, tuple))}
        if nodes:
            rules.append(companions_rule(nodes))
    return rules
