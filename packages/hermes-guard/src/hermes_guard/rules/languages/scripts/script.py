"""A script as its tokens, with what is known about them on the way."""

import re

from hermes_guard.budget import Budget
from hermes_guard.rules.languages.deed import Deed, quoted
from hermes_guard.rules.languages.scripts import reading
from hermes_guard.rules.languages.scripts.folding import CLOSING, LONGEST, OPENING, at_home, folded, split
from hermes_guard.rules.languages.scripts.verbs import Verbs
from hermes_guard.rules.languages.tokens import Token, scan
from hermes_guard.rules.words import names
from hermes_guard.shell.word import HOLE

_STOPS = names("if unless while until for foreach or and do end then rescue else elsif")
_ENDS = frozenset({";", "\n", "||", "&&", "?", "|"})
_LOOPS = names("while for foreach each map until loop forEach array_map lapply glob each_child")
#: How many tokens the arguments of one call may have; reading stays linear.
FARTHEST = 48
#: How many a value that is assigned may have.
_NEAR = 16
#: Code in a text in code: how deep it is read.
_DEEPEST = 4


class Script:
    """The tokens of a script, the values of its variables, and what was found in it."""

    def __init__(self, code: str, verbs: Verbs, home: str, *, looped: bool, budget: Budget, depth: int = 0) -> None:
        self.verbs = verbs
        self.budget = budget
        self.language = verbs.language
        self.tokens = folded(at_home(scan(code, verbs.language, budget), home), verbs.language.joins)
        self.home = home
        self.depth = depth
        self.looped = looped or any(token.kind == "name" and token.text in _LOOPS for token in self.tokens)
        self.values: dict[str, str] = {}
        self.found: list[Deed] = []
        self.spawned = False
        self.names = {token.text for token in self.tokens if token.kind == "name"}
        texts = {token.text for token in self.tokens if token.kind == "text"}
        known = self.names | {name.split("::")[0] for name in self.names}
        self.sockets = bool(known & verbs.sockets) or (
            bool(texts & {"net", "node:net"}) and bool(self.names & {"connect", "Socket", "createConnection"})
        )
        #: Its database lives in memory, and dies with it.
        self.in_memory = any(text.endswith(":memory:") for text in texts)
        self.fetches = bool((known | texts) & verbs.fetches)

    def read(self) -> list[Deed]:
        """What the script would do."""
        reading.read(self)
        return self.found

    def inner(self, code: str) -> list[Deed]:
        """What code in a text of this script would do."""
        if self.depth >= _DEEPEST:
            return [Deed("unreadable", "code is nested too deeply")]
        return Script(code, self.verbs, self.home, looped=self.looped, budget=self.budget, depth=self.depth + 1).read()

    def text(self, index: int) -> str:
        """The text of a token, or nothing where there is none."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def args(self, index: int) -> list[list[Token]]:
        """The arguments of the call at this name."""
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
        return split(tokens[start:last])

    def cut(self, index: int) -> bool:
        """True when the arguments of the call at this name are longer than what is read of them."""
        at = index + 1
        end = self._closed(at)[0] if self.text(at) == "(" else self._bare(at)
        return self._cut(end, at, FARTHEST)

    def _closed(self, at: int) -> tuple[int, int]:
        """Where the parentheses that open here end, and how many are still open there."""
        tokens = self.tokens
        depth, end = 1, at + 1
        last = min(len(tokens), at + FARTHEST)
        while end < last and depth:
            if tokens[end].kind == "op":
                depth += (tokens[end].text in OPENING) - (tokens[end].text in CLOSING)
            end += 1
        return end, depth

    def _bare(self, at: int) -> int:
        """Where the arguments of a call without parentheses end."""
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

    def constant(self, tokens: list[Token]) -> str | None:
        """The text of an expression with holes; None when all of it is unknown."""
        pieces: list[str] = []
        known = False
        joins = self.language.joins
        for token in tokens:
            if token.kind == "text":
                pieces.append(token.text)
                known = True
            elif token.kind == "op" and (
                token.text in OPENING or token.text in CLOSING or token.text in joins or token.text == "\n"
            ):
                continue
            elif token.kind == "name" and token.text in self.values:
                pieces.append(self.values[token.text])
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
        """The text of the first argument, if it is known."""
        return self.constant(args[0]) if args else None

    def listed(self, tokens: list[Token]) -> list[str | None] | None:
        """The items of a list that is written out; None when it is no list."""
        if len(tokens) < 2 or tokens[0].text not in {"[", "array"} or tokens[0].kind == "text":
            return None
        inside = tokens[1:-1] if tokens[0].text == "[" else tokens[2:-1]
        return [self.constant(part) for part in split(inside)]

    def assign(self, index: int) -> None:
        """Keep the value that is assigned at this place."""
        target = self.tokens[index - 1]
        if target.kind != "name" or not self.budget.reads(4):
            return
        if target.text.startswith("@"):
            self._assign_list(target.text, index)
            return
        end = self._until(index, _NEAR, frozenset({";", "\n", ",", ")"}))
        value = self.constant(self.tokens[index + 1 : end])
        if value is not None and HOLE not in value and not self._cut(end, index, _NEAR):
            self.values[target.text] = value
        else:
            self.values.pop(target.text, None)

    def _assign_list(self, name: str, index: int) -> None:
        """The texts of a list are the words of a command."""
        end = self._until(index, FARTHEST, frozenset({";", "\n"}))
        if not self.budget.reads(2 * (end - index)):
            return
        items = [one for one in self.tokens[index + 1 : end] if one.text not in {"(", ")"}]
        self.values[name] = " ".join(quoted(self.constant(part)) for part in split(items))

    def _cut(self, end: int, index: int, most: int) -> bool:
        """True when what ends here goes on behind the last token that is looked at."""
        return end >= index + most and end < len(self.tokens)

    def _until(self, index: int, most: int, stops: frozenset[str]) -> int:
        end = index + 1
        while end < min(len(self.tokens), index + most) and self.tokens[end].text not in stops:
            end += 1
        return end
