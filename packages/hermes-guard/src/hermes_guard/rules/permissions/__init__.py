"""Rules for permissions: world-writable files, setuid programs, and changed owners."""

from hermes_guard.rules.permissions.rules import FAMILY

__all__ = ["FAMILY"]
