"""Option tables of script interpreters: where they take code."""

from collections.abc import Sequence
from typing import NamedTuple

from hermes_guard.name_sets import names
from hermes_guard.shell.word import Word


class Kind(NamedTuple):
    """How an interpreter takes code."""

    language: str
    #: Letters that take code, attached or as the next word.
    code: str = "e"
    #: Letters that take another value, attached or as the next word.
    value: str = ""
    #: Letters that take the rest of their word.
    rest: str = ""
    #: Letters that may be followed by digits.
    digits: str = ""
    #: Long names of options that take code, and of those that take another value.
    long: tuple[str, ...] = ()
    long_values: tuple[str, ...] = ()
    #: Letters that run the code once per line.
    loops: str = ""
    #: Options that only check the code without running it.
    checks: frozenset[str] = frozenset()


_PERL = Kind("perl", "eE", "", "iMmIFVDdx", "0lC", loops="np", checks=frozenset("c"))
_RAKU = Kind("raku", "e", "", "IM", loops="np", checks=frozenset("c"))
_RUBY = Kind("ruby", "e", "rICE", "iFKxWT", "0", loops="np", checks=frozenset({"c", "dump"}))
_NODE = Kind(
    "node",
    "ep",
    "rC",
    "",
    "",
    ("eval", "print"),
    ("require", "import", "loader", "input-type", "env-file"),
    checks=frozenset({"c", "check"}),
)
PHP = Kind(
    "php",
    "rBRE",
    "dcfFStz",
    "",
    "",
    ("run", "process-begin", "process-code", "process-end"),
    ("define",),
    loops="R",
    checks=frozenset({"l", "syntax-check"}),
)
_LUA = Kind("lua", "e", "l")
_R = Kind("R", "e", "", "", "", ("expression",))
_JULIA = Kind("julia", "eE", "pLtJCO", "", "", ("eval", "print"), ("project", "threads", "load"))
INTERPRETERS: dict[str, Kind] = {
    **dict.fromkeys(names("perl perl5 perl.exe cperl"), _PERL),
    **dict.fromkeys(names("perl6 raku rakudo"), _RAKU),
    **dict.fromkeys(names("ruby jruby truffleruby ruby3.0 ruby3.1 ruby3.2 ruby3.3 irb mruby pry"), _RUBY),
    **dict.fromkeys(
        names("node nodejs bun tsx ts-node iojs electron qjs d8 node.exe esbuild-runner babel-node"), _NODE
    ),
    **dict.fromkeys(names("php php5 php7 php7.4 php8 php8.0 php8.1 php8.2 php8.3 php8.4 php-cgi"), PHP),
    **dict.fromkeys(names("lua luajit lua5.1 lua5.2 lua5.3 lua5.4 texlua tarantool"), _LUA),
    **dict.fromkeys(names("Rscript R littler"), _R),
    "julia": _JULIA,
    "tclsh": Kind("tcl", ""),
    "tclsh8.6": Kind("tcl", ""),
    "wish": Kind("tcl", ""),
    "expect": Kind("tcl", "c"),
    "jimsh": Kind("tcl", "e"),
    "osascript": Kind("applescript", "e", "ls"),
    "emacs": Kind("lisp", "", "lfLud", "", "", ("eval", "execute"), ("load", "funcall", "script")),
    "emacsclient": Kind("lisp", "", "sfa", "", "", ("eval",)),
}


class Taken(NamedTuple):
    """The code words, the operands and the flags of an interpreter's arguments."""

    codes: list[Word]
    operands: list[Word]
    flags: set[str]


def take(words: Sequence[Word], kind: Kind) -> Taken:
    """Separate the code from an interpreter's other arguments."""
    codes: list[Word] = []
    flags: set[str] = set()
    index = 0
    while index < len(words):
        word = words[index]
        if word.raw == "--":
            return Taken(codes, list(words[index + 1 :]), flags)
        if word.raw[:1] != "-" or word.raw == "-":
            break
        following = words[index + 1] if index + 1 < len(words) else None
        take_option = _take_long if _is_long(word.raw, kind) else _take_letters
        index += 2 if take_option(word, following, kind, codes, flags) else 1
    return Taken(codes, list(words[index:]), flags)


def _name(text: str) -> str:
    return text.lstrip("-").partition("=")[0]


def _is_long(text: str, kind: Kind) -> bool:
    """Return True for a long name, which most interpreters also accept after a single dash."""
    name = _name(text)
    return (
        text.startswith("--")
        or name in kind.long
        or (len(name) > 1 and kind.language in {"lisp", "node"} and name in kind.long_values)
    )


def _take_long(word: Word, following: Word | None, kind: Kind, codes: list[Word], flags: set[str]) -> bool:
    """Return True when the option takes the following word."""
    text = word.raw
    name = _name(text)
    flags.add(name)
    if name not in kind.long and name not in kind.long_values:
        return False
    value = word.tail(text.index("=") + 1) if "=" in text else following
    if value is not None and name in kind.long:
        codes.append(value)
    return "=" not in text


def _take_letters(word: Word, following: Word | None, kind: Kind, codes: list[Word], flags: set[str]) -> bool:
    """Return True when one of the letters takes the following word."""
    text = word.raw
    node = kind.language == "node"
    place = 1
    while place < len(text):
        letter = text[place]
        flags.add(letter)
        place += 1
        if letter in kind.code and not (node and text[place : place + 1] == "e"):
            if place < len(text) and not node:
                codes.append(word.tail(place))
                return False
            if following is not None:
                codes.append(following)
            return following is not None
        if letter in kind.value:
            return place >= len(text)
        if letter in kind.rest:
            return False
        if letter in kind.digits:
            while place < len(text) and (text[place].isdigit() or text[place] in "xX"):
                place += 1
    return False
