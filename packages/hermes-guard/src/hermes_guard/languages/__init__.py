"""Reads code of other languages and says what it would do."""

from hermes_guard.languages.operation import Operation

__all__ = ["Operation"]
