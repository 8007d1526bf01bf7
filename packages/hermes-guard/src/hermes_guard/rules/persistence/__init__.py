"""Rules for persistence: what makes a command run later or again, and what would disable the agent's supervision."""

from hermes_guard.rules.persistence.rules import FAMILY

__all__ = ["FAMILY"]
