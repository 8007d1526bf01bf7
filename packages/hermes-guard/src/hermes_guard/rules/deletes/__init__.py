"""Rules for deletes: recursive, bulk, and irrecoverable."""

from hermes_guard.rules.deletes.rules import FAMILY

__all__ = ["FAMILY"]
