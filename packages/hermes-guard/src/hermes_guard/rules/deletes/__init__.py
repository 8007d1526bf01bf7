"""Deletes: recursive, bulk, and beyond recovery."""

from hermes_guard.rules.deletes.rules import FAMILY

__all__ = ["FAMILY"]
