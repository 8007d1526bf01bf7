"""Tokenizes scripts into names, strings, patterns and comments, in one pass."""

from hermes_guard.languages.tokens.language import (
    APPLESCRIPT,
    AWK,
    JULIA,
    JXA,
    LISP,
    LUA,
    NODE,
    PERL,
    PHP,
    RAKU,
    RUBY,
    Language,
    R,
    Token,
)
from hermes_guard.languages.tokens.scanner import scan

__all__ = [
    "APPLESCRIPT",
    "AWK",
    "JULIA",
    "JXA",
    "LISP",
    "LUA",
    "NODE",
    "PERL",
    "PHP",
    "RAKU",
    "RUBY",
    "Language",
    "R",
    "Token",
    "scan",
]
