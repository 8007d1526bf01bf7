"""What the guard asks about and refuses: one module per family of programs."""

from hermes_guard.rules.family import Context, Family, Rule

__all__ = ["Context", "Family", "Rule"]
