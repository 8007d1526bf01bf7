"""Groups the tokens of a script: brackets, functions that it defines, and loops with their lists."""

from collections.abc import Iterator

from hermes_guard.languages.scripts.block_finder import find
from hermes_guard.languages.scripts.block_types import CONTROL, ITERATORS, STATEMENT_ENDS, Block, Function, Span
from hermes_guard.languages.scripts.token_simplification import CLOSING, OPENING, split
from hermes_guard.languages.tokens import Language, Token
from hermes_guard.name_sets import names

#: Languages whose blocks end with a keyword.
_ENDED = frozenset({"ruby", "lua", "julia"})
_OPENERS = names("def class module begin case do function")
#: Keywords that open a block at the start of a statement; after a statement they are its condition.
_STARTERS = names("if unless while until for")
_BEFORE_STATEMENT = frozenset({"", "\n", ";", "=", "(", "{", "|", "then", "else", "do", "=>", "+=", "begin"})
_BRANCHES = names("if else elsif elseif unless switch case catch rescue")
_EXPRESSION_ENDS = frozenset({";", "\n", ",", ")", "]", "}"})
#: The maximum number of tokens in an expression that is a function body or the items of a loop.
_MAX_LENGTH = 256


class Blocks:
    """The brackets, functions and loops of some tokens, by their start."""

    def __init__(self, tokens: list[Token], language: Language) -> None:
        self.tokens = tokens
        self.language = language.name
        self.pairs = _pairs(tokens, language.name in _ENDED)
        self._opened = {end: start for start, end in self.pairs.items()}
        self.at: dict[int, Block] = {}
        self.functions: dict[str, Function] = {}
        find(self)
        #: Positions inside a loop; None when only the keywords indicate loops.
        self._repeated = _marked(self._loops(), len(tokens)) if language.name in {"node", "php"} else None
        self._branched = _marked(self._branches(), len(tokens))

    def opened(self, end: int) -> int | None:
        """Return the start of the bracket that ends here."""
        return self._opened.get(end)

    def repeated(self, index: int) -> bool | None:
        """Return True for a position in a loop; None when only the keywords indicate loops."""
        return None if self._repeated is None else bool(self._repeated[index])

    def branched(self, index: int) -> bool:
        """Return True for a position that may be skipped."""
        return bool(self._branched[index])

    def _branches(self) -> Iterator[Span]:
        for index, token in enumerate(self.tokens):
            if token.kind != "name" or token.text not in _BRANCHES:
                continue
            if self.language in _ENDED:
                yield index, self.pairs.get(index, index)
                continue
            start = index + 1
            while self.text(start) in {"(", "if"}:
                start = self.pairs.get(start, start) + 1
            yield self.body(start)

    def text(self, index: int) -> str:
        """Return the token at a position, unless it is a string."""
        if not 0 <= index < len(self.tokens) or self.tokens[index].kind == "text":
            return ""
        return self.tokens[index].text

    def until(self, index: int, stops: frozenset[str] = _EXPRESSION_ENDS, limit: int = _MAX_LENGTH) -> int:
        """Return the end of the expression that starts here."""
        last = min(len(self.tokens), index + limit)
        while index < last:
            token = self.tokens[index]
            if token.kind == "op":
                if token.text in stops:
                    break
                index = self.pairs.get(index, index)
            index += 1
        return min(index, len(self.tokens))

    def since(self, end: int) -> int:
        """Return the start of the value that ends before this position: a name, or brackets with their prefix."""
        start = end
        while start > 0 and end - start < _MAX_LENGTH:
            before = start - 1
            if self.tokens[before].kind == "op" and self.tokens[before].text in CLOSING:
                start = self._opened.get(before, before)
            elif self.tokens[before].kind in {"name", "text", "words"}:
                start = before
            else:
                break
            if self.text(start - 1) not in {".", "->", "::", "?."} and self.text(start) not in OPENING:
                break
            if self.text(start - 1) in {".", "->", "::", "?."}:
                start -= 1
            elif self.tokens[start - 1].kind != "name" or self.text(start - 1) in CONTROL:
                break
        return start

    def define(self, start: int, name: str, params: Span | None, body: Span, end: int) -> None:
        """Record a function."""
        parts = split(self.tokens[params[0] : params[1]]) if params else None
        function = Function(name, parts, body, end)
        self.at[start] = function
        if name and name in self.functions:
            # Which of the two is called is unknown.
            function.open = self.functions[name].open = True
        if name:
            self.functions[name] = function

    def assigned(self, start: int) -> str:
        """Return the name that an anonymous function starting here is assigned to."""
        if self.text(start - 1) == "async":
            start -= 1
        given = self.text(start - 1) in {"=", ":"} and start > 1 and self.tokens[start - 2].kind == "name"
        return self.tokens[start - 2].text if given else ""

    def _loops(self) -> Iterator[Span]:
        for index, token in enumerate(self.tokens):
            if token.kind != "name" or self.text(index + 1) not in {"(", "{"}:
                continue
            close = self.pairs.get(index + 1, len(self.tokens))
            if token.text in {"while", "for", "foreach", "do"}:
                yield index, self.body(close + 1)[1] if self.text(index + 1) == "(" else close
            elif token.text in ITERATORS or token.text == "array_map":
                yield index, close

    def body(self, start: int) -> Span:
        """Return the block or the statement that starts here."""
        while self.text(start) == "\n":
            start += 1
        if self.text(start) == "{":
            return start + 1, self.pairs.get(start, len(self.tokens))
        return start, self.until(start, STATEMENT_ENDS)


def _marked(spans: Iterator[Span], size: int) -> bytearray:
    """Return a mark for each position within one of the spans."""
    edges = [0] * (size + 1)
    for start, end in spans:
        if start < end:
            edges[start] += 1
            edges[min(end, size)] -= 1
    found, level = bytearray(size), 0
    for at in range(size):
        level += edges[at]
        found[at] = level > 0
    return found


def _pairs(tokens: list[Token], by_words: bool) -> dict[int, int]:
    """Return the ends of brackets and of blocks that a keyword closes."""
    found: dict[int, int] = {}
    opened: list[int] = []
    headed = False
    for index, (kind, text, _) in enumerate(tokens):
        if kind == "op":
            if text in OPENING:
                opened.append(index)
            elif text in CLOSING:
                if opened and tokens[opened[-1]].kind == "op":
                    found[opened.pop()] = index
            elif text in STATEMENT_ENDS:
                headed = False
        elif by_words and kind == "name":
            before = tokens[index - 1].text if index else ""
            if text == "end" and before != ".":
                while opened:
                    start = opened.pop()
                    found[start] = index
                    if tokens[start].kind == "name":
                        break
            elif (text in _OPENERS and not (text == "do" and headed) and before != ".") or (
                text in _STARTERS and before in _BEFORE_STATEMENT
            ):
                opened.append(index)
                headed = text in {"while", "until", "for"}
    return found
