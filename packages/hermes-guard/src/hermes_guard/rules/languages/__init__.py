"""Reads code of other languages and says what it would do."""

from hermes_guard.rules.languages.deed import Deed

__all__ = ["Deed"]
