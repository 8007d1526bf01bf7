"""Regular expressions that always take linear time: parsed by Python, searched without ever going back.

Python's own engine tries one way after the other, and a text made for the purpose keeps even `push.*main` busy for
hours. This one follows all ways at once, and remembers where each character led.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from hermes_core.approval.policy.mistake import Mistake

MAX_PATTERN = 1000
MAX_TEXT = 1_000_000
"""Longer texts are not searched: a rule in doubt takes the stricter side."""

_MAX_STEPS = 1000
"""Counted repeats are written out, and each step may cost something at each character."""

_MAX_REMEMBERED = 20_000
"""So many transitions are kept before all are forgotten: memory stays bounded whatever the text."""

_REFUSED = {
    "GROUPREF": "refers back to a group",
    "GROUPREF_EXISTS": "asks whether a group matched",
    "ASSERT": "looks ahead or behind",
    "ASSERT_NOT": "looks ahead or behind",
    "FAILURE": "looks ahead or behind",
    "ATOMIC_GROUP": "has an atomic group",
    "POSSESSIVE_REPEAT": "has a possessive repeat",
}
_EXAMPLE = r'{regex: "^git push\\b.*\\b(main|master)$"}'
_TOO_LARGE = "is too large: its counted repeats multiply."
_LAST_NEWLINE = "\n\n"
"""Stands for a line break at the very end, before which `$` holds; no single character can be taken for it."""

_START = (True, False, False, False)
"""What is known of the character before: there is none, line break, word character, ASCII word character."""

_CHAR, _SPLIT, _AT, _END = range(4)


def compile_regex(pattern: str) -> Callable[[str], bool]:
    """A function that searches a text for a pattern: anywhere, unless `^` and `$` tie it to the ends.

    The syntax is Python's, without what linear time cannot have: references back, looking around, atomic groups.

    Raises:
        Mistake: the pattern is none, is too large, or needs one of those.
    """
    from re import _parser  # type: ignore[attr-defined]

    if len(pattern) > MAX_PATTERN:
        raise Mistake(f"is longer than {MAX_PATTERN} characters.", example=_EXAMPLE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a doubtful pattern may mean something else in the next Python
            tree = _parser.parse(pattern)
        return _Search(_Program(tree)).search
    except (re.error, RecursionError, OverflowError, Warning) as error:
        raise Mistake(f"is not a regular expression: {error}.", example=_EXAMPLE) from None


class _Program:
    """A pattern as steps: take a character, go two ways, look at the place, or be done."""

    def __init__(self, tree: Any) -> None:
        self.steps: list[tuple[int, Any, int]] = []
        self.looks_around = False
        self._copies = 0
        self._atoms: dict[tuple[str, int], Callable[[str], object]] = {}
        self._sequence(tree, tree.state.flags)
        self._add(_END)

    def _add(self, kind: int, what: Any = None) -> int:
        if len(self.steps) >= _MAX_STEPS:
            raise Mistake(_TOO_LARGE, example=_EXAMPLE)
        self.steps.append((kind, what, len(self.steps) + 1))
        return len(self.steps) - 1

    def _sequence(self, parts: Iterable[tuple[Any, Any]], flags: int) -> None:
        self._copies += 1
        if self._copies > _MAX_STEPS:  # a group of nothing adds no steps, however often it is repeated
            raise Mistake(_TOO_LARGE, example=_EXAMPLE)
        for code, what in parts:
            name = str(code)
            if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
                self._add(_CHAR, self._atom(code, what, flags))
            elif name == "AT":
                self.looks_around = True
                self._add(_AT, _condition(str(what), flags))
            elif name == "SUBPATTERN":
                _group, added, removed, inner = what
                self._sequence(inner, (flags | added) & ~removed)
            elif name == "BRANCH":
                self._branch(what[1], flags)
            elif name in ("MAX_REPEAT", "MIN_REPEAT"):
                least, most, inner = what
                self._repeat(least, most, inner, flags)
            else:
                raise Mistake(f"{_REFUSED.get(name, name)}, which takes more than linear time.", example=_EXAMPLE)

    def _branch(self, branches: list[Any], flags: int) -> None:
        ends = []
        for branch in branches[:-1]:
            split = self._add(_SPLIT)
            self._sequence(branch, flags)
            ends.append(self._add(_SPLIT))
            self._lead(split, len(self.steps))
        self._sequence(branches[-1], flags)
        for end in ends:
            self.steps[end] = (_SPLIT, None, len(self.steps))

    def _repeat(self, least: int, most: int, inner: Any, flags: int) -> None:
        for _ in range(least):
            self._sequence(inner, flags)
        if str(most) == "MAXREPEAT":
            loop = self._add(_SPLIT)
            self._sequence(inner, flags)
            again = self._add(_SPLIT)
            self.steps[again] = (_SPLIT, None, loop)
            self._lead(loop, len(self.steps))
            return
        skips = []
        for _ in range(most - least):
            skips.append(self._add(_SPLIT))
            self._sequence(inner, flags)
        for skip in skips:
            self._lead(skip, len(self.steps))

    def _lead(self, split: int, other: int) -> None:
        self.steps[split] = (_SPLIT, other, split + 1)

    def _atom(self, code: Any, what: Any, flags: int) -> Callable[[str], object]:
        """One character's test, by Python's own engine, so that cases, classes and categories mean the same."""
        from re import _compiler, _parser  # type: ignore[attr-defined]

        key = (repr((code, what)), flags)
        if key not in self._atoms:
            state = _parser.State()
            state.flags = flags
            self._atoms[key] = _compiler.compile(_parser.SubPattern(state, [(code, what)])).match
        return self._atoms[key]


def _condition(name: str, flags: int) -> Callable[[tuple[bool, ...], str], bool]:
    """What `^`, `$`, `\\b` and their kin ask, of what is known of the character before and of the one that follows."""
    ascii_only = bool(flags & re.ASCII)

    def at_boundary(before: tuple[bool, ...], after: str) -> bool:
        return before[3 if ascii_only else 2] != _known(after)[3 if ascii_only else 2]

    if name == "AT_BEGINNING" and flags & re.MULTILINE:
        return lambda before, _after: before[0] or before[1]
    if name == "AT_END" and flags & re.MULTILINE:
        return lambda _before, after: after in ("", "\n", _LAST_NEWLINE)
    return {
        "AT_BEGINNING": lambda before, _after: before[0],
        "AT_BEGINNING_STRING": lambda before, _after: before[0],
        "AT_END": lambda _before, after: after in ("", _LAST_NEWLINE),
        "AT_END_STRING": lambda _before, after: not after,
        "AT_BOUNDARY": at_boundary,
        "AT_NON_BOUNDARY": lambda before, after: not at_boundary(before, after),
    }[name]


def _known(char: str) -> tuple[bool, ...]:
    word = char.isalnum() or char == "_"
    return (False, char in ("\n", _LAST_NEWLINE), word, word and char.isascii())


class _State(dict[str, "_State"]):
    """A set of steps that the search may be at, with the state that each character leads to."""

    __slots__ = ("before", "steps")

    def __init__(self, steps: frozenset[int], before: tuple[bool, ...]) -> None:
        super().__init__()
        self.steps = steps
        self.before = before


_HIT = _State(frozenset(), _START)


class _Search:
    """Follows every way through a program at once."""

    def __init__(self, program: _Program) -> None:
        self._program = program.steps
        self._looks_around = program.looks_around
        self._forget()

    def _forget(self) -> None:
        self._states: dict[tuple[frozenset[int], tuple[bool, ...]], _State] = {}
        self._remembered = 0
        self._start = self._state(frozenset(), _START)

    def search(self, text: str) -> bool:
        state = self._start
        for char in _characters(text):
            following = state.get(char)
            if following is None:
                following = self._follow(state, char)
            if following is _HIT:
                return True
            state = following
        at_end = state.get("")
        return (self._follow(state, "") if at_end is None else at_end) is _HIT

    def _state(self, steps: frozenset[int], before: tuple[bool, ...]) -> _State:
        key = (steps, before)
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = _State(steps, before)
        return found

    def _follow(self, state: _State, char: str) -> _State:
        """Where a character leads from a state, or `_HIT`; the empty one stands for the end of the text."""
        following: set[int] = set()
        seen: set[int] = set()
        open_steps = [0, *state.steps]  # a match may begin at every character
        while open_steps:
            number = open_steps.pop()
            if number in seen:
                continue
            seen.add(number)
            kind, what, then = self._program[number]
            if kind == _END:
                return self._remember(state, char, _HIT)
            if kind == _SPLIT:
                open_steps.append(then)
                if what is not None:
                    open_steps.append(what)
            elif kind == _AT:
                if what(state.before, char):
                    open_steps.append(then)
            elif char and what(char) is not None:
                following.add(then)
        before = _known(char) if self._looks_around else _START
        if self._remembered > _MAX_REMEMBERED:
            self._forget()
        return self._remember(state, char, self._state(frozenset(following), before))

    def _remember(self, state: _State, char: str, following: _State) -> _State:
        self._remembered += 1
        state[char] = following
        return following


def _characters(text: str) -> Iterator[str] | str:
    if not text.endswith("\n"):
        return text
    return iter((*text[:-1], _LAST_NEWLINE))
