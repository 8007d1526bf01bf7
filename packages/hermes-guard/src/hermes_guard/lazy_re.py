"""Compiles regular expressions on first use: `from hermes_guard import lazy_re as re`.

Compilation takes longer than reading most commands, and most commands need few of the expressions.
"""

import re
from re import *  # noqa: F403 - a module that takes the place of `re` has all of its names
from typing import cast

_METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split", "pattern", "flags", "groups")


class _LazyPattern:
    """Stands in for a pattern until its first use; from then on its methods are those of the pattern."""

    def __init__(self, text: str, flags: "int | re.RegexFlag") -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        if name not in _METHODS:
            raise AttributeError(name)
        pattern = re.compile(self._text, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(pattern, method))
        return getattr(self, name)


def compile(  # type: ignore[no-redef]  # noqa: A001 - as above
    pattern: str, flags: "int | re.RegexFlag" = 0
) -> "re.Pattern[str]":
    """Return a lazily compiled regular expression; an invalid one raises on first use."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))
