"""Rules for writes: every way in which a command writes to a file that others rely on."""

from hermes_guard.rules.writes.rules import FAMILY

__all__ = ["FAMILY"]
