"""Compiles a schema into nodes, one per subschema, also when subschemas refer to each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from hermes_schemas.validation.arrays import array_rules
from hermes_schemas.validation.combinators import all_rule, branch_rules
from hermes_schemas.validation.messages import preview
from hermes_schemas.validation.nodes import Node, Report, Rule
from hermes_schemas.validation.objects import object_rules, tags_of
from hermes_schemas.validation.references import MISSING, References, is_schema_object
from hermes_schemas.validation.scalars import scalar_rules
from hermes_schemas.validation.type_tables import (
    ACCEPT_ALL,
    CLASSES,
    CONTAINERS,
    MAX_DEPTH,
    REJECT_ALL,
    Fit,
    Run,
    fits,
    reject,
    when,
)

_INLINE_DEPTH = 40
"""Deeper subschemas are compiled later, so that no schema needs a deep stack."""
_MAX_LEVELS = 4 * MAX_DEPTH
"""Deeper subschemas are not compiled: no value that can be checked is so deep."""


class Compiler:
    """Compiles one schema document. Nodes are cached by the id of their subschema, so that cycles end."""

    def __init__(self, root: object) -> None:
        self.references = References(root)
        self._nodes: dict[int, Node] = {}
        self._shared: dict[int, Node] = {}
        self._later: deque[tuple[Node, int]] = deque()
        self._base = 0
        self._anything = _constant(True, ACCEPT_ALL)
        self._nothing = _constant(False, REJECT_ALL)
        self._too_deep = _too_deep()

    def compile(self, schema: object) -> Node:
        """Return the node of a subschema of this document."""
        self._base = 0
        node = self._node(schema, 0)
        while self._later:
            later, self._base = self._later.popleft()
            self._fill(later, 0)
        return node

    def _node(self, schema: object, level: int) -> Node:
        if schema is False:
            return self._nothing
        if not is_schema_object(schema) or not schema:
            return self._anything
        known = self._nodes.get(id(schema))
        if known is not None:
            return self._share(known) if known.heavy or not known.done else known
        if self._base + level > _MAX_LEVELS:
            return self._too_deep
        node = self._nodes[id(schema)] = Node(schema)
        if level > _INLINE_DEPTH:
            self._later.append((node, self._base + level))
            return self._share(node)
        self._fill(node, level)
        return node

    def _fill(self, node: Node, level: int) -> None:
        schema: Any = node.schema
        resolve = self.references.resolve

        def make(sub: object) -> Node:
            return self._node(sub, level + 1)

        rules = [*scalar_rules(schema, resolve)]
        rules += object_rules(schema, make, resolve)
        rules += array_rules(schema, make, resolve)
        if "$ref" in schema:
            target = resolve(schema["$ref"])
            if target is not MISSING:
                rules.append(all_rule((make(target),)))
        rules += branch_rules(schema, make, resolve)
        node.fill([rule for rule in rules if rule is not None], nullable=schema.get("nullable") is True)
        node.tags = tags_of(schema, make)

    def _share(self, node: Node) -> Node:
        """Return the node with a cache, for the second and all later places that use it."""
        found = self._shared.get(id(node))
        if found is None:
            found = self._shared[id(node)] = Node(node.schema)
            table = dict.fromkeys(CLASSES, _check_once(node))
            found.fill([Rule(table=table, explain=_explain_once(node), walks=True, heavy=True)])
            found.tags = node.tags
        return found


def _constant(schema: bool, table: Any) -> Node:
    node = Node(schema)

    def explain(value: object, path: str, report: Report) -> None:
        report.add(path, "false", f"Nothing may be sent here but got {preview(value)}.", "Remove it.")

    node.rules = () if schema else (Rule(table=table, explain=explain),)
    node.table = table
    node.done = True
    return node


def _too_deep() -> Node:
    def explain(value: object, path: str, report: Report) -> None:
        report.add_depth(value, path)

    node = Node(True)
    node.fill([Rule(table=when(dict.fromkeys(CONTAINERS, reject)), explain=explain)])
    return node


def _check_once(node: Node) -> Fit:
    """Check each value once. A value that is being checked already is accepted, so that cycles end."""
    number = id(node)

    def fit(value: Any, run: Run) -> bool:
        key = (number, id(value))
        known = run.memo.get(key)
        if known is not None:
            return known
        if run.depth >= MAX_DEPTH:
            return not isinstance(value, CONTAINERS)
        run.memo[key] = True
        run.depth += 1
        # The table is read here because a node on a cycle is filled after its first use.
        found = run.memo[key] = fits(node.table, value, run)
        run.depth -= 1
        return found

    return fit


def _explain_once(node: Node) -> Callable[[Any, str, Report], None]:
    def explain(value: object, path: str, report: Report) -> None:
        key = (id(node), id(value), path)
        if key in report.explained:
            return
        report.explained.add(key)
        if report.depth >= MAX_DEPTH:
            report.add_depth(value, path)
            return
        report.depth += 1
        node.explain(value, path, report)
        report.depth -= 1

    return explain
