"""Reads Python through its own syntax tree."""

from hermes_guard.languages.python.reader import read

__all__ = ["read"]
