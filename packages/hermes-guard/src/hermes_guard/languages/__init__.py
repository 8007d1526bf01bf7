"""Reads code in other languages and finds what it would do."""

from hermes_guard.languages.operation import Operation

__all__ = ["Operation"]
