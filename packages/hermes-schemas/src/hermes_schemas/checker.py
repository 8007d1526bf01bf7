"""Checks whether a value fits a JSON Schema: fast when it does, and with explanations for a model when it does not."""

from __future__ import annotations

from hermes_schemas.validation.compiler import Compiler
from hermes_schemas.validation.nodes import Node, Problem, Report
from hermes_schemas.validation.type_tables import SHARED_RUN, Run, fits

__all__ = ["Checker", "Problem", "compile_checker"]

_UNREADABLE = Problem(path="", rule="value", message="It holds a value that cannot be read.", hint="Send plain JSON.")


class Checker:
    """A compiled schema. It never raises and never changes, so threads may share it."""

    __slots__ = ("_node",)

    def __init__(self, node: Node) -> None:
        self._node = node

    def fits(self, value: object) -> bool:
        """Return True when the value fits the schema."""
        node = self._node
        try:
            return fits(node.table, value, Run() if node.heavy else SHARED_RUN)
        except RecursionError:
            # The caller's stack was nearly full, or the schema nests many unions in every level of the value.
            return False
        except Exception:
            # Values may be of classes whose methods raise anything. What cannot be read does not fit.
            return False

    def find_problems(self, value: object, *, limit: int = 5) -> tuple[Problem, ...]:
        """Return up to `limit` problems of a value; none when it fits."""
        report = Report(limit=limit, run=Run())
        try:
            if limit < 1 or fits(self._node.table, value, report.run):
                return ()
            self._node.explain(value, "", report)
        except RecursionError:
            # As in `fits`.
            report.add_depth(value, "")
        except Exception:
            # As in `fits`. The value is not shown, because that would run its methods again.
            return (_UNREADABLE,)
        if not report.found:
            report.add("", "schema", "The value does not fit the schema.")
        return tuple(report.found.values())


def compile_checker(schema: object) -> Checker:
    """Compile a JSON Schema. Parts that are not valid schemas are ignored."""
    return Checker(Compiler(schema).compile(schema))
