"""Packages: removed, published, or taken from somewhere nobody knows."""

from hermes_guard.rules.packages.table import FAMILY

__all__ = ["FAMILY"]
