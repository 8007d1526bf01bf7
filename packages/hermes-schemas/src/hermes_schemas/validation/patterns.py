"""Compiles the patterns of JSON Schema, which are ECMAScript, with Python's `re` or a linear engine."""

from __future__ import annotations

import re
from collections.abc import Callable

MAX_TEXT = 10_000
"""Longer texts are accepted without matching."""

_MAX_BACKTRACKED = 256
"""The text limit for patterns with backtracking, such as those with a lookahead."""
_REPEATED_GROUP = re.compile(r"\)[*+?{]")

_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": r"\s\ufeff"}


def _python_spelling(pattern: str) -> str:
    """Convert the syntax that differs: `$`, some escapes, named groups, and `[` inside a class."""
    out: list[str] = []
    in_class = False
    index = 0
    while index < len(pattern):
        char = pattern[index]
        index += 1
        if char == "\\" and index < len(pattern):
            letter = pattern[index]
            index += 1
            if letter in _CLASSES:
                out.append(_CLASSES[letter] if in_class else f"[{_CLASSES[letter]}]")
            elif letter in "DWS" and not in_class:
                out.append(f"[^{_CLASSES[letter.lower()]}]")
            elif letter == "c" and pattern[index : index + 1].isalpha():
                out.append(f"\\x{ord(pattern[index]) % 32:02x}")
                index += 1
            else:
                out.append(char + letter)
        elif in_class:
            in_class = char != "]"
            out.append("\\" + char if char in "[&|~" else char)
        elif char == "[":
            in_class = True
            out.append(char)
            if pattern.startswith("^", index):
                out.append("^")
                index += 1
        elif char == "$":
            out.append(r"\Z")
        elif char == "(" and pattern.startswith("?<", index) and not pattern.startswith(("?<=", "?<!"), index):
            out.append("(?P<")
            index += 2
        else:
            out.append(char)
    return "".join(out)


def compile_pattern(pattern: object) -> Callable[[str], bool] | None:
    """Return a function that searches a text; None for a pattern that is not supported."""
    if not isinstance(pattern, str) or len(pattern) > MAX_TEXT:
        return None
    spelt = _python_spelling(pattern)
    try:
        search = re.compile(spelt).search
    except (re.error, RecursionError, OverflowError, MemoryError, ValueError, Warning):
        # Ambiguous patterns raise a warning, which may be configured to be an error.
        return None
    if not _may_backtrack(spelt):
        return lambda text: len(text) > MAX_TEXT or search(text) is not None
    linear = _without_backtracking(pattern)
    if linear is None and _open_ends(spelt) <= 3 and not _REPEATED_GROUP.search(spelt):
        return lambda text: len(text) > _MAX_BACKTRACKED or search(text) is not None
    return linear


def _may_backtrack(pattern: str) -> bool:
    """Return True when matching may take more than linear time: with several open ends, or one at any position.

    Schemas may come from untrusted servers, and `(a+)+$` on thirty letters takes Python's `re` minutes.
    """
    ends = _open_ends(pattern)
    return ends > 1 or (ends == 1 and not pattern.startswith("^")) or _REPEATED_GROUP.search(pattern) is not None


def _open_ends(pattern: str) -> int:
    return pattern.count("*") + pattern.count("+") + len(re.findall(r"\{\d*,\d*\}", pattern))


def _without_backtracking(pattern: str) -> Callable[[str], bool] | None:
    """Return the same search with pydantic's linear engine; None for a pattern that it does not support."""
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern)).isinstance_python
    except SchemaError:
        return None
