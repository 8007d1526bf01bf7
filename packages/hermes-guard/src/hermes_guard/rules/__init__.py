"""The command rules: one module or package per rule family."""

from hermes_guard.rules.family import Context, Family, Rule

__all__ = ["Context", "Family", "Rule"]
