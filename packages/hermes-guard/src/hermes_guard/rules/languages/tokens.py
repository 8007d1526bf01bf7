"""Tells names, texts, patterns and comments of a script apart. One pass, whatever the text."""

import re
from typing import NamedTuple

from hermes_guard.budget import Budget
from hermes_guard.shell.word import HOLE


class Token(NamedTuple):
    """A piece of code. Texts hold their value, with holes where something is put in at run time."""

    #: `name`, `text`, `words` (a list of texts), `code` (run by a shell), `pattern`, `number` or `op`.
    kind: str
    text: str


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
    #: Unknown parts of double-quoted texts.
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

#: No pattern, and no code in a replacement, is longer.
_LONGEST = 400
#: Steps to find a token and to look at it.
_PER_TOKEN = 4
_SPACE = re.compile(r"[ \t\r\f\v]+")
_WORD = re.compile(r"[A-Za-z_\ue000][\w\ue000]*(?:::\w+)*[!?]?")
_PLAIN = re.compile(r"[A-Za-z_\ue000][\w\ue000]*")
_NUMBER = re.compile(r"\d[\w.]*")
_OPERATOR = re.compile(r"=>|->|\.\.|\|&|\|\||&&|>>|<<|===?|!==?|<=|>=|=~|!~|\*\*|\+\+|--|\+=|\.=|::|.", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u\{?([0-9a-fA-F]{4})\}?|([0-7]{1,3})|(.))", re.DOTALL)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b", "0": "\0"}
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_PERL_QUOTE = re.compile(r"(qq|qx|qw|qr|q|tr|m|s|y)(\s*)([^\w\s,;)=])")
_RUBY_QUOTE = re.compile(r"%([qQxwWi]?)([(\[{<|!/])")
#: After these a slash starts a pattern and no division.
_BEFORE_PATTERN = frozenset(
    [
        "return",
        "if",
        "unless",
        "and",
        "or",
        "not",
        "split",
        "grep",
        "map",
        "when",
        "print",
        "in",
        "while",
        "until",
        "case",
    ]
)


def scan(text: str, language: Language, budget: Budget | None = None) -> list[Token]:
    """The tokens of a script, as many as the budget allows. What is not closed reaches to the end."""
    budget = budget or Budget()
    # A quarter is for what the tokens mean.
    kept = budget.readable // 4
    found: list[Token] = []
    index, size = 0, len(text)
    while index < size:
        if not budget.reads(_PER_TOKEN) or budget.readable < kept:
            budget.exceeded = True
            break
        blank = _SPACE.match(text, index)
        if blank:
            index = blank.end()
            continue
        char = text[index]
        block = next((pair for pair in language.blocks if text.startswith(pair[0], index)), None)
        if block:
            end = text.find(block[1], index + 2)
            index = size if end < 0 else end + len(block[1])
            continue
        if any(text.startswith(mark, index) for mark in language.comments) and not (
            char == "#" and found and found[-1].text == "$" and language.sigils
        ):
            end = text.find("\n", index)
            index = size if end < 0 else end
            continue
        if char in "'\"" or (char == "`" and language.backtick):
            index = _quoted(text, index, language, found)
            continue
        if language.name == "lua" and (opened := re.compile(r"\[=*\[").match(text, index)):
            end = text.find("]" + opened.group()[1:-1] + "]", opened.end())
            found.append(Token("text", text[opened.end() : size if end < 0 else end]))
            index = size if end < 0 else end + len(opened.group())
            continue
        if language.name == "perl" and (quote := _PERL_QUOTE.match(text, index)) and not _is_key(text, quote, found):
            index = _perl_quote(text, quote, found, language, budget)
            continue
        if (
            language.name == "ruby"
            and char == "%"
            and _starts_value(found)
            and (quote := _RUBY_QUOTE.match(text, index))
        ):
            body, index = _delimited(text, quote.end(), quote.group(2))
            kind = {"x": "code", "w": "words", "W": "words", "i": "words"}.get(quote.group(1), "text")
            found.append(Token(kind, _filled(body, language) if quote.group(1) in {"x", "Q", ""} else body))
            continue
        if language.patterns and char == "/" and _starts_value(found):
            index = _pattern(text, index, found, budget)
            continue
        index = _plain(text, index, language, found)
    return found


def _plain(text: str, index: int, language: Language, found: list[Token]) -> int:
    char = text[index]
    if char in language.sigils:
        name = _PLAIN.match(text, index + 1)
        if name and (char != "%" or _starts_value(found)):
            found.append(Token("name", text[index : name.end()]))
            return name.end()
        if char == "$" and index + 1 < len(text) and text[index + 1] not in " {$" and language.name != "node":
            found.append(Token("name", text[index : index + 2]))
            return index + 2
    word = (_WORD if language.name in {"perl", "ruby"} else _PLAIN).match(text, index)
    if word:
        found.append(Token("name", word.group()))
        return word.end()
    number = _NUMBER.match(text, index)
    if number:
        found.append(Token("number", number.group()))
        return number.end()
    operator = _OPERATOR.match(text, index)
    assert operator
    found.append(Token("op", operator.group()))
    return operator.end()


def _starts_value(found: list[Token]) -> bool:
    if not found:
        return True
    last = found[-1]
    if last.kind == "op":
        return last.text not in {")", "]", "}"}
    return last.kind == "name" and last.text in _BEFORE_PATTERN


def _is_key(text: str, quote: re.Match[str], found: list[Token]) -> bool:
    """`s` and `y` may be names: of hash keys, functions and methods."""
    if quote.group(3) == "#" and quote.group(2):
        return True
    before = found[-1].text if found else ""
    return (
        before in {"->", "$", "@", "%", "&", "sub"}
        or text.startswith("=>", quote.start(3))
        or (before == "{" and text.startswith("}", quote.start(3)))
    )


def _quoted(text: str, index: int, language: Language, found: list[Token]) -> int:
    mark = text[index]
    if mark == "'" and language.name in {"julia", "lisp", "applescript"}:
        found.append(Token("op", mark))
        return index + 1
    triple = mark * 3 if language.name == "julia" and text.startswith(mark * 3, index) else ""
    start = index + (len(triple) or 1)
    body, end = _until(text, start, triple or mark)
    kind = (language.backtick or "text") if mark == "`" else "text"
    if mark == "'" and language.name in {"perl", "ruby", "php"}:
        found.append(Token(kind, body.replace("\\'", "'").replace("\\\\", "\\")))
    else:
        found.append(
            Token(kind, _filled(body, language, filled=mark != "'" and (mark == "`" or language.name != "node")))
        )
    return end


def _until(text: str, start: int, mark: str) -> tuple[str, int]:
    index = start
    while True:
        end = text.find(mark, index)
        if end < 0:
            return text[start:], len(text)
        slashes = 0
        while end - slashes - 1 >= start and text[end - slashes - 1] == "\\":
            slashes += 1
        if slashes % 2 == 0:
            return text[start:end], end + len(mark)
        index = end + 1


def _filled(body: str, language: Language, *, filled: bool = True) -> str:
    if filled and language.holes is not None:
        body = language.holes.sub(HOLE, body)
    return _ESCAPE.sub(_unescaped, body) if "\\" in body else body


def _unescaped(found: re.Match[str]) -> str:
    by_hex, by_code, octal, plain = found.groups()
    if by_hex or by_code:
        return chr(int(by_hex or by_code, 16))
    if octal:
        return chr(int(octal, 8))
    return _CONTROL.get(plain, plain)


def _delimited(text: str, start: int, opening: str) -> tuple[str, int]:
    """The body after an opening mark, which may hold pairs of itself."""
    closing = _CLOSING.get(opening, opening)
    depth, index = 1, start
    while index < len(text):
        char = text[index]
        if char == "\\":
            index += 1
        elif char == closing:
            depth -= 1
            if not depth:
                return text[start:index], index + 1
        elif char == opening and closing != opening:
            depth += 1
        index += 1
    return text[start:], len(text)


def _perl_quote(text: str, quote: re.Match[str], found: list[Token], language: Language, budget: Budget) -> int:
    operator, _, opening = quote.groups()
    body, index = _delimited(text, quote.end(), opening)
    if operator in {"s", "tr", "y"}:
        if opening in _CLOSING:
            after = re.compile(r"\s*([(\[{<])").match(text, index)
            replacement, index = _delimited(text, after.end(), after.group(1)) if after else ("", index)
        else:
            replacement, index = _delimited(text, index, opening)
        flags = _PLAIN.match(text, index)
        index = flags.end() if flags else index
        found.append(Token("pattern", body))
        if operator == "s" and flags and "e" in flags.group():
            if flags.group().count("e") > 1:
                found.append(Token("name", "eval"))
            found.append(Token("op", ";"))
            # Replacements are short; a longer one could be nested without end.
            found.extend(scan(replacement[:_LONGEST], language, budget))
            found.append(Token("op", ";"))
        return index
    if operator in {"m", "qr"}:
        found.append(Token("pattern", body))
        return index
    kind = {"qx": "code", "qw": "words"}.get(operator, "text")
    found.append(Token(kind, _filled(body, language) if operator in {"qq", "qx"} else body))
    return index


def _pattern(text: str, index: int, found: list[Token], budget: Budget) -> int:
    at, inside = index + 1, False
    while at < min(len(text), index + _LONGEST) and text[at] != "\n":
        char = text[at]
        if char == "\\":
            at += 1
        elif char == "[":
            inside = True
        elif char == "]":
            inside = False
        elif char == "/" and not inside:
            found.append(Token("pattern", text[index + 1 : at]))
            return at + 1
        at += 1
    # No pattern: what was looked at will be looked at again.
    budget.reads((at - index) // 12)
    end = text.find("/", index + 1, at)
    if end > 0:
        found.append(Token("pattern", text[index + 1 : end]))
        return end + 1
    found.append(Token("op", "/"))
    return index + 1
