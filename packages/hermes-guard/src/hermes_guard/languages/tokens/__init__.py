"""Tells names, texts, patterns and comments of a script apart. One pass, whatever the text."""

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
