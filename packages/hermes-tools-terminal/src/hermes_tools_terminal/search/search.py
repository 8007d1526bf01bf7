"""Run a search: choose the engine, the files, the page of results, and the lines."""

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
"""Default time limit of a search."""

MAX_CHARACTERS = 80_000
"""Size limit of a result; the rest is on the next page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchContext:
    """Where and how to search.

    Attributes:
        environment: The environment.
        found: The searched directory or file.
        shown_as: Its path in results.
        workspace: The task's workspace.
        home: The user's home in the environment; that of this machine when it is None.
        guarded: Whether to leave out protected files.
        engine: The engine to use; the best one when it is empty.
        seconds: The time limit.
        mask: Masks secrets in a line.
    """

    environment: Environment
    found: FileInfo
    shown_as: str = ""
    workspace: str = ""
    home: str | None = None
    guarded: bool = True
    engine: str = ""
    seconds: float = SECONDS
    mask: Callable[[str], str] = mask_secrets


def search(request: Request, ctx: SearchContext) -> dict[str, Any]:
    """Search and return the result as plain data. An invalid request returns an error.

    Raises:
        TerminalEnvironmentError: the environment cannot be used.
        OSError: the searched directory cannot be opened, or was replaced.
    """
    try:
        node, filters = request.node(), request.filters()
    except PatternError as error:
        return _invalid_pattern(request, error)
    folder, file = _split(ctx.found)
    query = Query(
        root=folder,
        file=file,
        pattern=node,
        globs=tuple(each.glob for each in filters if not each.excludes and not each.ignore_case)[:1],
        hidden=request.hidden,
        context=request.context,
    )
    with _root(ctx, folder) as root:
        try:
            return _Search(request, ctx, query, root, filters).results()
        except SearchTimeoutError:
            return _failed(f"The search took longer than {ctx.seconds:g} seconds.", _NARROWER, limit_reason="time")
        except SearchError as error:
            return _failed(f"The search failed: {error}", "Search for something simpler, or with literal=true.")
        except PatternError as error:
            return _invalid_pattern(request, error)


_MAX_HEADS = 20
"""How many remote files are inspected for their declared encoding: each takes a program run."""

_UNKNOWN = "\\xNN is a byte of a file that is not UTF-8 and declares no encoding"
_NARROWER = "Search in a smaller folder, or give a file_glob."


class _Search:
    """A running search."""

    def __init__(
        self, request: Request, ctx: SearchContext, query: Query, root: SearchRoot, filters: Sequence[Filter]
    ) -> None:
        self.request = request
        self.ctx = ctx
        self.query = query
        self.root = root
        self.filters = filters
        self.engine: Engine = choose(root, query, ctx.engine)
        self.timed_out = False
        self.exact = True
        self.skipped = 0
        self.codecs: dict[bytes, str] = {}
        self.translated: set[bytes] = set()
        self.protection: Protection | None = None
        if ctx.guarded and not request.names:
            decided = ctx.found.path
            self.protection = Protection(
                query.root,
                decided=decided,
                workspace=ctx.workspace,
                home=ctx.home,
                agent=agent_home(ctx.environment),
            )

    def results(self) -> dict[str, Any]:
        """Return the result."""
        if self.request.names:
            return self._files(self._find_names())
        counts = self._count_matches()
        if self.request.mode == "files_only":
            return self._files(self._sort(list(counts)))
        paths = self._sort(list(counts))
        if self.request.mode == "count":
            return self._counts(paths, counts)
        return self._matches(paths, counts)

    def _find_names(self) -> list[bytes]:
        if self.query.file is not None:
            changed: dict[bytes, int | None] = {self.query.file: None}
        else:
            changed = dict(self._until_timeout(self.engine.names()))
            self.exact = not self.timed_out
        paths = self._filter(list(changed))
        known = [changed[path] for path in paths]
        return self._sort(paths, None if None in known else [each or 0 for each in known])

    def _count_matches(self) -> dict[bytes, int]:
        counts = dict(self._until_timeout(self.engine.counts()))
        if not self.timed_out:
            counts = self._with_other_encodings(counts)
        self.exact = not self.timed_out
        kept = self._filter(list(counts))
        if self.protection is not None:
            hidden = self.protection.hidden(kept)
            self.skipped = len(hidden)
            kept = [path for path in kept if path not in hidden]
        return {path: counts[path] for path in kept}

    def _with_other_encodings(self, counts: dict[bytes, int]) -> dict[bytes, int]:
        """Search files with other declared encodings again, as UTF-8, if the pattern has characters beyond ASCII."""
        pattern = self.query.pattern
        if self.engine.name == GrepEngine.name or pattern is None or not has_non_ascii(pattern):
            return counts
        query = replace(self.query, pattern=_declaration(), context=0)
        declaring = [path for path, _ in self._until_timeout(choose(self.root, query, self.ctx.engine).counts())]
        if declaring:
            copies = CopySearch(self.root, self.query)
            found: dict[bytes, int] = {}
            with contextlib.suppress(SearchError):  # too big to copy: report the matches in UTF-8
                found = dict(self._until_timeout(copies.counts(self._filter(declaring), declared=True)))
            self.translated.update(found)
            counts = {path: count for path, count in {**counts, **found}.items() if count}
        return counts

    def _codec(self, path: bytes) -> str:
        """Return the codec of a file with lines that are not UTF-8; empty when it declares none."""
        if path not in self.codecs:
            enough = len(self.codecs) >= _MAX_HEADS and not isinstance(self.root, LocalSearchRoot)
            self.codecs[path] = "" if enough else declared_codec(self.root, path)
        return self.codecs[path]

    def _may_show(self, path: bytes) -> bool:
        """Return whether a file may be shown, which may have another name that is protected."""
        if self.protection is None or not isinstance(self.root, LocalSearchRoot):
            return True
        try:
            links = os.stat(path, dir_fd=self.root.handle, follow_symlinks=False).st_nlink
        except OSError:
            return False
        shown = links == 1 or not self.protection.hides(path)
        self.skipped += not shown
        return shown

    def _filter(self, paths: list[bytes]) -> list[bytes]:
        if self.query.file is not None:
            return paths
        if not self.request.hidden:
            paths = [path for path in paths if path[:1] != b"." and b"/." not in path]
        for each in self.filters:
            kept = each.select(paths)
            paths = [path for path in paths if path in kept]
        return paths

    def _sort(self, paths: list[bytes], changed: list[int] | None = None) -> list[bytes]:
        if not self.request.newest_first:
            return sorted(paths)
        times = dict(zip(paths, changed or modification_times(self.root, paths), strict=True))
        return sorted(paths, key=lambda path: (-times[path], path))

    def _until_timeout(self, found: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from found
        except SearchTimeoutError:
            self.timed_out = True
            # Leave time to read and sort what was found so far.
            self.root.deadline = time.monotonic() + self.ctx.seconds / 4

    def _page(self, paths: list[bytes]) -> list[bytes]:
        return paths[self.request.offset : self.request.offset + self.request.limit]

    def _files(self, paths: list[bytes]) -> dict[str, Any]:
        page = self._page(paths)
        results = [self._display_path(path) for path in page if self._may_show(path)]
        shown = _fitting(results)
        cut = len(shown) < len(results)
        return self._answer(len(paths), len(shown) if cut else len(page), {"files": shown}, cut=cut)

    def _counts(self, paths: list[bytes], counts: dict[bytes, int]) -> dict[str, Any]:
        page = self._page(paths)
        results = [(self._display_path(path), counts[path]) for path in page if self._may_show(path)]
        shown = _fitting(results)
        cut = len(shown) < len(results)
        passed = len(shown) if cut else len(page)
        answer = self._answer(sum(counts.values()), passed, {"counts": dict(shown)}, pages=len(paths), cut=cut)
        return {**answer, "total_files": len(paths)}

    def _matches(self, paths: list[bytes], counts: dict[bytes, int]) -> dict[str, Any]:
        parts = _parts(paths, counts, self.request.offset, self.request.limit)
        wanted = sum(part.take for part in parts)
        parts = [part for part in parts if self._may_show(part.path)]
        found = self._gather(parts)
        results = [
            match.as_dict(self._display_path(part.path), context=self.request.context > 0)
            for part in parts
            for match in found.get(part.path, ())
        ]
        shown = _fitting(results)
        # Files may have changed since they were counted; the next page follows what was counted.
        passed = len(shown) if len(shown) < len(results) else wanted
        return self._answer(sum(counts.values()), passed, {"matches": shown}, cut=len(shown) < len(results))

    def _gather(self, parts: Sequence[Part]) -> dict[bytes, list[Match]]:
        found: dict[bytes, list[Match]] = {}
        context = self.request.context
        copies = CopySearch(self.root, self.query)
        # Only the first file of a page starts in its middle. Without context, the skipped lines do not have to be read.
        for begun, translated in ((True, False), (False, False), (True, True), (False, True)):
            some = [p for p in parts if bool(p.skip) == begun and (p.path in self.translated) == translated]
            if some:
                most = max(part.skip + part.take for part in some)
                skip = 0 if context else some[0].skip
                read = copies.lines if translated else self.engine.lines
                records = self._until_timeout(read([part.path for part in some], most, skip))
                wanted = {part.path: Part(part.path, part.skip - skip, part.take) for part in some}
                found.update(gather_matches(records, wanted, context, self._codec, self.ctx.mask))
        return found

    def _display_path(self, path: bytes) -> str:
        shown = self.ctx.shown_as
        if self.query.file is not None:
            return shown or readable(path)
        return os.path.join(shown, readable(path)) if shown not in ("", ".") else readable(path)

    def _answer(
        self, total: int, passed: int, found: dict[str, Any], *, pages: int | None = None, cut: bool = False
    ) -> dict[str, Any]:
        end = self.request.offset + passed
        most = total if pages is None else pages
        results: dict[str, Any] = {"total_count": total, **found, "truncated": end < most or self.timed_out}
        if not self.exact:
            results["total_is_exact"] = False
        if self.timed_out:
            results["limit_reason"] = "time"
        elif end < most:
            results["limit_reason"] = "size" if cut else "limit"
        if self.timed_out:
            results["hint"] = f"The search was stopped after {self.ctx.seconds:g} seconds. {_NARROWER}"
        elif end < most:
            results["hint"] = f"There are more results: continue with offset={end}."
        elif most and self.request.offset >= most:
            results["hint"] = f"There are only {most} results; offset={self.request.offset} is past the end."
        if unknown := sum(not codec for codec in self.codecs.values()):
            results["note"] = f"{_UNKNOWN} ({unknown} of the files)."
        if self.skipped:
            results["skipped_protected"] = self.skipped
        return {**results, "engine": self.engine.name}


@cache
def _declaration() -> Node:
    """Return a pattern for files that may declare another encoding: only UTF encodings start with a u."""
    before = 'coding[:=][ \\t]*|fenc=|encoding[ \\t]*=[ \\t]*["\']|charset[ \\t]*=[ \\t]*["\']?|@charset "|Package\\['
    return read_pattern(f"(?i)(?:{before})[a-tv-z]")


def _parts(paths: Sequence[bytes], counts: dict[bytes, int], offset: int, limit: int) -> list[Part]:
    """Return the lines of each file that are on a page."""
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
    """Return as many items as fit into a result; at least one."""
    left = MAX_CHARACTERS
    for number, item in enumerate(items):
        left -= len(json.dumps(item, ensure_ascii=False)) + 2
        if left < 0 and number:
            return items[:number]
    return items


def _split(found: FileInfo) -> tuple[str, bytes | None]:
    """Return the searched directory, and the file in it if a file is searched."""
    if found.kind == "folder":
        return found.path, None
    folder, name = os.path.split(found.path)
    return folder, os.fsencode(name)


@contextlib.contextmanager
def _root(ctx: SearchContext, folder: str) -> Iterator[SearchRoot]:
    deadline = time.monotonic() + ctx.seconds
    if ctx.environment.kind != "local":
        yield SearchRoot(ctx.environment, folder, deadline)
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        now, then = os.fstat(handle), ctx.found.stamp
        if ctx.found.kind == "folder" and then is not None and (now.st_dev, now.st_ino) != (then.device, then.inode):
            raise ChangedError(f"{folder} is another folder by now.")
        yield LocalSearchRoot(ctx.environment, folder, deadline, handle)
    finally:
        os.close(handle)


def _invalid_pattern(request: Request, error: PatternError) -> dict[str, Any]:
    where = (
        f" (at character {error.position + 1} of {request.pattern[:200]!r})"
        if error.position or not request.names
        else ""
    )
    return _failed(f"The pattern is invalid: {error.reason}{where}.", error.hint)


def _failed(error: str, hint: str, **more: Any) -> dict[str, Any]:
    return {"error": error, "total_count": 0, "truncated": False, **({"hint": hint} if hint else {}), **more}


_PROBE = """
if rg --no-config --no-ignore-exclude --no-ignore-messages --version >/dev/null 2>&1; then echo rg; else echo; fi
for python in python3 python; do
  if "$python" -I -S -c "$1" >/dev/null 2>&1; then echo "$python"; break; fi
done
"""
# New enough, and with all modules that `scanner.py` and its imports need.
_USABLE = """
import sys, codecs, collections.abc, io, marshal, os, re, stat, types, typing
sys.exit(sys.version_info < (3, 8))
"""


@dataclass(frozen=True, slots=True)
class Programs:
    """The search programs of an environment; the names of missing ones are empty."""

    ripgrep: str
    python: str


_known: weakref.WeakKeyDictionary[Environment, Programs] = weakref.WeakKeyDictionary()


def choose(root: SearchRoot, query: Query, wanted: str = "") -> Engine:
    """Return the engine to use, by default the best available one."""
    programs = _local_programs() if isinstance(root, LocalSearchRoot) else _remote_programs(root)
    if programs.ripgrep and wanted in ("", RipgrepEngine.name) and _is_text(query.file):
        return RipgrepEngine(root, query, programs.ripgrep)
    if wanted in ("", PythonEngine.name) and (programs.python or isinstance(root, LocalSearchRoot)):
        return PythonEngine(root, query, programs.python)
    return GrepEngine(root, query)


def _is_text(name: bytes | None) -> bool:
    """Return whether a name can be written as a glob of ripgrep, which is text."""
    try:
        return name is None or bool(name.decode())
    except UnicodeDecodeError:
        return False


def _local_programs() -> Programs:
    return Programs(which("rg", path=command_variables().get("PATH")) or "", "")


def _remote_programs(root: SearchRoot) -> Programs:
    try:
        known = _known.get(root.environment)
    except TypeError:  # a plugin's environment that is not hashable
        known = None
    if known is not None:
        return known
    output = b"".join(root.run(["sh", "-c", _PROBE, "sh", _USABLE])).decode(errors="replace").splitlines()
    found = Programs(output[0] if output else "", output[1] if len(output) > 1 else "")
    try:
        _known[root.environment] = found
    except TypeError:
        pass  # as above: probe again next time
    return found
