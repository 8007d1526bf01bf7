"""The names that tool search keeps for itself: no tool of anybody may answer to them."""

from __future__ import annotations

TOOL_SEARCH = "tool_search"
TOOL_DESCRIBE = "tool_describe"
TOOL_CALL = "tool_call"

RESERVED_NAMES = frozenset({TOOL_SEARCH, TOOL_DESCRIBE, TOOL_CALL})
"""A tool of such a name would be called in the place of the one that a model means."""

RESERVED_REMEDY = "Rename it: tool search keeps this name for itself."
