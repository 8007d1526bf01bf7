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
    text = os.fsdecode(path)
    absolute = os.path.normpath(os.path.join(os.getcwd(), os.path.expanduser(text)))
    return tuple(part for part in absolute.split(os.sep) if part)


@dataclass(slots=True)
class _Place:
    """One folder or file on the way: who touched it, who changed it, and who did so further down."""

    readers: list[int] = field(default_factory=list)
    writers: list[int] = field(default_factory=list)
    read_below: list[int] = field(default_factory=list)
    written_below: list[int] = field(default_factory=list)
    children: dict[str, _Place] = field(default_factory=dict)


def waits(footprints: Iterable[Footprint]) -> list[frozenset[int]]:
    """For each call, the earlier calls that it must wait for."""
    root = _Place()
    barrier: int | None = None
    since: list[int] = []
    order: list[frozenset[int]] = []
    for index, touched in enumerate(footprints):
        behind: set[int] = set() if barrier is None else {barrier}
        if touched.exclusive:
            behind.update(since)
            barrier, since, root = index, [], _Place()
        else:
            for path in touched.paths:
                behind.update(_pass(root, path, index, changes=touched.changes))
            since.append(index)
        behind.discard(index)
        order.append(frozenset(behind))
    return order


def _pass(root: _Place, path: tuple[str, ...], index: int, *, changes: bool) -> set[int]:
    """Walk down to a path, collect who is in the way, and leave a note for those who come later."""
    behind: set[int] = set()
    place = root
    for part in path:
        behind.update(place.writers)
        if changes:
            behind.update(place.readers)
        (place.written_below if changes else place.read_below).append(index)
        place = place.children.setdefault(part, _Place())
    behind.update(place.writers, place.written_below)
    if changes:
        behind.update(place.readers, place.read_below)
        # Whoever comes later waits for this call, and so for all that it waited for.
        place.readers, place.writers, place.read_below, place.written_below = [], [index], [], []
        place.children.clear()
    else:
        place.readers.append(index)
    return behind
