"""Parse patterns into a tree: the subset of regular expressions that ripgrep, Python and grep share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ClassName = Literal["d", "w", "s"]

LAST = 0x10FFFF
"""The last code point."""


class PatternError(Exception):
    """Raised for a pattern that cannot be searched for."""

    def __init__(self, reason: str, position: int, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Text:
    """A single character, by its code point; `fold` ignores case."""

    code: int
    fold: bool


@dataclass(frozen=True, slots=True)
class Dot:
    """Any character except a line feed."""


@dataclass(frozen=True, slots=True)
class Edge:
    """An anchor or word boundary.

    Attributes:
        kind: `^` and `$` are the ends of the line, `b` is a word boundary, `B` is none.
    """

    kind: Literal["^", "$", "b", "B"]


@dataclass(frozen=True, slots=True)
class Chars:
    """A character class.

    Attributes:
        ranges: First and last characters.
        names: Named classes, each with whether it is negated.
        negated: Whether it matches all other characters.
        fold: Whether to ignore case.
    """

    ranges: tuple[tuple[int, int], ...]
    names: tuple[tuple[ClassName, bool], ...]
    negated: bool
    fold: bool


@dataclass(frozen=True, slots=True)
class Repeat:
    """A repetition; `most` is None without a limit."""

    node: Node
    least: int
    most: int | None
    lazy: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    """A concatenation."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives; the first match counts."""

    nodes: tuple[Node, ...]


Node = Text | Dot | Edge | Chars | Repeat | Sequence | Choice


MAX_REPEATS = 1000
"""ripgrep refuses larger programs at some size; larger numbers would need many megabytes."""

LONGEST = 5_000
"""How many characters a pattern may have: its translations are arguments of programs, whose length is limited."""

_DEEPEST = 50
_CONTROLS = {"t": 9, "r": 13, "f": 12, "v": 11, "a": 7}
_POSIX = {
    "alnum": ("09", "AZ", "az"), "alpha": ("AZ", "az"), "ascii": ("\0\x7f",), "blank": ("\t\t", "  "),
    "cntrl": ("\0\x1f", "\x7f\x7f"), "digit": ("09",), "graph": ("!~",), "lower": ("az",), "print": (" ~",),
    "punct": ("!/", ":@", "[`", "{~"), "space": ("\t\r", "  "), "upper": ("AZ",), "word": ("09", "AZ", "az", "__"),
    "xdigit": ("09", "AF", "af"),
}  # fmt: skip
_LINES = "The search is line by line; search for one of the lines, and ask for context."
_LITERALLY = "To search for the text itself, set literal=true."
_REFUSED = {
    "A": "Use ^ for the beginning of a line.",
    "z": "Use $ for the end of a line.",
    "Z": "Use $ for the end of a line.",
    "<": "Use \\b for a word boundary.",
    ">": "Use \\b for a word boundary.",
    "p": "Use \\w or a range such as [а-я]; not every engine supports Unicode properties.",
    "P": "Use \\w or a range such as [а-я]; not every engine supports Unicode properties.",
    "n": _LINES,
    "Q": _LITERALLY,
}


def read_pattern(text: str, *, ignore_case: bool = False) -> Node:
    """Parse a regular expression.

    Supported are characters, `.`, classes (`[a-z]`, `[^x]`, `[[:alpha:]]`), `\\d \\w \\s \\D \\W \\S`, `^ $ \\b \\B`,
    groups including named ones and `(?i)`, `|`, `* + ? {n} {n,} {n,m}` and their lazy forms. Not supported is what
    some engine lacks: lookaround, backreferences, Unicode properties, and anything that spans lines.

    Raises:
        PatternError: it is invalid or unsupported.
    """
    _check(text)
    reader = _Reader(text, fold=ignore_case)
    node = reader.choice(0)
    if reader.at < len(text):
        raise PatternError(
            "There is a closing parenthesis without an opening one", reader.at, f"Write \\). {_LITERALLY}"
        )
    return node


def read_literal(text: str, *, ignore_case: bool = False) -> Node:
    """Parse a literal text. Raise `PatternError` if no line can contain it."""
    _check(text)
    if "\n" in text:
        raise PatternError("It spans lines", text.index("\n"), _LINES)
    return Sequence(tuple(Text(ord(character), ignore_case) for character in text))


def _check(text: str) -> None:
    if len(text) > LONGEST:
        raise PatternError(f"It is longer than {LONGEST} characters", LONGEST, "Search for a part of it.")
    for position, character in enumerate(text):
        if "\ud800" <= character <= "\udfff":
            raise PatternError("It contains a lone surrogate", position, "Remove it, or use . instead.")


class _Reader:
    """Parses from left to right, without backtracking."""

    def __init__(self, text: str, *, fold: bool) -> None:
        self.text = text
        self.at = 0
        self.fold = fold

    def choice(self, depth: int) -> Node:
        """Parse up to the end or to a closing parenthesis."""
        if depth > _DEEPEST:
            raise PatternError(f"Groups are nested more than {_DEEPEST} deep", self.at)
        branches = [self._sequence(depth)]
        while self._take("|"):
            branches.append(self._sequence(depth))
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def _sequence(self, depth: int) -> Node:
        found: list[Node] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            start = self.at
            node = self._atom(depth)
            if node is None:
                continue  # flags for the rest
            found.append(self._repeated(node, start))
        return found[0] if len(found) == 1 else Sequence(tuple(found))

    def _atom(self, depth: int) -> Node | None:
        character = self.text[self.at]
        self.at += 1
        if character == "(":
            return self._group(depth, self.at - 1)
        if character == "[":
            return self._set(self.at - 1)
        if character == ".":
            return Dot()
        if character in "^$":
            return Edge("^") if character == "^" else Edge("$")
        if character in "*+?":
            raise PatternError(f"There is nothing before {character} to repeat", self.at - 1, f"Write \\{character}.")
        if character == "\\":
            return self._escape(self.at - 1)
        if character == "\n":
            raise PatternError("It spans lines", self.at - 1, _LINES)
        return Text(ord(character), self.fold)

    def _group(self, depth: int, start: int) -> Node | None:
        outer = self.fold
        if self._take("?") and not self._kind(start):
            return None
        node = self.choice(depth + 1)
        if not self._take(")"):
            raise PatternError("The group is not closed", start, f"Write \\( for the character. {_LITERALLY}")
        self.fold = outer
        return node if isinstance(node, (Choice, Sequence)) else Sequence((node,))

    def _kind(self, start: int) -> bool:
        """Parse the kind of a group; return False for flags that apply to the rest."""
        if self._take(":"):
            return True
        if self._take("P<"):
            end = self.text.find(">", self.at)
            if end < 0 or not self.text[self.at : end].isidentifier() or not self.text[self.at : end].isascii():
                raise PatternError("The group name is invalid", start)
            self.at = end + 1
            return True
        for flags, fold in (("i", True), ("-i", False)):
            for closing in (":", ")"):
                if self._take(flags + closing):
                    self.fold = fold
                    return closing == ":"
        raise PatternError(
            "This kind of group is not supported by every engine", start, "Use (?:...), (?P<name>...) or (?i)."
        )

    def _repeated(self, node: Node, start: int) -> Node:
        bounds = self._bounds()
        if bounds is None:
            return node
        least, most = bounds
        if isinstance(node, Edge):
            raise PatternError("An anchor or word boundary cannot be repeated", start)
        if most is not None and most < least:
            raise PatternError(f"{least} is more than {most}", start)
        if max(least, most or 0) > MAX_REPEATS:
            raise PatternError(f"It is repeated more than {MAX_REPEATS} times", start, "Use * or +.")
        lazy = self._take("?")
        if self.at < len(self.text) and self.text[self.at] in "*+?":
            raise PatternError("A repetition is repeated", self.at, "Put the inner one into (?:...).")
        return Repeat(node, least, most, lazy)

    def _bounds(self) -> tuple[int, int | None] | None:
        for sign, least, most in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self._take(sign):
                return least, most
        if not self.text.startswith("{", self.at):
            return None
        end = self.text.find("}", self.at, self.at + 20)
        first, comma, last = self.text[self.at + 1 : max(end, self.at)].partition(",")
        known = first.isascii() and last.isascii() and (first or "0").isdigit() and (last or "0").isdigit()
        if end < 0 or not known or not (first or last):
            return None  # an ordinary brace: code contains many of them
        self.at = end + 1
        return int(first or 0), int(last) if last else None if comma else int(first)

    def _escape(self, start: int) -> Node:
        if self.at >= len(self.text):
            raise PatternError("There is a backslash at the end", start, "Write \\\\.")
        character = self.text[self.at]
        if character in "bB":
            self.at += 1
            return Edge("b") if character == "b" else Edge("B")
        if (name := self._class()) is not None:
            return Chars((), (name,), False, self.fold)
        return Text(self._character(start), self.fold)

    def _class(self) -> tuple[ClassName, bool] | None:
        character = self.text[self.at]
        for name in _CLASSES:
            if character in (name, name.upper()):
                self.at += 1
                return name, character != name
        return None

    def _character(self, start: int) -> int:
        """Return the code point of an escaped character."""
        character = self.text[self.at]
        self.at += 1
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character in "xuU":
            return self._number(start, {"x": 2, "u": 4, "U": 8}[character])
        if character in _REFUSED or (character.isascii() and character.isalnum()):
            hint = _REFUSED.get(character, _LITERALLY)
            kind = "A backreference" if character in "123456789" else f"\\{character}"
            raise PatternError(f"{kind} is not supported by every engine", start, hint)
        return ord(character)

    def _number(self, start: int, digits: int) -> int:
        if self._take("{"):
            end = self.text.find("}", self.at, self.at + 9)
            written, after = self.text[self.at : max(end, self.at)], end + 1
        else:
            written, after = self.text[self.at : self.at + digits], self.at + digits
        digits_only = written.isascii() and written.isalnum()
        try:
            code = int(written, 16) if digits_only else -1
        except ValueError:
            code = -1
        if not 0 <= code <= LAST or 0xD800 <= code <= 0xDFFF:
            raise PatternError("The character code is invalid", start)
        if code == 10:
            raise PatternError("It spans lines", start, _LINES)
        self.at = after
        return code

    def _set(self, start: int) -> Node:
        negated = self._take("^")
        ranges: list[tuple[int, int]] = []
        names: list[tuple[ClassName, bool]] = []
        first = True
        while first or not self._take("]"):
            first = False
            if self.at >= len(self.text):
                raise PatternError("The class is not closed", start, f"Write \\[ for the character. {_LITERALLY}")
            if not self._posix(ranges):
                self._member(ranges, names)
        return Chars(tuple(ranges), tuple(names), negated, self.fold)

    def _posix(self, ranges: list[tuple[int, int]]) -> bool:
        if not self.text.startswith("[:", self.at):
            return False
        end = self.text.find(":]", self.at)
        name = self.text[self.at + 2 : max(end, self.at + 2)]
        if end < 0 or not name.removeprefix("^").isalpha():
            return False
        if name not in _POSIX:
            raise PatternError(f"[:{name}:] is not supported by every engine", self.at, f"Use {', '.join(_POSIX)}.")
        ranges += [(ord(pair[0]), ord(pair[1])) for pair in _POSIX[name]]
        self.at = end + 2
        return True

    def _member(self, ranges: list[tuple[int, int]], names: list[tuple[ClassName, bool]]) -> None:
        start = self.at
        low = self._one_of_set(names)
        is_range = self.text.startswith("-", self.at) and not self.text.startswith("-]", self.at)
        if low is None:
            if is_range:
                raise PatternError("A range cannot begin with a class", start, "Put the - last.")
            return
        high: int | None = low
        if is_range and self.at + 1 < len(self.text):
            self.at += 1
            high = self._one_of_set(names)
            if high is None or high < low:
                raise PatternError("The range ends before it begins, or with a class", start, "Put the - last.")
        assert high is not None
        ranges.append((low, high))

    def _one_of_set(self, names: list[tuple[ClassName, bool]]) -> int | None:
        """Parse one member of a set; return None for a class, which is appended to the names."""
        start = self.at
        character = self.text[self.at]
        self.at += 1
        if character != "\\":
            if character == "\n":
                raise PatternError("It spans lines", start, _LINES)
            return ord(character)
        if self.at >= len(self.text):
            raise PatternError("There is a backslash at the end", start, "Write \\\\.")
        if (name := self._class()) is not None:
            names.append(name)
            return None
        if self.text[self.at] == "b":
            raise PatternError("\\b in a class is not supported by every engine", start)
        return self._character(start)

    def _take(self, text: str) -> bool:
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True


_CLASSES: tuple[ClassName, ...] = ("d", "w", "s")
