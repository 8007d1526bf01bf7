"""Rules for databases: destructive statements in client programs, and tools that drop, flush or reset."""

from hermes_guard.rules.sql.rules import FAMILY

__all__ = ["FAMILY"]
