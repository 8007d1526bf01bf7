"""Finds the functions and loops of a script, in the syntax of its language."""

from typing import TYPE_CHECKING

from hermes_guard.languages.scripts.block_types import CONTROL, ITERATORS, STATEMENT_ENDS, Loop, Span
from hermes_guard.languages.scripts.token_simplification import split
from hermes_guard.languages.tokens import Token

if TYPE_CHECKING:
    from hermes_guard.languages.scripts.blocks import Blocks

#: Tokens that end one of the parts of `for (a; b; c)`.
_PARTS = frozenset({";", ")"})
#: The maximum number of tokens in a loop's variables, and in a function's head after its parameters.
_NEAR = 24


def find(blocks: "Blocks") -> None:
    """Record the functions and loops, if the language is known."""
    finder = _FINDERS.get(blocks.language)
    if finder is not None:
        finder(blocks)


def _braces(blocks: "Blocks") -> None:
    """Find the functions and loops of JavaScript and PHP."""
    for index, token in enumerate(blocks.tokens):
        text = token.text
        if token.kind == "op" and text == "=>":
            _arrow(blocks, index)
        elif token.kind != "name":
            continue
        elif text in {"function", "fn"}:
            _function(blocks, index)
        elif text in {"for", "foreach"} and blocks.text(index + 1 + (blocks.text(index + 1) == "await")) == "(":
            _for(blocks, index)
        elif blocks.text(index + 1) == "(" and text not in CONTROL and blocks.text(index - 1) not in {"function", "."}:
            close = blocks.pairs.get(index + 1)
            if close is not None and blocks.text(close + 1) == "{":
                end = blocks.pairs.get(close + 1, len(blocks.tokens))
                blocks.define(index + 1, text, (index + 2, close), (close + 2, end), end)


def _arrow(blocks: "Blocks", index: int) -> None:
    if blocks.language == "php" or index < 1:
        return
    start = blocks.opened(index - 1) if blocks.text(index - 1) == ")" else index - 1
    if start is None:
        return
    params = (start + 1, index - 1) if blocks.text(index - 1) == ")" else (start, index)
    if blocks.text(index + 1) == "{":
        body = (index + 2, blocks.pairs.get(index + 1, len(blocks.tokens)))
    else:
        body = (index + 1, blocks.until(index + 1 + (blocks.text(index + 1) == "\n")))
    _handed(blocks, start, params, body)


def _function(blocks: "Blocks", index: int) -> None:
    named = blocks.tokens[index + 1 : index + 2]
    at = index + 1 + (bool(named) and named[0].kind == "name")
    close = blocks.pairs.get(at)
    if close is None or blocks.text(at) != "(":
        return
    start = blocks.until(close + 1, frozenset({"{", "=>", ";", "}"}), _NEAR)
    if blocks.text(start) == "{":
        body = (start + 1, blocks.pairs.get(start, len(blocks.tokens)))
    elif blocks.text(start) == "=>":
        body = (start + 1, blocks.until(start + 1))
    else:
        return
    if at > index + 1:
        blocks.define(index, named[0].text, (at + 1, close), body, body[1])
    else:
        _handed(blocks, index, (at + 1, close), body)


def _handed(blocks: "Blocks", start: int, params: Span, body: Span) -> None:
    """Find an anonymous function: assigned to a name, called by a loop, or passed to another function."""
    before = start - 2
    if blocks.text(start - 1) == "(" and blocks.text(before) in ITERATORS and blocks.text(before - 1) in {".", "?."}:
        target = split(blocks.tokens[params[0] : params[1]])[:1]
        blocks.at[start] = Loop(target, (blocks.since(before - 1), before - 1), body, body[1])
    elif blocks.text(before) in {"array_map", "array_walk"} and blocks.language == "php":
        target = split(blocks.tokens[params[0] : params[1]])[:1]
        items = body[1] + 1 + (blocks.text(body[1] + 1) == ",")
        blocks.at[start] = Loop(target, (items, blocks.until(items)), body, body[1])
    else:
        blocks.define(start, blocks.assigned(start), params, body, body[1])


def _for(blocks: "Blocks", index: int) -> None:
    start = index + 1 + (blocks.text(index + 1) == "await")
    close = blocks.pairs.get(start)
    between = blocks.until(start + 1, _PARTS)
    if close is None or between != close:
        return
    body = blocks.body(close + 1)
    # The variables are at the end in PHP and at the start elsewhere.
    php = blocks.language == "php"
    near = range(close, max(start, close - _NEAR), -1) if php else range(start + 1, min(close, start + _NEAR))
    sign = next((at for at in near if blocks.text(at) in {"of", "in", "as"}), None)
    if sign is None:
        return
    if php:
        target, items = split(blocks.tokens[sign + 1 : close]), (start + 1, sign)
    else:
        first = start + 1 + (blocks.text(start + 1) in {"const", "let", "var"})
        target, items = [blocks.tokens[first:sign]], (sign + 1, close)
    blocks.at[index] = Loop(target, items, body, body[1], (start, body[0]))


def _perl(blocks: "Blocks") -> None:
    """Find the functions and loops of Perl, including those with a postfix head."""
    statement = 0
    for index, token in enumerate(blocks.tokens):
        text = token.text
        if token.kind == "op" and text in {";", "{", "}"}:
            statement = index + 1
        elif token.kind != "name":
            continue
        elif text == "sub":
            at = index + 1
            name = blocks.assigned(index)
            if at < len(blocks.tokens) and blocks.tokens[at].kind == "name":
                name, at = blocks.tokens[at].text, at + 1
            params = (at + 1, blocks.pairs.get(at, at)) if blocks.text(at) == "(" else None
            start = params[1] + 1 if params else at
            end = blocks.pairs.get(start)
            if blocks.text(start) == "{" and end is not None:
                blocks.define(index, name, params if params and params[1] > params[0] else None, (start + 1, end), end)
        elif text in {"for", "foreach"}:
            _perl_loop(blocks, index, statement)


def _perl_loop(blocks: "Blocks", index: int, statement: int) -> None:
    at = index + 1 + (blocks.text(index + 1) in {"my", "our"})
    named = at < len(blocks.tokens) and blocks.tokens[at].text.startswith("$") and blocks.text(at + 1) == "("
    target = [[blocks.tokens[at] if named else Token("name", "$_")]]
    at += named
    close = blocks.pairs.get(at)
    if any(blocks.tokens[place].text != "\n" for place in range(statement, index)):
        end = blocks.until(index + 1, frozenset({";", "}"}))
        blocks.at[statement] = Loop(target, (index + 1, end), (statement, index), end, (index + 1, end))
    elif close is not None and blocks.text(close + 1) == "{" and blocks.until(at + 1, _PARTS) == close:
        body = blocks.body(close + 1)
        blocks.at[index] = Loop(target, (at, close + 1), body, body[1], (at, close))


def _words(blocks: "Blocks") -> None:
    """Find the functions and loops of Ruby and Lua."""
    for index, token in enumerate(blocks.tokens):
        text = token.text
        if token.kind == "op" and text == "|" and blocks.text(index - 1) in {"{", "do"}:
            if index - 1 not in blocks.at:
                _block(blocks, index - 1, index - 1, None)
        elif token.kind == "op" and text == "->" and blocks.language == "ruby":
            at = index + 1
            close = blocks.pairs.get(at, at - 1) if blocks.text(at) == "(" else blocks.until(at, frozenset({"{"})) - 1
            params = (at + 1, close) if blocks.text(at) == "(" else (at, close + 1)
            _block(blocks, index, close + 1, params)
        elif token.kind != "name":
            continue
        elif text in {"def", "function"}:
            _def(blocks, index)
        elif text in {"lambda", "proc"}:
            _block(blocks, index, index + 1, None)
        elif text in ITERATORS and blocks.text(index - 1) in {".", "&"}:
            _block(blocks, index, index + 1, None, loop=True)
        elif text == "for":
            _for_in(blocks, index)


def _def(blocks: "Blocks", index: int) -> None:
    at = index + 1
    name = ""
    while at < len(blocks.tokens) and (blocks.tokens[at].kind == "name" or blocks.text(at) in {".", ":"}):
        name, at = blocks.tokens[at].text, at + 1
        if blocks.text(at) not in {".", ":"} and name not in {".", ":"}:
            break
    if blocks.text(at) == "(":
        close = blocks.pairs.get(at, at)
        params = (at + 1, close)
        start = close + 1
    else:
        start = blocks.until(at, STATEMENT_ENDS | {"="})
        params = (at, start)
    if blocks.text(start) == "=" and blocks.language == "ruby":
        end = blocks.until(start + 1, frozenset({"\n", ";"}))
        blocks.define(index, name, params, (start + 1, end), end)
    elif index in blocks.pairs:
        end = blocks.pairs[index]
        blocks.define(index, name or blocks.assigned(index), params, (start, end), end)


def _block(blocks: "Blocks", start: int, at: int, params: Span | None, *, loop: bool = False) -> None:
    """`{ |x| ... }` or `do |x| ... end`."""
    end = blocks.pairs.get(at)
    if end is None or blocks.text(at) not in {"{", "do"}:
        return
    body = at + 1
    if blocks.text(body) == "|":
        bar = blocks.until(body + 1, frozenset({"|"}))
        params, body = (body + 1, bar), bar + 1
    if loop:
        target = split(blocks.tokens[params[0] : params[1]]) if params else [[Token("name", "it")]]
        blocks.at[at] = Loop(target, (blocks.since(start - 1), start - 1), (body, end), end)
    else:
        blocks.define(start, blocks.assigned(start), params or (at, at), (body, end), end)


def _for_in(blocks: "Blocks", index: int) -> None:
    end = blocks.pairs.get(index)
    near = range(index + 1, min(len(blocks.tokens), index + _NEAR))
    where = next((at for at in near if blocks.text(at) == "in"), None)
    if where is None or end is None:
        return
    sign = blocks.until(where, STATEMENT_ENDS)
    start = next((at for at in range(where, sign) if blocks.text(at) == "do"), sign)
    target = split(blocks.tokens[index + 1 : where])
    items = (where + 1, start)
    if blocks.text(where + 1) in {"ipairs", "pairs"}:
        target, items = target[-1:], (where + 3, blocks.pairs.get(where + 2, start))
    blocks.at[index] = Loop(target, items, (start + 1, end), end, (where, start))


_FINDERS = {
    "node": _braces,
    "jxa": _braces,
    "php": _braces,
    "perl": _perl,
    "raku": _perl,
    "ruby": _words,
    "lua": _words,
}
