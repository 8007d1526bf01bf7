"""Reads Perl, Ruby, JavaScript, PHP, Lua, awk and similar languages by their tokens."""

from hermes_guard.languages.scripts.readers import READERS

__all__ = ["READERS"]
