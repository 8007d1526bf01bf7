"""Finds the rules that match a path without trying every pattern of the table."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from hermes_guard.paths.rule import PathRule

_WILD = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class View:
    """One way to name a file, folded for comparison.

    Attributes:
        path: The canonical path as found; relative only when nobody knows from where.
        full: The same without case.
        below_home: As `~/...` when it lies, or may lie, in somebody's home; else empty.
    """

    path: str
    full: str
    below_home: str


@dataclass(frozen=True, slots=True)
class _Entry:
    rule: PathRule
    order: int
    pattern: str

    def hits(self, view: View) -> bool:
        return _fits(self.pattern, view) and not any(_fits(pattern, view) for pattern in self.rule.unless)


class PatternIndex:
    """The patterns of one operation, found by names that must occur in the path.

    Those from the root or a home are kept under their first two names, or the first when the second is open; those
    for anywhere under their longest certain name, or else under the extension.
    """

    def __init__(self, rules: Iterable[PathRule]) -> None:
        self._by_start: dict[str, list[_Entry]] = {}
        self._by_name: dict[str, list[_Entry]] = {}
        self._by_extension: dict[str, list[_Entry]] = {}
        self._by_shape: list[tuple[str, _Entry]] = []
        for order, rule in enumerate(rules):
            for text in rule.patterns:
                self._add(text, _Entry(rule, order, text))
        # One regex over the last name says whether any of the patterns without a certain name is worth trying.
        shapes = "|".join(shape for shape, _ in self._by_shape)
        self._shape = re.compile(shapes or r"(?!)", re.DOTALL)

    def _add(self, text: str, entry: _Entry) -> None:
        text = text.casefold()
        if not text.startswith("**/"):
            start = _start(text.removesuffix("/**").split("/"))
            self._by_start.setdefault(start, []).append(entry)
            return
        names = [name for name in text.split("/") if name not in ("", "**")]
        certain = [name for name in names if _WILD.isdisjoint(name)]
        if certain:
            self._by_name.setdefault(max(certain, key=len), []).append(entry)
            return
        last = names[-1] if names and not text.endswith("/**") else ""
        extension = last.rpartition(".")[2]
        if last.startswith("*.") and extension and _WILD.isdisjoint(extension):
            self._by_extension.setdefault(extension, []).append(entry)
        else:
            self._by_shape.append((_name_regex(last) if last else ".*", entry))

    def rules(self, view: View) -> list[PathRule]:
        """The rules that match, each once, in the order of the table."""
        hits = {entry.order: entry.rule for entry in self._candidates(view) if entry.hits(view)}
        return [hits[order] for order in sorted(hits)] if hits else []

    def _candidates(self, view: View) -> Iterator[_Entry]:
        names = view.full.split("/")
        by_start, by_name = self._by_start, self._by_name
        for start in _starts(view.full, names), _starts(view.below_home, view.below_home.split("/")):
            for key in start:
                if key in by_start:
                    yield from by_start[key]
        for name in set(names):
            if name in by_name:
                yield from by_name[name]
        last = names[-1]
        extension = last.rpartition(".")[2]
        if extension in self._by_extension:
            yield from self._by_extension[extension]
        if self._shape.fullmatch(last):
            for _, entry in self._by_shape:
                yield entry


def _start(names: list[str]) -> str:
    """The certain beginning of a pattern from the root or a home: at most two names."""
    certain = [names[0]]
    for name in names[1:3]:
        if not _WILD.isdisjoint(name):
            break
        certain.append(name)
    return "/".join(certain)


def _starts(path: str, names: list[str]) -> tuple[str, ...]:
    """Every beginning under which a pattern for this path may be kept."""
    if not path or names[0] not in ("", "~"):
        return ()
    return tuple(dict.fromkeys("/".join(names[:count]) for count in (1, 2, 3)))


@cache  # compiled when first needed: all of them together take a good part of a second
def compile_pattern(text: str) -> re.Pattern[str]:
    """A regex for a whole folded path; see `PathRule` for the language."""
    text = text.casefold()
    below = text.endswith("/**")
    runs = [run.strip("/") for run in f"/{text.removesuffix('/**')}/".split("/**/")]
    out = ["/" if text.startswith("/") else ""]
    for position, run in enumerate(runs):
        names = "/".join(_name_regex(name) for name in run.split("/"))
        if position == len(runs) - 1:
            out.append(("(?:.*/)?" if position else "") + names)
        elif position:
            # Anything may follow, so the first place where it fits is as good as any: no need to try the others.
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
            out.append(f"[{re.escape(name[position + 1 : closing]).replace(chr(92) + '-', '-')}]")
            position = closing
        else:
            out.append(re.escape(char))
        position += 1
    return "".join(out)


def _fits(pattern: str, view: View) -> bool:
    subject = view.below_home if pattern[0] == "~" else view.full
    return bool(subject) and compile_pattern(pattern).fullmatch(subject) is not None
