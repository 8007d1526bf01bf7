"""Syntax of what was written: what an edit has broken is told at once."""

from hermes_tools_terminal.checking.check import check
from hermes_tools_terminal.checking.lint import broken, lint
from hermes_tools_terminal.checking.problem import Problem
from hermes_tools_terminal.checking.programs import SECONDS, Run

__all__ = ["SECONDS", "Problem", "Run", "broken", "check", "lint"]
