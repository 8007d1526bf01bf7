"""Reads a shell command the way a shell does, and says allow, ask or refuse.

Names are imported on first use, so importing only verdict types does not load the grammar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_guard.dependencies import UsedPath, Uses, uses_of
    from hermes_guard.guard import Guard, judge
    from hermes_guard.paths import judge_path
    from hermes_guard.paths.policy import PathPolicy
    from hermes_guard.paths.rule import PathRule
    from hermes_guard.rules.family import Context, Family, Rule
    from hermes_guard.rules.rule_files import RuleFileError
    from hermes_guard.shell.command import Command
    from hermes_guard.shell_state import Dependencies, ShellState
    from hermes_guard.verdict import Finding, Severity, Verdict

__version__ = "1.0.0"

__all__ = [
    "Command",
    "Context",
    "Dependencies",
    "Family",
    "Finding",
    "Guard",
    "PathPolicy",
    "PathRule",
    "Rule",
    "RuleFileError",
    "Severity",
    "ShellState",
    "UsedPath",
    "Uses",
    "Verdict",
    "judge",
    "judge_path",
    "uses_of",
]

_HOMES = {
    "Command": "hermes_guard.shell.command",
    "Context": "hermes_guard.rules.family",
    "Dependencies": "hermes_guard.shell_state",
    "Family": "hermes_guard.rules.family",
    "Finding": "hermes_guard.verdict",
    "Guard": "hermes_guard.guard",
    "PathPolicy": "hermes_guard.paths.policy",
    "PathRule": "hermes_guard.paths.rule",
    "Rule": "hermes_guard.rules.family",
    "RuleFileError": "hermes_guard.rules.rule_files",
    "Severity": "hermes_guard.verdict",
    "ShellState": "hermes_guard.shell_state",
    "UsedPath": "hermes_guard.dependencies",
    "Uses": "hermes_guard.dependencies",
    "Verdict": "hermes_guard.verdict",
    "judge": "hermes_guard.guard",
    "judge_path": "hermes_guard.paths",
    "uses_of": "hermes_guard.dependencies",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
