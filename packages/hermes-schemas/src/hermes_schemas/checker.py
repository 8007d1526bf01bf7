"""Whether a value fits a JSON Schema, decided fast and explained to the model that sent it."""

from __future__ import annotations

from hermes_schemas.validation.compiler import Compiler
from hermes_schemas.validation.nodes import Node, Report, Violation
from hermes_schemas.validation.type_tables import IDLE_RUN, Run, fits

__all__ = ["Checker", "Violation", "compile_checker"]


_UNREADABLE = Violation(path="", rule="value", message="It holds a value that cannot be read.", hint="Send plain JSON.")


class Checker:
    """A schema compiled once. It never raises and never changes, so threads may share it."""

    __slots__ = ("_node",)

    def __init__(self, node: Node) -> None:
        self._node = node

    def fits(self, value: object) -> bool:
        """Whether the value fits the schema."""
        node = self._node
        try:
            return fits(node.table, value, Run() if node.heavy else IDLE_RUN)
        except RecursionError:
            # The caller's own stack was nearly used up, or the schema nests many unions in every level of the value.
            return False
        except Exception:
            # Values may be of classes whose own methods raise anything. Nothing that cannot be read fits.
            return False

    def violations(self, value: object, *, limit: int = 5) -> tuple[Violation, ...]:
        """What does not fit, at most `limit` of it; empty when the value fits."""
        report = Report(limit=limit, run=Run())
        try:
            if limit < 1 or fits(self._node.table, value, report.run):
                return ()
            self._node.explain(value, "", report)
        except RecursionError:
            # As in `fits`: too deep for the stack that is left.
            report.add_depth(value, "")
        except Exception:
            # As in `fits`. The value is not shown, because showing it would run its methods again.
            return (_UNREADABLE,)
        if not report.found:
            report.add("", "schema", "The value does not fit the schema.")
        return tuple(report.found.values())


def compile_checker(schema: object) -> Checker:
    """Compile a JSON Schema, whatever it is: parts that cannot be understood ask for nothing."""
    return Checker(Compiler(schema).compile(schema))
