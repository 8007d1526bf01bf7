"""Packages: removed, published, or taken from somewhere nobody knows."""

from hermes_guard.rules.packages.rules import FAMILY

__all__ = ["FAMILY"]
