"""Rules for privilege: sudo passwords, root shells, accounts and groups, capabilities, and disabled protections."""

from hermes_guard.rules.privilege.rules import FAMILY

__all__ = ["FAMILY"]
