"""Computes the values of expressions in a script, as far as possible."""

from typing import TYPE_CHECKING, Any

from hermes_guard import lazy_re as re
from hermes_guard.languages.scripts.pure_functions import FUNCTIONS, METHODS, Function
from hermes_guard.languages.scripts.token_simplification import CLOSING, OPENING, at_home, folded, split
from hermes_guard.languages.text_values import UNKNOWN, OneOf, add, lifted, one_of, sides
from hermes_guard.languages.tokens import Token, scan
from hermes_guard.shell.word import HOLE

if TYPE_CHECKING:
    from hermes_guard.languages.scripts.script import Script

_PREFIXES = frozenset({"await", "my", "our", "new", "local", "const", "let", "var", "scalar", "return"})
_OTHERWISE = frozenset({"||", "or", "//"})
_DOTS = frozenset({"->", "?.", "&.", "::"})
_NAMED = re.compile(r"[$@]?\{(\^?\w+)\}\Z")
_NUMBER = re.compile(r"\d+\Z")
#: The maximum nesting of values, and the maximum length of a concatenation.
_MAX_DEPTH, _MAX_LENGTH = 12, 8_192
_ERRORS = (ValueError, TypeError, LookupError, OverflowError, ArithmeticError, AttributeError)


def value(script: "Script", tokens: list[Token], depth: int = 0) -> Any:
    """Return the value of an expression, UNKNOWN, or a string with holes."""
    tokens = [token for token in tokens if token.text != "\n" or token.kind != "op"]
    if not tokens or depth > _MAX_DEPTH or not script.budget.reads(1 + len(tokens) // 2):
        return UNKNOWN
    found = _conditional(script, tokens, depth)
    if found is not None:
        return found[0]
    reader = _Reader(script, tokens, depth)
    try:
        made = reader.sum()
    except _ERRORS:
        return UNKNOWN
    # Lua needs no separator between two statements.
    rest = reader.at < len(tokens) and not (reader.language == "lua" and tokens[reader.at].kind == "name")
    if rest or (isinstance(made, str) and len(made) > _MAX_LENGTH):
        return UNKNOWN
    return made


def filled(script: "Script", token: Token, depth: int = 0) -> Any:
    """Return a string with its interpolations filled in."""
    if not token.parts:
        return token.text
    pieces = token.text.split(HOLE)
    made: Any = pieces[0]
    for part, after in zip(token.parts, pieces[1:], strict=False):
        put = _put(script, part, depth + 1) if part else UNKNOWN
        made = add(add(made, put), after)
    return made


def _put(script: "Script", part: str, depth: int) -> Any:
    """Return the value of an interpolated expression."""
    named = _NAMED.match(part)
    if script.language.name in {"node", "jxa", "ruby"}:
        part = part[2:-1]
    elif named:
        part = part[0] + named.group(1)
    elif part.startswith("{"):
        part = part[1:-1]
    elif part.startswith("@{[") and part.endswith("]}"):
        part = part[3:-2]
    tokens = folded(at_home(scan(part, script.language, script.budget), script.home), script.language.joins)
    made = value(script, tokens, depth)
    if isinstance(made, list) and script.language.name in {"perl", "raku"}:
        return lifted(lambda *items: " ".join(items), *made) if all(_is_text(one) for one in made) else UNKNOWN
    return made


def _is_text(one: Any) -> bool:
    return isinstance(one, str) or (isinstance(one, OneOf) and all(isinstance(side, str) for side in one.sides))


def _conditional(script: "Script", tokens: list[Token], depth: int) -> tuple[Any] | None:
    """Return both branches of a conditional expression."""
    level = 0
    asked = None
    for at, token in enumerate(tokens):
        if token.kind == "op" and (token.text in OPENING or token.text in CLOSING):
            level += 1 if token.text in OPENING else -1
        elif level or token.kind not in {"op", "name"}:
            continue
        elif token.text == "=>":
            return None
        elif token.text == "?" and asked is None:
            following = tokens[at + 1].text if at + 1 < len(tokens) and tokens[at + 1].kind == "op" else ""
            if following == "?":
                return (_otherwise(script, tokens[:at], tokens[at + 2 :], depth),)
            asked = at if following != "." else None
        elif token.text == ":" and asked is not None:
            left, right = tokens[asked + 1 : at] or tokens[:asked], tokens[at + 1 :]
            return (one_of([value(script, left, depth + 1), value(script, right, depth + 1)]),)
        elif token.text in _OTHERWISE and at and asked is None:
            return (_otherwise(script, tokens[:at], tokens[at + 1 :], depth),)
    return None


def _otherwise(script: "Script", left: list[Token], right: list[Token], depth: int) -> Any:
    first = value(script, left, depth + 1)
    if isinstance(first, (str, list)) and first and HOLE not in first:
        return first
    return one_of([first, value(script, right, depth + 1)])


class _Reader:
    """Reads an expression token by token."""

    def __init__(self, script: "Script", tokens: list[Token], depth: int) -> None:
        self.script = script
        self.tokens = tokens
        self.depth = depth
        self.at = 0
        self.language = script.language.name
        self.joins = script.language.joins

    def peek(self, offset: int = 0) -> str:
        """Return the token here, unless it is a string."""
        at = self.at + offset
        return self.tokens[at].text if at < len(self.tokens) and self.tokens[at].kind in {"op", "name"} else ""

    def sum(self) -> Any:
        """Return values that are concatenated or added."""
        made = self.term()
        while self.at < len(self.tokens):
            if self.peek() in self.joins and self.tokens[self.at].kind == "op":
                self.at += 1
                made = add(made, self.term())
            elif self.peek() == "%" and self.language == "ruby":
                self.at += 1
                made = self._call(FUNCTIONS["sprintf"], [made, self.term()])
            elif self.peek() == "x" and self.language == "perl":
                self.at += 1
                made = self._call(FUNCTIONS["str_repeat"], [made, self.term()])
            elif self.language == "awk" and self._starts():
                made = add(made, self.term())
            else:
                break
        return made

    def _starts(self) -> bool:
        token = self.tokens[self.at]
        return token.kind in {"text", "name", "number"} or token.text in {"$", "("}

    def term(self) -> Any:
        """Return one value with its suffixes."""
        token = self.tokens[self.at]
        self.at += 1
        made: Any = UNKNOWN
        if token.kind == "text":
            made = filled(self.script, token, self.depth)
        elif token.kind == "words":
            made = token.text.split()
        elif token.kind == "number":
            made = token.text
        elif token.kind == "name":
            if token.text in _PREFIXES and self.at < len(self.tokens) and self.peek() not in {".", "="}:
                return self.term()
            made = self._named(token.text)
        elif token.kind == "op":
            made = self._sign(token.text)
        return self._followed(made)

    def _sign(self, text: str) -> Any:
        if text in OPENING:
            inside = self._inside()
            if text == "{" or (text == "[" and self.language == "php" and _paired(inside)):
                return self._table(inside)
            items = self._list(inside)
            return items[0] if text == "(" and len(items) == 1 and self._alone(inside) else items
        if text in {"\\", "@", "%", "*", "&"} and self.at < len(self.tokens):
            return self.term()
        if text == "-" and self.tokens[self.at].kind == "number":
            self.at += 1
            return "-" + self.tokens[self.at - 1].text
        if text == "$" and self.language == "awk":
            field = self.term()
            return self.script.values.get(f"${field}", UNKNOWN)
        if text == ":" and self.language == "ruby" and self.at < len(self.tokens):
            self.at += 1
            return self.tokens[self.at - 1].text
        raise ValueError

    def _alone(self, inside: list[Token]) -> bool:
        return self.language not in {"perl", "raku"} or inside[:1] == [Token("op", "(")] or len(split(inside)) == 1

    def _inside(self) -> list[Token]:
        """Return the tokens up to the matching closing bracket."""
        level, start = 1, self.at
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.kind == "op":
                level += (token.text in OPENING) - (token.text in CLOSING)
                if not level:
                    return self.tokens[start : self.at - 1]
        raise ValueError

    def _list(self, inside: list[Token]) -> list[Any]:
        found: list[Any] = []
        paired = self.language in {"perl", "raku"} and _paired(inside)
        for part in filter(None, split(inside)):
            spread = 0
            if paired and len(part) == 1 and part[0].kind == "name" and part[0].text[0] not in "$@%":
                found.append(part[0].text)
                continue
            while part[spread : spread + 1] and part[spread].text in {".", "..", "*"} and part[spread].kind == "op":
                spread += 1
            made = value(self.script, part[spread:], self.depth + 1)
            flat = spread or (self.language in {"perl", "raku"} and part and part[0].text[:1] == "@")
            if flat and not isinstance(made, list):
                raise ValueError
            found.extend(made if flat else [made])
        return found

    def _table(self, inside: list[Token]) -> Any:
        """`{key: value}` in the syntax of every language; without keys it is a Lua list."""
        found: dict[str, Any] = {}
        level, start, key = 0, 0, ""
        for at, token in enumerate([*inside, Token("op", ",")]):
            if token.kind == "op" and (token.text in OPENING or token.text in CLOSING):
                level += 1 if token.text in OPENING else -1
            elif level or token.kind != "op":
                continue
            elif token.text in {":", "=>", "="} and not key:
                key, start = inside[at - 1].text, at + 1
            elif token.text == ",":
                if key:
                    found[key] = value(self.script, inside[start:at], self.depth + 1)
                elif self.language == "lua" and inside:
                    return self._list(inside)
                key, start = "", at + 1
        return found

    def _named(self, name: str) -> Any:
        values = self.script.values
        while self.peek() == "." and "." not in self.joins and self.at + 1 < len(self.tokens):
            dotted = f"{name}.{self.tokens[self.at + 1].text}"
            if dotted not in values and dotted not in FUNCTIONS:
                break
            name, self.at = dotted, self.at + 2
        if name[:1] == "$" and self.language in {"perl", "raku"} and self.peek() in {"[", "{"}:
            whole = f"{'@' if self.peek() == '[' else '%'}{name[1:]}"
            return values.get(whole, UNKNOWN)
        if self.peek() == "(":
            self.at += 1
            return self._called(name, self._list(self._inside()))
        if name == "shift" and self.language in {"perl", "raku"}:
            return self._shifted()
        if name in FUNCTIONS and name not in values and self.script.language.bare_calls and self.at < len(self.tokens):
            given = self._list(self.tokens[self.at :])
            self.at = len(self.tokens)
            return self._called(name, given)
        return values.get(name, UNKNOWN)

    def _shifted(self) -> Any:
        name = self.peek() if self.peek().startswith("@") else "@_" if "@_" in self.script.values else "@ARGV"
        self.at += self.peek() == name
        items = self.script.values.get(name, UNKNOWN)
        if not isinstance(items, list) or not items:
            return UNKNOWN
        self.script.values[name] = items[1:]
        return items[0]

    def _called(self, name: str, args: list[Any]) -> Any:
        function = FUNCTIONS.get(name)
        if function is None:
            return self.script.returned(name, args)
        return self._call(function, args)

    def _call(self, function: Function, args: list[Any]) -> Any:
        made = [self._tried(function, one) for one in sides(args)]
        return one_of(made)

    def _tried(self, function: Function, args: Any) -> Any:
        if not isinstance(args, list) or not self.script.budget.reads(2):
            return UNKNOWN
        try:
            return function(self.script.home, args)
        except (*_ERRORS, StopIteration, RuntimeError):
            return UNKNOWN

    def _followed(self, made: Any) -> Any:
        """Return a value with the method calls and indexes behind it."""
        while self.at < len(self.tokens):
            sign = self.peek()
            if sign == "[" and self.tokens[self.at].kind == "op":
                self.at += 1
                made = _item(made, value(self.script, self._inside(), self.depth + 1))
            elif sign == "{" and self.language in {"perl", "raku"}:
                self.at += 1
                inside = self._inside()
                bare = len(inside) == 1 and inside[0].kind == "name" and inside[0].text[0] != "$"
                made = _item(made, inside[0].text if bare else value(self.script, inside, self.depth + 1))
            elif (sign in _DOTS or (sign == "." and "." not in self.joins)) and self.at + 1 < len(self.tokens):
                self.at += 1
                made = self._method(made)
            else:
                break
        return made

    def _method(self, made: Any) -> Any:
        if self.peek() in {"[", "{"}:
            return made
        name = self.peek()
        self.at += 1
        args: list[Any] = []
        if self.peek() == "(":
            self.at += 1
            args = self._list(self._inside())
        elif isinstance(made, dict) and name in made:
            return made[name]
        method = METHODS.get(name)
        if method is None or made is UNKNOWN:
            return UNKNOWN
        return self._call(method, [made, *args])


def _paired(inside: list[Token]) -> bool:
    """Return True when a list holds keys with their values."""
    return len(inside) > 1 and inside[1] == Token("op", "=>")


def _item(made: Any, key: Any) -> Any:
    """Return an item of a list or table; any of them when the index is unknown."""
    if isinstance(made, OneOf) or isinstance(key, OneOf):
        return lifted(_item, made, key)
    if isinstance(made, dict):
        return made.get(key, UNKNOWN) if isinstance(key, str) and HOLE not in key else one_of(made.values())
    if isinstance(made, list):
        if isinstance(key, str) and (_NUMBER.match(key) or key == "-1"):
            return made[int(key)] if int(key) < len(made) else UNKNOWN
        return one_of(made)
    return UNKNOWN
