"""Reads Perl, Ruby, JavaScript, PHP, Lua, awk and their like by their tokens."""

from hermes_guard.languages.scripts.readers import READERS

__all__ = ["READERS"]
