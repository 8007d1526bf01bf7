"""Syntax checks that report problems introduced by an edit."""

from hermes_tools_terminal.syntax_checks.external_checkers import SECONDS, Run
from hermes_tools_terminal.syntax_checks.new_problems import check, introduced_problems, lint
from hermes_tools_terminal.syntax_checks.problem import Problem

__all__ = ["SECONDS", "Problem", "Run", "check", "introduced_problems", "lint"]
