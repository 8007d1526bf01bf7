"""Version control: lost history, lost work, force pushes, and configuration that runs code."""

from hermes_guard.rules.git.table import FAMILY

__all__ = ["FAMILY"]
