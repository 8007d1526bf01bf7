"""Splits a script into tokens."""

from hermes_guard import lazy_re as re
from hermes_guard.budget import Budget
from hermes_guard.languages.tokens.language import Language, Token
from hermes_guard.languages.tokens.quotes import (
    CLOSING,
    LONGEST,
    delimited,
    filled,
    pattern,
    quoted,
)
from hermes_guard.name_sets import names

#: Steps for finding and reading a token.
_PER_TOKEN = 4
_SPACE = re.compile(r"[ \t\r\f\v]+")
_WORD = re.compile(r"[A-Za-z_\ue000][\w\ue000]*(?:::\w+)*[!?]?")
_PLAIN = re.compile(r"[A-Za-z_\ue000][\w\ue000]*")
_NUMBER = re.compile(r"\d[\w.]*")
_OPERATOR = re.compile(r"=>|->|\.\.|\|&|\|\||&&|>>|<<|===?|!==?|<=|>=|=~|!~|\*\*|\+\+|--|\+=|\.=|::|.", re.DOTALL)
_PERLS = frozenset({"perl", "raku"})
_PERL_QUOTE = re.compile(r"(qqx|qq|qx|qw|qr|q|tr|m|s|y)(\s*)([^\w\s,;)=])")
_RUBY_QUOTE = re.compile(r"%([qQxwWi]?)([(\[{<|!/])")
_RUBY_KINDS = {"x": "code", "w": "words", "W": "words", "i": "words"}
_LUA_QUOTE = re.compile(r"\[=*\[")
_OPENING = re.compile(r"\s*([(\[{<])")
#: Keywords after which a slash starts a pattern instead of a division.
_BEFORE_PATTERN = names("return if unless and or not split grep map when print in while until case")

_BEFORE_HASH = names("my our local keys values each")


def scan(text: str, language: Language, budget: Budget | None = None) -> list[Token]:
    """Return the tokens of a script, as many as the budget allows. An unclosed string reaches to the end."""
    budget = budget or Budget()
    # A quarter is reserved for interpreting the tokens.
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
        end = _comment(text, index, language, found)
        if end is None:
            end = _literal(text, index, language, found, budget)
        index = _plain(text, index, language, found) if end is None else end
    return found


def _comment(text: str, index: int, language: Language, found: list[Token]) -> int | None:
    """Return the end of the comment that starts here."""
    for opening, closing in language.blocks:
        if text.startswith(opening, index):
            end = text.find(closing, index + 2)
            return len(text) if end < 0 else end + len(closing)
    if not text.startswith(language.comments, index):
        return None
    if text[index] == "#" and found and found[-1].text == "$" and language.sigils:
        # `$#list`
        return None
    end = text.find("\n", index)
    return len(text) if end < 0 else end


def _literal(text: str, index: int, language: Language, found: list[Token], budget: Budget) -> int | None:
    """Return the end of the string or pattern that starts here."""
    char = text[index]
    if char in "'\"" or (char == "`" and language.backtick):
        return quoted(text, index, language, found)
    if language.name == "lua" and (opened := _LUA_QUOTE.match(text, index)):
        end = text.find("]" + opened.group()[1:-1] + "]", opened.end())
        found.append(Token("text", text[opened.end() : len(text) if end < 0 else end]))
        return len(text) if end < 0 else end + len(opened.group())
    if language.name in _PERLS and (quote := _PERL_QUOTE.match(text, index)) and not _is_key(text, quote, found):
        return _perl_quote(text, quote, found, language, budget)
    if language.name == "ruby" and char == "%" and _starts_value(found) and (quote := _RUBY_QUOTE.match(text, index)):
        body, end = delimited(text, quote.end(), quote.group(2))
        kind = _RUBY_KINDS.get(quote.group(1), "text")
        found.append(filled(kind, body, language) if quote.group(1) in {"x", "Q", ""} else Token(kind, body))
        return end
    if language.patterns and char == "/" and (_starts_value(found) or _new_rule(language, found)):
        return pattern(text, index, found, budget)
    return None


def _plain(text: str, index: int, language: Language, found: list[Token]) -> int:
    char = text[index]
    if char in language.sigils:
        name = _PLAIN.match(text, index + 1)
        if name and (char != "%" or _starts_value(found) or found[-1].text in _BEFORE_HASH):
            found.append(Token("name", text[index : name.end()]))
            return name.end()
        if char == "$" and index + 1 < len(text) and text[index + 1] not in " {$" and language.name != "node":
            found.append(Token("name", text[index : index + 2]))
            return index + 2
    word = (_WORD if language.name in {"perl", "ruby", "raku"} else _PLAIN).match(text, index)
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


def _new_rule(language: Language, found: list[Token]) -> bool:
    """Return True for a slash after a block, which starts the pattern of the next rule in awk."""
    return language.name == "awk" and found[-1] == Token("op", "}")


def _is_key(text: str, quote: re.Match[str], found: list[Token]) -> bool:
    """Return True where `s` and `y` are names of hash keys, functions or methods."""
    if quote.group(3) == "#" and quote.group(2):
        return True
    before = found[-1].text if found else ""
    return (
        before in {"->", "$", "@", "%", "&", "sub"}
        or text.startswith("=>", quote.start(3))
        or (before == "{" and text.startswith("}", quote.start(3)))
    )


def _perl_quote(text: str, quote: re.Match[str], found: list[Token], language: Language, budget: Budget) -> int:
    operator, _, opening = quote.groups()
    body, index = delimited(text, quote.end(), opening)
    if operator in {"s", "tr", "y"}:
        if opening in CLOSING:
            after = _OPENING.match(text, index)
            replacement, index = delimited(text, after.end(), after.group(1)) if after else ("", index)
        else:
            replacement, index = delimited(text, index, opening)
        flags = _PLAIN.match(text, index)
        index = flags.end() if flags else index
        # The replacement is included, because this form changes a variable.
        found.append(Token("pattern", body, (replacement,)))
        if operator == "s" and flags and "e" in flags.group():
            if flags.group().count("e") > 1:
                found.append(Token("name", "eval"))
            found.append(Token("op", ";"))
            # A longer one could be nested endlessly, and does not occur in practice.
            budget.exceeded = budget.exceeded or len(replacement) > LONGEST
            found.extend(scan(replacement[:LONGEST], language, budget))
            found.append(Token("op", ";"))
        return index
    if operator in {"m", "qr"}:
        found.append(Token("pattern", body))
        return index
    kind = {"qx": "code", "qqx": "code", "qw": "words"}.get(operator, "text")
    found.append(filled(kind, body, language) if operator in {"qq", "qx", "qqx"} else Token(kind, body))
    return index
