"""Databases: destructive statements through client programs, and tools that drop, flush or reset."""

from hermes_guard.rules.sql.table import FAMILY

__all__ = ["FAMILY"]
