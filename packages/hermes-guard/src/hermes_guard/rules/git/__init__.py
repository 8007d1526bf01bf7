"""Rules for version control: lost history, lost work, force pushes, and configuration that runs code."""

from hermes_guard.rules.git.rules import FAMILY

__all__ = ["FAMILY"]
