"""Matches whole texts against patterns with stars, in linear time.

The globs of rules have `*`, `?` and `[abc]`, and match line breaks. Those of grants have only `*`, which stops where a
line or a command may end: people read them in a prompt, and nothing may hide behind the star.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hermes_approval.matchers.rule_error import RuleError, quote

MAX_STARS = 100
"""More than any grant needs; each costs one search."""

LINE_END = re.compile(r"[\n\r\x00\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Where `*` stops in a text."""

SHELL_END = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029;&|<>()`$\\]")
"""Where `*` stops in a command: characters that could end it, start another, or hide one."""

_SPECIAL = re.compile(r"[*?\[]")


def compile_glob(pattern: object) -> Callable[[str], bool]:
    """Return a function that matches a whole text against a pattern with `*`, `?` and `[abc]`; case counts.

    Raises:
        RuleError: the pattern is not a text.
    """
    if not isinstance(pattern, str) or not pattern:
        raise RuleError(f"is {quote(pattern)}, not a text.", example='args: {command: {glob: "git push*"}}')
    if not _SPECIAL.search(pattern):
        return lambda text: text == pattern
    if pattern.endswith("*") and not _SPECIAL.search(pattern[:-1]):
        start = pattern[:-1]
        return lambda text: text.startswith(start)
    import fnmatch

    match = re.compile(fnmatch.translate(pattern)).match
    return lambda text: match(text) is not None


def is_plain(pattern: str) -> bool:
    """Return True if a pattern matches only itself."""
    return not _SPECIAL.search(pattern)


def glob_matches(pattern: str, text: str, stop: re.Pattern[str]) -> bool:
    """Return True if a whole text matches; `*` matches any characters except those of `stop`.

    The leftmost place of each part is enough: a part with a `stop` in it can only begin where the gap before it ends.

    The text may be a pattern. Then True means that the first pattern matches everything that the second one matches:
    parts between stars contain no star, so each star of the second is within a star of the first.
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
