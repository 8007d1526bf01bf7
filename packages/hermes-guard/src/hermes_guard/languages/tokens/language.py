"""What a token is, and how each language writes its texts and comments."""

from typing import NamedTuple

from hermes_guard import lazy_re as re


class Token(NamedTuple):
    """A piece of code. Texts hold their value, with holes where something is put in at run time."""

    #: `name`, `text`, `words` (a list of texts), `code` (run by a shell), `pattern`, `number` or `op`.
    kind: str
    text: str
    #: The code in each hole of a text; empty for a hole that the shell has left. What a pattern puts instead.
    parts: tuple[str, ...] = ()


class Language(NamedTuple):
    """How a language writes texts and comments."""

    name: str
    comments: tuple[str, ...] = ("#",)
    #: Block comments, opening and closing.
    blocks: tuple[tuple[str, str], ...] = ()
    #: What a backtick opens: `code`, `text` or nothing.
    backtick: str = ""
    #: Names may start with these.
    sigils: str = ""
    patterns: bool = False
    #: What is put into double-quoted texts.
    holes: re.Pattern[str] | None = None
    #: Operators that join texts.
    joins: frozenset[str] = frozenset({"+"})
    #: Calls need no parentheses.
    bare_calls: bool = False


# What is put into a text is short: without a bound, many that are not closed would each be looked for to the end.
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
#: Raku, which was Perl 6.
RAKU = PERL._replace(name="raku", joins=frozenset({"~"}))
#: JavaScript as macOS runs it: its texts are those of node, its functions are those of the system.
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
