"""Patterns of JSON Schema are ECMAScript's; this reads them as Python's `re` does, where the two agree."""

from __future__ import annotations

import re
from collections.abc import Callable

# Backtracking grows with the text: a longer one is not matched at all, and so is accepted.
MAX_TEXT = 10_000

_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": r"\s\ufeff"}


def _python_spelling(pattern: str) -> str:
    """Spell out what the two dialects read differently: `$`, some escapes, named groups, and `[` inside a class."""
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
    """A function that searches a text, or None when the pattern cannot be read here and so asks for nothing."""
    if not isinstance(pattern, str) or len(pattern) > MAX_TEXT:
        return None
    try:
        search = re.compile(_python_spelling(pattern)).search
    except (re.error, RecursionError, OverflowError, MemoryError, ValueError, Warning):
        # A doubtful pattern warns, and a warning is an exception where warnings are errors.
        return None
    return lambda text: len(text) > MAX_TEXT or search(text) is not None
