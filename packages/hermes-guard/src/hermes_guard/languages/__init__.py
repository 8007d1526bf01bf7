"""Reads code of other languages and says what it would do."""

from hermes_guard.languages.operation import Deed

__all__ = ["Deed"]
