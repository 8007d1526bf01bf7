"""Rules for packages: removed, published, or installed from an unknown source."""

from hermes_guard.rules.packages.rules import FAMILY

__all__ = ["FAMILY"]
