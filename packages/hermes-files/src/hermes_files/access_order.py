"""Orders calls that read and change files, so that calls for different files run at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Footprint:
    """The files that a call uses: none, some paths, or possibly any."""

    exclusive: bool = False
    changes: bool = False
    paths: tuple[tuple[str, ...], ...] = ()  # the paths, as their parts from the root


@dataclass(frozen=True, slots=True)
class Order:
    """The dependencies between calls: first the calls, then joins, which are done when all their members are."""

    calls: int
    awaited: tuple[frozenset[int], ...]

    def before(self, index: int) -> frozenset[int]:
        """Return the earlier calls that a call waits for, directly or through joins."""
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
    """Calls that later calls wait for together. Waiting calls share a join, so that each call is listed once."""

    __slots__ = ("_fresh", "_joined")

    def __init__(self) -> None:
        self._fresh: list[int] = []
        self._joined: list[int] = []  # one call or one join, or nothing yet

    def add(self, index: int) -> None:
        self._fresh.append(index)

    def join(self, joins: list[frozenset[int]]) -> list[int]:
        """Return what to wait for: nothing, one call, or the join of all."""
        if self._fresh:
            members = self._fresh + self._joined
            self._fresh, self._joined = [], members
            if len(members) > 1:
                joins.append(frozenset(members))
                self._joined = [-len(joins)]  # joins are numbered from the end until the number of calls is known
        return self._joined


@dataclass(slots=True)
class _Node:
    """A directory or file: the calls that read it, that changed it, and that did so below it."""

    readers: _Group = field(default_factory=_Group)
    writers: _Group = field(default_factory=_Group)
    read_below: _Group = field(default_factory=_Group)
    written_below: _Group = field(default_factory=_Group)
    children: dict[str, _Node] = field(default_factory=dict)


def waits(footprints: Iterable[Footprint]) -> Order:
    """Return the order that a batch needs; other calls may run at the same time."""
    root, since = _Node(), _Group()
    barrier: set[int] = set()
    joins: list[frozenset[int]] = []
    calls: list[set[int]] = []
    for index, touched in enumerate(footprints):
        behind = set(barrier)
        if touched.exclusive:
            behind.update(since.join(joins))
            barrier, since, root = {index}, _Group(), _Node()
        else:
            for path in touched.paths:
                for group in _conflicts(root, path, changes=touched.changes):
                    behind.update(group.join(joins))
            for path in touched.paths:
                _record(root, path, index, changes=touched.changes)
            since.add(index)
        calls.append(behind)
    count = len(calls)
    nodes = [frozenset(node if node >= 0 else count - 1 - node for node in behind) for behind in (*calls, *joins)]
    return Order(count, tuple(nodes))


def _conflicts(root: _Node, path: tuple[str, ...], *, changes: bool) -> Iterator[_Group]:
    """Yield the calls that conflict with a path, because they used it or a path above or below it."""
    node: _Node | None = root
    for part in (*path, None):
        if node is None:
            return
        yield node.writers
        if changes:
            yield node.readers
        if part is None:
            yield node.written_below
            if changes:
                yield node.read_below
        else:
            node = node.children.get(part)


def _record(root: _Node, path: tuple[str, ...], index: int, *, changes: bool) -> None:
    """Record a call for later ones. A write replaces earlier calls, because it waited for them."""
    node = root
    for part in path:
        (node.written_below if changes else node.read_below).add(index)
        node = node.children.setdefault(part, _Node())
    if changes:
        node.readers, node.writers, node.read_below, node.written_below = _Group(), _Group(), _Group(), _Group()
        node.children.clear()
    (node.writers if changes else node.readers).add(index)
