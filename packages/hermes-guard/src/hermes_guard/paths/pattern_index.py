"""Finds the rules that match a path without trying every pattern."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from hermes_guard.paths.rule import PathRule

_WILD = re.compile(r"[*?\[]")
# A longer key does not make the index more selective; the limit bounds the search in a long path.
_LONGEST_KEY = 40


@dataclass(frozen=True, slots=True)
class View:
    """One form of a path, folded for comparison.

    Attributes:
        path: The canonical path as found; relative only when the directory is unknown.
        full: The same, case-folded.
        below_home: The path as `~/...` when it is, or may be, in a user's home; otherwise empty.
        twin: The Linux equivalent of a location that other systems and sandboxes use in the home, as `~/...`; otherwise
        empty.
    """

    path: str
    full: str
    below_home: str
    twin: str = ""


class _Entry(NamedTuple):
    rule: PathRule
    order: int
    pattern: str

    def hits(self, view: View) -> bool:
        return _fits(self.pattern, view) and not any(_fits(other, view) for other in self.rule.unless)


class _Ends:
    """Entries by the literal text at one end of a path or name, for texts of any length."""

    def __init__(self, *, last: bool = False) -> None:
        self._entries: dict[str, list[_Entry]] = {}
        self._last = last

    def add(self, text: str, entry: _Entry) -> None:
        key = text[-_LONGEST_KEY:] if self._last else text[:_LONGEST_KEY]
        self._entries.setdefault(key, []).append(entry)

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(known) for known in self._entries})

    def find(self, text: str) -> Iterator[_Entry]:
        entries = self._entries
        size = len(text)
        for length in self._lengths:
            if length > size:
                return
            found = entries.get(text[size - length :] if self._last else text[:length])
            if found:
                yield from found


class PatternIndex:
    """The patterns of one operation, indexed by text that must occur in the path.

    Patterns with names after a `**` are indexed by the longest literal name, or else by the literal end or beginning of
    the last one; others by their beginning.
    """

    def __init__(self, rules: Iterable[PathRule]) -> None:
        self._starts = _Ends()
        self._names: dict[str, list[_Entry]] = {}
        self._last_ends = _Ends(last=True)
        self._last_begins = _Ends()
        self._others: list[_Entry] = []
        for order, rule in enumerate(rules):
            for text in rule.patterns:
                self._add(text.casefold(), rule, order)

    def _add(self, text: str, rule: PathRule, order: int) -> None:
        entry = _Entry(rule, order, text)
        whole = text.removesuffix("/**")
        if _WILD.search(whole) is None:  # most of them
            self._starts.add(whole, entry)
            return
        below = whole != text
        # After `**` the names match at any depth, and are more selective than a common prefix.
        rest = text.removeprefix("**") if text.startswith("**/") else text.rpartition("/**/")[2]
        names = [name for name in rest.split("/") if name not in ("", "**")]
        certain = [name for name in names if _WILD.search(name) is None]
        parts = _WILD.split("" if below or not names else names[-1])
        if rest != text and certain:
            self._names.setdefault(max(certain, key=len), []).append(entry)
        elif rest != text and parts[-1] and "]" not in parts[-1]:
            self._last_ends.add(parts[-1], entry)
        elif rest != text and parts[0]:
            self._last_begins.add(parts[0], entry)
        elif text.startswith("**/"):
            self._others.append(entry)
        else:
            self._starts.add(_WILD.split(whole)[0], entry)

    def rules(self, view: View) -> list[PathRule]:
        """Return the rules that match, each once, in their declared order."""
        hits = {entry.order: entry.rule for entry in self._candidates(view) if entry.hits(view)}
        return [hits[order] for order in sorted(hits)] if hits else []

    def _candidates(self, view: View) -> Iterator[_Entry]:
        for path in (view.full, view.below_home, view.twin):
            if path:
                yield from self._starts.find(path)
        names = view.full.split("/")
        for name in self._names.keys() & set(names):
            yield from self._names[name]
        yield from self._last_ends.find(names[-1])
        yield from self._last_begins.find(names[-1])
        yield from self._others


@cache  # compiled on first use: compiling all of them takes a good part of a second
def compile_pattern(text: str) -> re.Pattern[str]:
    """Return a regex for a whole folded path; see `PathRule` for the pattern syntax."""
    text = text.casefold()
    below = text.endswith("/**")
    runs = [run.strip("/") for run in f"/{text.removesuffix('/**')}/".split("/**/")]
    out = ["/" if text.startswith("/") else ""]
    for position, run in enumerate(runs):
        names = "/".join(_name_regex(name) for name in run.split("/"))
        if position == len(runs) - 1:
            out.append(("(?:.*/)?" if position else "") + names)
        elif position:
            # Anything may follow, so the first match is enough and no backtracking is needed.
            out.append(f"(?>(?:.*?/)??{names}/)")
        elif run:
            out.append(f"{names}/")
    return re.compile("".join(out) + ("(?:/.*)?" if below else ""), re.DOTALL)


def _name_regex(name: str) -> str:
    out: list[str] = []
    position = 0
    while position < len(name):
        char = name[position]
        closing = name.find("]", position + 2) if char == "[" else -1
        if char == "*":
            out.append("[^/]*")
        elif char == "?":
            out.append("[^/]")
        elif closing > 0:
            letters = name[position + 1 : closing]
            negated = len(letters) > 1 and letters[0] == "!"
            out.append("[^/" if negated else "[")
            out.append(re.escape(letters[negated:]).replace(chr(92) + "-", "-") + "]")
            position = closing
        else:
            out.append(re.escape(char))
        position += 1
    return "".join(out)


@cache
def _certain_end(pattern: str) -> str:
    """Return the literal suffix of every path that matches a pattern; a relative path has no leading `/`."""
    tail = "" if pattern.endswith("/**") else _WILD.split(pattern.casefold())[-1].removeprefix("/")
    return "" if "]" in tail else tail


def _fits(pattern: str, view: View) -> bool:
    subjects = (view.below_home, view.twin) if pattern[0] == "~" else (view.full,)
    tail = _certain_end(pattern)
    for subject in subjects:
        # The literal suffix is checked first: most paths need no regex at all.
        if subject and subject.endswith(tail) and compile_pattern(pattern).fullmatch(subject):
            return True
    return False
