"""What the tests of checkers share."""

from __future__ import annotations

from hermes_tools_terminal.syntax_checks.external_checkers import Run
from hermes_tools_terminal.syntax_checks.new_problems import problems
from hermes_tools_terminal.syntax_checks.problem import Problem, UncheckedError


def check(name: str, text: str, run: Run | None = None) -> list[Problem] | None:
    """Return the syntax problems of a text; None if it cannot be checked."""
    try:
        return problems(name, text, run)
    except UncheckedError:
        return None
