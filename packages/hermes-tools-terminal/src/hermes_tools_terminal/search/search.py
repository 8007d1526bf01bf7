"""One search from the question to the answer: which files, which page of them, which of their lines."""

from __future__ import annotations

import contextlib
import json
import os
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from shutil import which
from typing import Any

from hermes_text.secrets import mask_secrets
from hermes_tools_terminal.environments.base import Environment, agent_home
from hermes_tools_terminal.environments.env_vars import command_variables
from hermes_tools_terminal.files.filesystem import ChangedError, FileInfo
from hermes_tools_terminal.search.copy_search import CopySearch, declared_codec
from hermes_tools_terminal.search.grep_engine import GrepEngine
from hermes_tools_terminal.search.matches import Match, Part, gather_matches, readable
from hermes_tools_terminal.search.pattern import Node, PatternError, read_pattern
from hermes_tools_terminal.search.pattern_translation import has_non_ascii
from hermes_tools_terminal.search.program_runner import (
    LocalSearchRoot,
    SearchError,
    SearchRoot,
    SearchTimeoutError,
    modification_times,
)
from hermes_tools_terminal.search.protected_files import Protection
from hermes_tools_terminal.search.python_engine import PythonEngine
from hermes_tools_terminal.search.query import Engine, Filter, Query, Request
from hermes_tools_terminal.search.ripgrep_engine import RipgrepEngine

SECONDS = 60.0
"""How long a search may take."""

MOST_CHARACTERS = 80_000
"""How much is told at once; the rest is on the next page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchContext:
    """Where a search takes place.

    Attributes:
        place: The environment.
        found: What is searched: a folder or a file.
        shown_as: What it is called in results.
        workspace: The task's folder.
        home: The user's home there; this machine's own when it is None.
        guarded: Whether files are left out that may not be read unasked.
        engine: The engine that is used; the best one when it is empty.
        seconds: How long it may take.
        mask: Masks secrets in a line.
    """

    place: Environment
    found: FileInfo
    shown_as: str = ""
    workspace: str = ""
    home: str | None = None
    guarded: bool = True
    engine: str = ""
    seconds: float = SECONDS
    mask: Callable[[str], str] = mask_secrets


def search(request: Request, scene: SearchContext) -> dict[str, Any]:
    """Search, and tell what was found as plain data. Nothing that is wrong with the request is raised.

    Args:
        request: What is asked for.
        scene: Where.

    Raises:
        TerminalEnvironmentError: the place cannot be used.
        OSError: the searched folder cannot be opened, or is another one by now.
    """
    try:
        node, filters = request.node(), request.filters()
    except PatternError as error:
        return _mistake(request, error)
    folder, file = _split(scene.found)
    query = Query(
        root=folder,
        file=file,
        pattern=node,
        globs=tuple(each.glob for each in filters if not each.excludes and not each.ignore_case)[:1],
        hidden=request.hidden,
        context=request.context,
    )
    with _root(scene, folder) as root:
        try:
            return _Search(request, scene, query, root, filters).told()
        except SearchTimeoutError:
            return _failed(f"The search took longer than {scene.seconds:g} seconds.", _NARROWER, limit_reason="time")
        except SearchError as error:
            return _failed(f"The search failed: {error}", "Search for something simpler, or with literal=true.")
        except PatternError as error:
            return _mistake(request, error)


_MOST_HEADS = 20
"""How many files of another place are looked into for what encoding they declare: each costs a program there."""

_UNKNOWN = "\\xNN stands for a byte of a file that is not UTF-8 and declares no encoding"
_NARROWER = "Search in a smaller folder, or give a file_glob."


class _Search:
    """A search on its way.

    Args:
        request: What is asked for.
        scene: Where.
        query: What the engine is told.
        ground: The folder.
        filters: What paths have to match.
    """

    def __init__(
        self, request: Request, scene: SearchContext, query: Query, root: SearchRoot, filters: Sequence[Filter]
    ) -> None:
        self.request = request
        self.scene = scene
        self.query = query
        self.root = root
        self.filters = filters
        self.engine: Engine = choose(root, query, scene.engine)
        self.late = False
        self.exact = True
        self.skipped = 0
        self.codecs: dict[bytes, str] = {}
        self.translated: set[bytes] = set()
        self.protection: Protection | None = None
        if scene.guarded and not request.names:
            decided = scene.found.path
            self.protection = Protection(
                query.root,
                decided=decided,
                workspace=scene.workspace,
                home=scene.home,
                agent=agent_home(scene.place),
            )

    def told(self) -> dict[str, Any]:
        """The answer."""
        if self.request.names:
            return self._files(self._named())
        counts = self._counted()
        if self.request.mode == "files_only":
            return self._files(self._ordered(list(counts)))
        paths = self._ordered(list(counts))
        if self.request.mode == "count":
            return self._counts(paths, counts)
        return self._matches(paths, counts)

    def _named(self) -> list[bytes]:
        if self.query.file is not None:
            changed: dict[bytes, int | None] = {self.query.file: None}
        else:
            changed = dict(self._until_late(self.engine.names()))
            self.exact = not self.late
        paths = self._filtered(list(changed))
        known = [changed[path] for path in paths]
        return self._ordered(paths, None if None in known else [each or 0 for each in known])

    def _counted(self) -> dict[bytes, int]:
        counts = dict(self._until_late(self.engine.counts()))
        if not self.late:
            counts = self._with_other_encodings(counts)
        self.exact = not self.late
        kept = self._filtered(list(counts))
        if self.protection is not None:
            hidden = self.protection.hidden(kept)
            self.skipped = len(hidden)
            kept = [path for path in kept if path not in hidden]
        return {path: counts[path] for path in kept}

    def _with_other_encodings(self, counts: dict[bytes, int]) -> dict[bytes, int]:
        """Search files that declare another encoding once more, as UTF-8, when the pattern has letters beyond ASCII."""
        pattern = self.query.pattern
        if self.engine.name == GrepEngine.name or pattern is None or not has_non_ascii(pattern):
            return counts
        query = replace(self.query, pattern=_declaration(), context=0)
        declaring = [path for path, _ in self._until_late(choose(self.root, query, self.scene.engine).counts())]
        if declaring:
            copies = CopySearch(self.root, self.query)
            found: dict[bytes, int] = {}
            with contextlib.suppress(SearchError):  # too big to be copied: report what was found in UTF-8
                found = dict(self._until_late(copies.counts(self._filtered(declaring), declared=True)))
            self.translated.update(found)
            counts = {path: count for path, count in {**counts, **found}.items() if count}
        return counts

    def _codec(self, path: bytes) -> str:
        """The codec of a file with lines that are not UTF-8; empty when it declares none."""
        if path not in self.codecs:
            enough = len(self.codecs) >= _MOST_HEADS and not isinstance(self.root, LocalSearchRoot)
            self.codecs[path] = "" if enough else declared_codec(self.root, path)
        return self.codecs[path]

    def _shown(self, path: bytes) -> bool:
        """Whether a file may be told about that has several names, under one of which it may be protected."""
        if self.protection is None or not isinstance(self.root, LocalSearchRoot):
            return True
        try:
            links = os.stat(path, dir_fd=self.root.handle, follow_symlinks=False).st_nlink
        except OSError:
            return False
        shown = links == 1 or not self.protection.hides(path)
        self.skipped += not shown
        return shown

    def _filtered(self, paths: list[bytes]) -> list[bytes]:
        if self.query.file is not None:
            return paths
        if not self.request.hidden:
            paths = [path for path in paths if path[:1] != b"." and b"/." not in path]
        for each in self.filters:
            kept = each.kept(paths)
            paths = [path for path in paths if path in kept]
        return paths

    def _ordered(self, paths: list[bytes], changed: list[int] | None = None) -> list[bytes]:
        if not self.request.newest_first:
            return sorted(paths)
        times = dict(zip(paths, changed or modification_times(self.root, paths), strict=True))
        return sorted(paths, key=lambda path: (-times[path], path))

    def _until_late(self, found: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from found
        except SearchTimeoutError:
            self.late = True
            # What was found in time is told, and that has to be read and sorted first.
            self.root.deadline = time.monotonic() + self.scene.seconds / 4

    def _page(self, paths: list[bytes]) -> list[bytes]:
        return paths[self.request.offset : self.request.offset + self.request.limit]

    def _files(self, paths: list[bytes]) -> dict[str, Any]:
        page = self._page(paths)
        told = [self._called(path) for path in page if self._shown(path)]
        shown = _fitting(told)
        cut = len(shown) < len(told)
        return self._answer(len(paths), len(shown) if cut else len(page), {"files": shown}, cut=cut)

    def _counts(self, paths: list[bytes], counts: dict[bytes, int]) -> dict[str, Any]:
        page = self._page(paths)
        told = [(self._called(path), counts[path]) for path in page if self._shown(path)]
        shown = _fitting(told)
        cut = len(shown) < len(told)
        passed = len(shown) if cut else len(page)
        answer = self._answer(sum(counts.values()), passed, {"counts": dict(shown)}, pages=len(paths), cut=cut)
        return {**answer, "total_files": len(paths)}

    def _matches(self, paths: list[bytes], counts: dict[bytes, int]) -> dict[str, Any]:
        parts = _parts(paths, counts, self.request.offset, self.request.limit)
        wanted = sum(part.take for part in parts)
        parts = [part for part in parts if self._shown(part.path)]
        found = self._gathered(parts)
        told = [
            match.told(self._called(part.path), context=self.request.context > 0)
            for part in parts
            for match in found.get(part.path, ())
        ]
        shown = _fitting(told)
        # Files may have changed since they were counted; the next page begins behind what was counted all the same.
        passed = len(shown) if len(shown) < len(told) else wanted
        return self._answer(sum(counts.values()), passed, {"matches": shown}, cut=len(shown) < len(told))

    def _gathered(self, parts: Sequence[Part]) -> dict[bytes, list[Match]]:
        found: dict[bytes, list[Match]] = {}
        context = self.request.context
        copies = CopySearch(self.root, self.query)
        # Only the first file of a page is begun in its middle. Without lines around them, what is passed over need not
        # be read to be counted.
        for begun, translated in ((True, False), (False, False), (True, True), (False, True)):
            some = [p for p in parts if bool(p.skip) == begun and (p.path in self.translated) == translated]
            if some:
                most = max(part.skip + part.take for part in some)
                skip = 0 if context else some[0].skip
                read = copies.lines if translated else self.engine.lines
                records = self._until_late(read([part.path for part in some], most, skip))
                wanted = {part.path: Part(part.path, part.skip - skip, part.take) for part in some}
                found.update(gather_matches(records, wanted, context, self._codec, self.scene.mask))
        return found

    def _called(self, path: bytes) -> str:
        shown = self.scene.shown_as
        if self.query.file is not None:
            return shown or readable(path)
        return os.path.join(shown, readable(path)) if shown not in ("", ".") else readable(path)

    def _answer(
        self, total: int, passed: int, found: dict[str, Any], *, pages: int | None = None, cut: bool = False
    ) -> dict[str, Any]:
        end = self.request.offset + passed
        most = total if pages is None else pages
        told: dict[str, Any] = {"total_count": total, **found, "truncated": end < most or self.late}
        if not self.exact:
            told["total_is_exact"] = False
        if self.late:
            told["limit_reason"] = "time"
        elif end < most:
            told["limit_reason"] = "size" if cut else "limit"
        if self.late:
            told["hint"] = f"The search was ended after {self.scene.seconds:g} seconds. {_NARROWER}"
        elif end < most:
            told["hint"] = f"There are more: go on with offset={end}."
        elif most and self.request.offset >= most:
            told["hint"] = f"There are only {most}; offset={self.request.offset} is behind the last."
        if unknown := sum(not codec for codec in self.codecs.values()):
            told["note"] = f"{_UNKNOWN} ({unknown} of the files)."
        if self.skipped:
            told["skipped_protected"] = self.skipped
        return {**told, "engine": self.engine.name}


@cache
def _declaration() -> Node:
    """What finds the files that may declare another encoding: no other name of one begins with a u."""
    before = 'coding[:=][ \\t]*|fenc=|encoding[ \\t]*=[ \\t]*["\']|charset[ \\t]*=[ \\t]*["\']?|@charset "|Package\\['
    return read_pattern(f"(?i)(?:{before})[a-tv-z]")


def _parts(paths: Sequence[bytes], counts: dict[bytes, int], offset: int, limit: int) -> list[Part]:
    """Which lines of which files are on a page."""
    parts = []
    for path in paths:
        if limit <= 0:
            break
        count = counts[path]
        if offset >= count:
            offset -= count
            continue
        take = min(limit, count - offset)
        parts.append(Part(path, offset, take))
        limit -= take
        offset = 0
    return parts


def _fitting(items: list[Any]) -> list[Any]:
    """As many as can be told at once; one at least."""
    room = MOST_CHARACTERS
    for number, item in enumerate(items):
        room -= len(json.dumps(item, ensure_ascii=False)) + 2
        if room < 0 and number:
            return items[:number]
    return items


def _split(found: FileInfo) -> tuple[str, bytes | None]:
    """The folder that is searched, and the file in it when it is one."""
    if found.kind == "folder":
        return found.path, None
    folder, name = os.path.split(found.path)
    return folder, os.fsencode(name)


@contextlib.contextmanager
def _root(scene: SearchContext, folder: str) -> Iterator[SearchRoot]:
    deadline = time.monotonic() + scene.seconds
    if scene.place.kind != "local":
        yield SearchRoot(scene.place, folder, deadline)
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        now, then = os.fstat(handle), scene.found.stamp
        if scene.found.kind == "folder" and then is not None and (now.st_dev, now.st_ino) != (then.device, then.inode):
            raise ChangedError(f"{folder} is another folder by now.")
        yield LocalSearchRoot(scene.place, folder, deadline, handle)
    finally:
        os.close(handle)


def _mistake(request: Request, error: PatternError) -> dict[str, Any]:
    where = (
        f" (at character {error.position + 1} of {request.pattern[:200]!r})"
        if error.position or not request.names
        else ""
    )
    return _failed(f"The pattern cannot be searched for: {error.reason}{where}.", error.hint)


def _failed(error: str, hint: str, **more: Any) -> dict[str, Any]:
    return {"error": error, "total_count": 0, "truncated": False, **({"hint": hint} if hint else {}), **more}


_PROBE = """
if rg --no-config --no-ignore-exclude --no-ignore-messages --version >/dev/null 2>&1; then echo rg; else echo; fi
for python in python3 python; do
  if "$python" -I -S -c "$1" >/dev/null 2>&1; then echo "$python"; break; fi
done
"""
# New enough, and with all modules that `scanning.py` and its neighbours need.
_USABLE = """
import sys, codecs, collections.abc, io, marshal, os, re, stat, types, typing
sys.exit(sys.version_info < (3, 8))
"""


@dataclass(frozen=True, slots=True)
class Programs:
    """What is in a place.

    Attributes:
        ripgrep: How ripgrep is called; empty when there is none.
        python: How a Python that can scan is called; empty when there is none.
    """

    ripgrep: str
    python: str


_known: weakref.WeakKeyDictionary[Environment, Programs] = weakref.WeakKeyDictionary()


def choose(root: SearchRoot, query: Query, wanted: str = "") -> Engine:
    """The best engine that a place has.

    Args:
        ground: The folder that is searched.
        query: What is searched for.
        wanted: The name of an engine that is to be taken; the best one when it is not given.
    """
    programs = _local_programs() if isinstance(root, LocalSearchRoot) else _remote_programs(root)
    if programs.ripgrep and wanted in ("", RipgrepEngine.name) and _sayable(query.file):
        return RipgrepEngine(root, query, programs.ripgrep)
    if wanted in ("", PythonEngine.name) and (programs.python or isinstance(root, LocalSearchRoot)):
        return PythonEngine(root, query, programs.python)
    return GrepEngine(root, query)


def _sayable(name: bytes | None) -> bool:
    """Whether a name can be written as a glob of ripgrep's, which is text."""
    try:
        return name is None or bool(name.decode())
    except UnicodeDecodeError:
        return False


def _local_programs() -> Programs:
    return Programs(which("rg", path=command_variables().get("PATH")) or "", "")


def _remote_programs(root: SearchRoot) -> Programs:
    try:
        known = _known.get(root.place)
    except TypeError:  # a plugin's place that cannot be a key
        known = None
    if known is not None:
        return known
    said = b"".join(root.run(["sh", "-c", _PROBE, "sh", _USABLE])).decode(errors="replace").splitlines()
    found = Programs(said[0] if said else "", said[1] if len(said) > 1 else "")
    try:
        _known[root.place] = found
    except TypeError:
        pass  # as above: it is asked again the next time
    return found
