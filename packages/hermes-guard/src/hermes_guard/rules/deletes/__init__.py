"""Deletes: recursive, bulk, and beyond recovery."""

from hermes_guard.rules.deletes import discards, emptying, mirrors, removing, tools
from hermes_guard.rules.deletes.removing import RM
from hermes_guard.rules.deletes.rules import FAMILY

__all__ = ["FAMILY", "RM", "discards", "emptying", "mirrors", "removing", "tools"]
