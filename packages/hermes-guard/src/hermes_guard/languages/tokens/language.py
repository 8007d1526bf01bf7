"""Defines tokens, and the string and comment syntax of each language."""

from typing import NamedTuple

from hermes_guard import lazy_re as re


class Token(NamedTuple):
    """One token. Strings hold their value, with holes for interpolation."""

    #: `name`, `text`, `words` (a list of strings), `code` (run by a shell), `pattern`, `number` or `op`.
    kind: str
    text: str
    #: The code in each hole of a string; empty for a hole left by the shell. For a pattern, its replacement.
    parts: tuple[str, ...] = ()


class Language(NamedTuple):
    """The string and comment syntax of a language."""

    name: str
    comments: tuple[str, ...] = ("#",)
    #: Block comments, opening and closing.
    blocks: tuple[tuple[str, str], ...] = ()
    #: The meaning of a backtick: `code`, `text` or nothing.
    backtick: str = ""
    #: Characters that may begin a name.
    sigils: str = ""
    patterns: bool = False
    #: Interpolation in double-quoted strings.
    holes: re.Pattern[str] | None = None
    #: Operators that concatenate strings.
    joins: frozenset[str] = frozenset({"+"})
    #: Calls need no parentheses.
    bare_calls: bool = False


# Interpolations are short. Without a limit, many unclosed ones would each be searched to the end.
_VARIABLES = re.compile(
    r"\$\{[^}]{0,200}\}|[$@](?:\w|::)+(?:\[[^\]]{0,200}\]|->?\{[^}]{0,200}\}|\{[^}]{0,200}\})?"
    r"|\{\$[^}]{0,200}\}|\$[&!@0]"
)
PERL = Language(
    "perl", sigils="$@%", patterns=True, backtick="code", holes=_VARIABLES, joins=frozenset({".", "x"}), bare_calls=True
)
RUBY = Language(
    "ruby",
    sigils="$@",
    patterns=True,
    backtick="code",
    holes=re.compile(r"#\{[^}]{0,200}\}"),
    joins=frozenset({"+", "<<"}),
    bare_calls=True,
)
NODE = Language("node", ("//",), (("/*", "*/"),), "text", "$", patterns=True, holes=re.compile(r"\$\{[^}]{0,200}\}"))
PHP = Language(
    "php", ("//", "#"), (("/*", "*/"),), "code", "$", holes=_VARIABLES, joins=frozenset({"."}), bare_calls=True
)
#: Raku, formerly Perl 6.
RAKU = PERL._replace(name="raku", joins=frozenset({"~"}))
#: JavaScript for Automation on macOS: the strings of Node, the functions of the system.
JXA = NODE._replace(name="jxa")
LUA = Language("lua", ("--",), (("--[[", "]]"),), joins=frozenset({".."}), bare_calls=True)
AWK = Language("awk", patterns=True, joins=frozenset())
R = Language("R", joins=frozenset())
JULIA = Language(
    "julia",
    blocks=(("#=", "=#"),),
    backtick="code",
    joins=frozenset({"*"}),
    holes=re.compile(r"\$\([^)]{0,200}\)|\$\w+"),
)
APPLESCRIPT = Language("applescript", ("--",), (("(*", "*)"),), joins=frozenset({"&"}))
LISP = Language("lisp", (";",), joins=frozenset())
