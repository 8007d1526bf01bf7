"""Writes: every way in which a command puts something into a file that others rely on."""

from hermes_guard.rules.writes.rules import FAMILY

__all__ = ["FAMILY"]
