"""The tokens of a script, and what is known about them while reading."""

import re
from typing import Any

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation
from hermes_guard.languages.scripts import token_reader
from hermes_guard.languages.scripts.aliases import aliases
from hermes_guard.languages.scripts.assignments import bind
from hermes_guard.languages.scripts.blocks import Blocks
from hermes_guard.languages.scripts.expressions import filled, value
from hermes_guard.languages.scripts.function_names import Functions
from hermes_guard.languages.scripts.token_simplification import CLOSING, LONGEST, OPENING, at_home, folded, split
from hermes_guard.languages.text_values import UNKNOWN, piece, sides, text
from hermes_guard.languages.tokens import Token, scan
from hermes_guard.name_sets import names
from hermes_guard.shell.word import HOLE

_STOPS = names("if unless while until for foreach or and do end then rescue else elsif")
_ENDS = frozenset({";", "\n", "||", "&&", "?", "|"})
_LOOPS = names("while for foreach each map until loop forEach array_map lapply glob each_child")
#: Functions that take all following words as arguments when called without parentheses.
_LIST_OPERATORS = names("join sprintf reverse pack map grep sort")
#: The variable that holds the command-line arguments.
_ARGV = {"perl": "@ARGV", "ruby": "ARGV", "node": "process.argv", "php": "$argv"}
#: The maximum number of tokens in the arguments of one call, so that reading stays linear.
FARTHEST = 48
#: The maximum nesting of code in strings, and of calls.
DEEPEST = 4
#: Tokens of functions and loops that may be read again for calls and items.
STEPS = 1_500


class Script:
    """The tokens of a script, the values of its variables, and what was found in it."""

    def __init__(
        self,
        code: str,
        functions: Functions,
        home: str,
        *,
        looped: bool,
        budget: Budget,
        depth: int = 0,
        argv: list[str] | None = None,
    ) -> None:
        self.functions = functions
        self.budget = budget
        self.language = functions.language
        self.tokens = folded(at_home(scan(code, functions.language, budget), home), functions.language.joins)
        self.home = home
        self.depth = depth
        self.blocks = Blocks(self.tokens, functions.language)
        #: True when the script runs for each line of an input.
        self.always = looped
        self.looped = looped or any(token.kind == "name" and token.text in _LOOPS for token in self.tokens)
        self._given: dict[str, Any] = {} if argv is None else {_ARGV[functions.language.name]: list(argv)}
        self.values = dict(self._given)
        #: Loop variables with unknown values.
        self.unsure: set[str] = set()
        #: Aliases of functions.
        self.aliases = aliases(self.tokens, functions)
        #: Functions whose bodies are being read for a call, and the number of tokens that may be read that way.
        self.entered: list[str] = []
        self.for_calls = STEPS
        self.found: list[Operation] = []
        #: True when a started program may be, or may receive, untrusted data.
        #: The number of functions and loops around the current position.
        self.level = 0
        self.spawned = False
        self.reached = False
        self.shelled = False
        self.names = {token.text for token in self.tokens if token.kind == "name"}
        texts = {token.text for token in self.tokens if token.kind == "text"}
        known = self.names | {name.split("::")[0] for name in self.names}
        self.sockets = bool(known & functions.sockets) or (
            bool(texts & {"net", "node:net"}) and bool(self.names & {"connect", "Socket", "createConnection"})
        )
        #: The database is in memory and ends with the script.
        self.in_memory = any(text.endswith(":memory:") for text in texts)
        self.fetches = bool((known | texts) & functions.fetches)

    def read(self) -> list[Operation]:
        """Return what the script would do."""
        token_reader.read(self)
        return self.found

    def again(self) -> None:
        """Restart the reading, keeping only the names with unknown values."""
        self.blocks = Blocks(self.tokens, self.language)
        self.values = dict(self._given)
        self.for_calls = STEPS
        self.found.clear()

    def inner(self, code: str) -> list[Operation]:
        """Return what code in a string of this script would do."""
        if self.depth >= DEEPEST:
            return [Operation("unreadable", "code is nested too deeply")]
        return Script(
            code, self.functions, self.home, looped=self.looped, budget=self.budget, depth=self.depth + 1
        ).read()

    def text(self, index: int) -> str:
        """Return the text of a token, or an empty string beyond the end."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def args(self, index: int) -> list[list[Token]]:
        """Return the arguments of the call at this name."""
        tokens = self.tokens
        at = index + 1
        if at < len(tokens) and tokens[at].text == "(" and tokens[at].kind == "op":
            end, depth = self._closed(at)
            start, last = at + 1, end - 1 if not depth else end
        elif self.language.bare_calls or (at < len(tokens) and tokens[at].kind == "text"):
            end = last = self._bare(at)
            start = at
        else:
            return []
        if not self.budget.reads(2 * (end - at)):
            return []
        return self._gathered(split(tokens[start:last]))

    def _gathered(self, args: list[list[Token]]) -> list[list[Token]]:
        """Return the arguments of a Perl list operator without parentheses, which takes all that follow."""
        if self.language.name not in {"perl", "raku"}:
            return args
        for place, arg in enumerate(args):
            if len(arg) > 1 and arg[0].kind == "name" and arg[0].text in _LIST_OPERATORS and arg[1].text != "(":
                rest = [token for following in args[place:] for token in (*following, Token("op", ","))]
                return [*args[:place], rest[:-1]]
        return args

    def cut(self, index: int) -> bool:
        """Return True when a call's arguments are longer than the part that is read."""
        at = index + 1
        end = self._closed(at)[0] if self.text(at) == "(" else self._bare(at)
        return end >= at + FARTHEST and end < len(self.tokens)

    def _closed(self, at: int) -> tuple[int, int]:
        """Return the end of the parentheses that open here, and how many are still open there."""
        tokens = self.tokens
        depth, end = 1, at + 1
        last = min(len(tokens), at + FARTHEST)
        while end < last and depth:
            if tokens[end].kind == "op":
                depth += (tokens[end].text in OPENING) - (tokens[end].text in CLOSING)
            end += 1
        return end, depth

    def _bare(self, at: int) -> int:
        """Return the end of the arguments of a call without parentheses."""
        depth, end = 0, at
        while end < min(len(self.tokens), at + FARTHEST):
            token = self.tokens[end]
            if token.kind == "op":
                if token.text in CLOSING:
                    depth -= 1
                    if depth < 0:
                        break
                depth += token.text in OPENING
                if depth == 0 and token.text in _ENDS:
                    break
            elif token.kind == "name" and depth == 0 and token.text in _STOPS:
                break
            end += 1
        return end

    def value(self, tokens: list[Token]) -> Any:
        """Return the value of an expression, UNKNOWN, or a string with holes."""
        return value(self, tokens)

    def constants(self, tokens: list[Token]) -> list[str | None]:
        """Return the strings that an expression may be, with holes; None for an unknown one."""
        made = [text(one) for one in sides(value(self, tokens))]
        return [self._pieced(tokens)] if made == [None] else [one if one and one.strip(HOLE) else None for one in made]

    def constant(self, tokens: list[Token]) -> str | None:
        """Return the string value of an expression, with holes; None when all of it is unknown."""
        made = self.constants(tokens)
        return made[0] if len(made) == 1 else None

    def _pieced(self, tokens: list[Token]) -> str | None:
        """Return the strings in an expression that cannot be computed, with holes around them."""
        pieces: list[str] = []
        known = False
        joins = self.language.joins
        for token in tokens:
            held = self.values.get(token.text) if token.kind == "name" else None
            if token.kind == "text":
                pieces.append(piece(filled(self, token)))
                known = True
            elif token.kind == "op" and (
                token.text in OPENING or token.text in CLOSING or token.text in joins or token.text == "\n"
            ):
                continue
            elif isinstance(held, str):
                pieces.append(held)
                known = True
            elif token.kind == "op" and token.text in {"?", ":", "||", "&&"}:
                return None
            else:
                pieces.append(HOLE)
        size = sum(map(len, pieces))
        if not known or size > LONGEST or not self.budget.reads(len(pieces) // 2 + size // 64):
            return None
        return re.sub(f"{HOLE}+", HOLE, "".join(pieces))

    def first(self, args: list[list[Token]]) -> str | None:
        """Return the first argument as a string, if it is known."""
        return self.constant(args[0]) if args else None

    def spread(self, args: list[list[Token]]) -> list[Any] | None:
        """Return the values of arguments, with `...items` expanded; None when their number is unknown."""
        found: list[Any] = []
        for arg in args:
            signs = 0
            while signs < len(arg) and arg[signs].kind == "op" and arg[signs].text in {".", "..", "*"}:
                signs += 1
            made = self.value(arg[signs:])
            many = signs or (arg[:1] and arg[0].text[:1] == "@" and self.language.name in {"perl", "raku"})
            if many and not isinstance(made, list):
                return None
            found.extend(made if many else [made])
        return found

    def returned(self, name: str, args: list[Any]) -> Any:
        """Return the result of a function of the script, if it is a single expression."""
        function = self.blocks.functions.get(name)
        if function is None or function.open or len(self.entered) >= DEEPEST or name in self.entered:
            return UNKNOWN
        start, end = function.body
        body = self.tokens[start : min(end, start + FARTHEST)]
        places = [at for at, token in enumerate(body) if token.kind == "name" and token.text == "return"]
        if len(places) > 1 or end - start > FARTHEST:
            return UNKNOWN
        kept = self.values
        self.values = {**kept, **({} if function.params is not None else {"@_": args})}
        self.entered.append(name)
        bind(self, function.params or [], args)
        after = [*body[places[0] + 1 :], Token("op", ";")] if places else body
        last = next((at for at, token in enumerate(after) if places and token.text in {";", "\n"}), len(after))
        made = self.value(after[:last])
        self.entered.pop()
        self.values = kept
        return made

    def repeats(self, index: int) -> bool:
        """Return True for a position in a loop, as far as the language marks the end of loops."""
        found = self.blocks.repeated(index)
        return self.looped if self.always or found is None else found
