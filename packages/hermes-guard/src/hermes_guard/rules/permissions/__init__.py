"""Permissions: files that everybody may write, programs that run as somebody else, owners that change."""

from hermes_guard.rules.permissions.rules import FAMILY

__all__ = ["FAMILY"]
