"""Which calls of a batch must wait for which: reads run side by side, writes to overlapping paths in order."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hermes_core.tools.spec import ToolSpec

_EXCLUSIVE = frozenset({"exec", "privileged", "spend", "message"})
"""Effects that reach further than any path can tell: such a call runs alone."""

_CHANGING = frozenset({"write", "delete"})
_PATH_WORDS = frozenset({"path", "paths", "file", "files", "filename", "dir", "directory", "folder"})
_PATH_FORMATS = frozenset({"path", "file-path", "directory-path", "uri-reference"})
_ROOT: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a call touches: nothing, some paths, or possibly anything."""

    exclusive: bool = False
    changes: bool = False
    paths: tuple[tuple[str, ...], ...] = ()


def footprint(spec: ToolSpec | None, args: object) -> Footprint:
    """Read from a tool's effects and a call's arguments what the call would touch."""
    if spec is None:
        return Footprint()
    if spec.effects & _EXCLUSIVE:
        return Footprint(exclusive=True)
    paths = tuple(_paths(spec, args)) if isinstance(args, Mapping) else ()
    if spec.effects & _CHANGING:
        return Footprint(changes=True, paths=paths or (_ROOT,))
    if "read" in spec.effects:
        return Footprint(paths=paths or (_ROOT,))
    if spec.effects:
        return Footprint()
    return Footprint(changes=bool(paths), paths=paths)  # nothing declared: where it names a path, expect the worst


def _paths(spec: ToolSpec, args: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    properties = spec.parameters.get("properties", {})
    for name, value in args.items():
        target = spec.argument_aliases.get(name, name)
        schema = properties.get(target)
        named = _PATH_WORDS.intersection(str(target).lower().replace("-", "_").split("_"))
        if not named and not (isinstance(schema, Mapping) and schema.get("format") in _PATH_FORMATS):
            continue
        for item in value if isinstance(value, list | tuple) else (value,):
            if isinstance(item, str | os.PathLike):
                yield _parts(os.fspath(item))


def _parts(path: str | bytes) -> tuple[str, ...]:
    """A path as its parts from the root, links left alone: the same file by two spellings is one path."""
    try:
        text = os.fsdecode(path)
        absolute = os.path.normpath(os.path.join(os.getcwd(), os.path.expanduser(text)))
    except (OSError, ValueError):  # no such path can be: whatever the tool makes of it, it may be anywhere
        return _ROOT
    return tuple(part for part in absolute.split(os.sep) if part)


@dataclass(frozen=True, slots=True)
class Order:
    """Who waits for whom. The first nodes are the calls; those after them are joins, done when all they await is."""

    calls: int
    awaited: tuple[frozenset[int], ...]

    def before(self, index: int) -> frozenset[int]:
        """The earlier calls that a call waits for, through however many joins."""
        found: set[int] = set()
        waiting = list(self.awaited[index])
        while waiting:
            node = waiting.pop()
            if node >= self.calls:
                waiting.extend(self.awaited[node])
            else:
                found.add(node)
        return frozenset(found)


class _Group:
    """Calls that later ones wait for together. Each is counted once, in a join that the next waiters share."""

    __slots__ = ("_fresh", "_joined")

    def __init__(self) -> None:
        self._fresh: list[int] = []
        self._joined: int | None = None

    def add(self, index: int) -> None:
        self._fresh.append(index)

    def node(self, joins: list[frozenset[int]]) -> set[int]:
        """What to wait for: nothing, one call, or the join of all."""
        if self._fresh:
            members = self._fresh if self._joined is None else [*self._fresh, self._joined]
            self._fresh = []
            if len(members) == 1:
                self._joined = members[0]
            else:
                joins.append(frozenset(members))
                self._joined = -len(joins)  # joins are numbered from the end until the number of calls is known
        return set() if self._joined is None else {self._joined}


@dataclass(slots=True)
class _Place:
    """One folder or file on the way: who read it, who changed it, and who did so further down."""

    readers: _Group = field(default_factory=_Group)
    writers: _Group = field(default_factory=_Group)
    read_below: _Group = field(default_factory=_Group)
    written_below: _Group = field(default_factory=_Group)
    children: dict[str, _Place] = field(default_factory=dict)


def waits(footprints: Iterable[Footprint]) -> Order:
    """The order that a batch must keep; everything else may happen at once."""
    root, since = _Place(), _Group()
    barrier: int | None = None
    joins: list[frozenset[int]] = []
    calls: list[set[int]] = []
    for index, touched in enumerate(footprints):
        behind = set() if barrier is None else {barrier}
        if touched.exclusive:
            behind |= since.node(joins)
            barrier, since, root = index, _Group(), _Place()
        else:
            for path in touched.paths:
                behind |= _in_the_way(root, path, joins, changes=touched.changes)
            for path in touched.paths:
                _leave_note(root, path, index, changes=touched.changes)
            since.add(index)
        calls.append(behind)
    count = len(calls)
    nodes = [frozenset(node if node >= 0 else count - 1 - node for node in behind) for behind in (*calls, *joins)]
    return Order(count, tuple(nodes))


def _in_the_way(root: _Place, path: tuple[str, ...], joins: list[frozenset[int]], *, changes: bool) -> set[int]:
    """Who touched a path, something above it or something below it, in a way that matters."""
    behind: set[int] = set()
    place: _Place | None = root
    for part in path:
        assert place is not None
        behind |= place.writers.node(joins)
        if changes:
            behind |= place.readers.node(joins)
        place = place.children.get(part)
        if place is None:
            return behind
    assert place is not None
    behind |= place.writers.node(joins) | place.written_below.node(joins)
    if changes:
        behind |= place.readers.node(joins) | place.read_below.node(joins)
    return behind


def _leave_note(root: _Place, path: tuple[str, ...], index: int, *, changes: bool) -> None:
    """Let those who come later know. After a write nobody needs to know who came before it: it waited for them."""
    place = root
    for part in path:
        (place.written_below if changes else place.read_below).add(index)
        place = place.children.setdefault(part, _Place())
    if changes:
        place.readers, place.writers, place.read_below, place.written_below = _Group(), _Group(), _Group(), _Group()
        place.children.clear()
        place.writers.add(index)
    else:
        place.readers.add(index)
