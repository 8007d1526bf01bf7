"""Persistence: what makes a command run later or again, and what would switch the agent's own supervision off."""

from hermes_guard.rules.persistence.rules import FAMILY

__all__ = ["FAMILY"]
