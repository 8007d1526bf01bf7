"""Matches whole texts against patterns with stars, in linear time.

The globs of rules know `*`, `?` and `[abc]`, and cross lines. Those of grants know `*` alone, which stops where a line
or a command may end: a person reads them in a prompt, and nothing may hide behind the star.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hermes_approval.matchers.problem import Mistake, shown

MAX_STARS = 100
"""More than anybody writes in a grant; each costs one search."""

LINE_END = re.compile(r"[\n\r\x00\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Where `*` stops in a text."""

SHELL_END = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029;&|<>()`$\\]")
"""Where `*` stops in a command: whatever could end it, start another, or hide one from the eye."""

_SPECIAL = re.compile(r"[*?\[]")


def compile_glob(pattern: object) -> Callable[[str], bool]:
    """A function that compares a whole text to a pattern with `*`, `?` and `[abc]`; case counts. There is no doubt.

    Raises:
        Mistake: the pattern is not a text.
    """
    if not isinstance(pattern, str) or not pattern:
        raise Mistake(f"is {shown(pattern)}, not a text.", example='args: {command: {glob: "git push*"}}')
    if not _SPECIAL.search(pattern):
        return lambda text: text == pattern
    if pattern.endswith("*") and not _SPECIAL.search(pattern[:-1]):
        start = pattern[:-1]
        return lambda text: text.startswith(start)
    import fnmatch

    match = re.compile(fnmatch.translate(pattern)).match
    return lambda text: match(text) is not None


def is_plain(pattern: str) -> bool:
    """Whether a pattern stands for itself only."""
    return not _SPECIAL.search(pattern)


def glob_matches(pattern: str, text: str, stop: re.Pattern[str]) -> bool:
    """Whether a whole text matches; a `*` stands for any run of characters without a `stop` among them.

    The leftmost place of each part is enough: a part with a `stop` in it can only stand where the gap before it ends.

    A pattern may be given as the text. Then True means that everything the second matches is matched by the first,
    because the parts between stars hold no star: a star of the second can only fall to a star of the first.
    """
    first, *parts = pattern.split("*")
    if not parts:
        return pattern == text
    last = parts.pop()
    at, end = len(first), len(text) - len(last)
    if end < at or not text.startswith(first) or not text.endswith(last):
        return False
    for part in parts:
        found = text.find(part, at, end)
        if found < 0 or stop.search(text, at, found):
            return False
        at = found + len(part)
    return stop.search(text, at, end) is None
