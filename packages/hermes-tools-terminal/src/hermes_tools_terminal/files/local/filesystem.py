"""The local filesystem, through system calls."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from hermes_tools_terminal.files.filesystem import (
    FileInfo,
    Lines,
    changed_error,
    not_regular_error,
    os_error,
    tidy_path,
)
from hermes_tools_terminal.files.local.confined_open import AllowedRoots, Opener, open_without_links
from hermes_tools_terminal.files.local.file_info import file_info, is_settled, same_file, stamp_of
from hermes_tools_terminal.files.local.line_reader import (
    COUNTER,
    LineIndex,
    LineIndexes,
    LineReader,
    count_into,
    end_of,
    pieces,
    skip,
    store_total,
)
from hermes_tools_terminal.files.local.path_resolution import Resolver, absolute, resolve

if TYPE_CHECKING:
    from hermes_tools_terminal.files.local.writes import Sweeper

_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
"""Never block: the file may have been replaced by a pipe."""

_CHUNK = 1 << 20

_COUNTED_AT_ONCE = 32 << 20
"""How many bytes are counted for the total before answering: a few hundredths of a second."""


class LocalFileSystem:
    """Local files, optionally confined to some directories."""

    def __init__(
        self, roots: Sequence[str] = (), *, opener: Opener = open_without_links, resolver: Resolver = resolve
    ) -> None:
        self.kind = "local"
        self.name = "local"
        self._allowed_roots = AllowedRoots(roots, opener)
        self._resolve = resolver
        self._indexes = LineIndexes()

    def find(self, path: str, *, base: str) -> FileInfo:
        """Resolve a path. Raises `PermissionError` for paths outside the roots."""
        asked = absolute(path, base)
        real, seen = self._resolve(asked)
        self._allowed_roots.check(real)
        return file_info(tidy_path(asked), real, seen)

    def read(self, found: FileInfo, offset: int = 0, size: int = -1) -> bytes:
        """Return the content of a regular file, or a part of it."""
        with self._opened(found) as (handle, seen):
            end = end_of(seen) if size < 0 else min(end_of(seen), offset + size)
            return b"".join(pieces(handle, offset, end, max(_CHUNK, min(end, seen.st_size) - offset)))

    def lines(self, found: FileInfo, first: int, count: int, *, longest: int) -> Lines:
        """Return lines of a regular file; earlier lines are skipped at counting speed.

        The lines of a large file are counted in the background, so that a later call knows the total.
        """
        COUNTER.used = time.monotonic()
        with self._opened(found) as (handle, seen):
            end = end_of(seen)
            index = self._indexes.of(stamp_of(seen), keep=seen.st_size > 0 and is_settled(seen))
            place, passed = skip(handle, end, index, max(first, 1) - 1)
            reader = LineReader(handle, place, end, passed + 1, longest)
            data = reader.collect(count) if passed == max(first, 1) - 1 else b""
            more = reader.place < end and bool(os.pread(handle, 1, reader.place))
            return Lines(data, reader.cut, self._total(handle, end, index, reader, more), more)

    def names(self, found: FileInfo) -> list[str]:
        """Return the sorted names in a directory."""
        if found.kind != "folder":
            raise not_regular_error(found) if found.kind == "missing" else os_error(errno.ENOTDIR, found.path)
        handle = self._allowed_roots.open(found.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            if not same_file(found, os.fstat(handle)):
                raise changed_error(found.path, "was replaced")
            return sorted(os.listdir(handle))
        finally:
            os.close(handle)

    def upward(self, folder: str, name: str, *, limit: int) -> list[tuple[str, bytes]]:
        """Return each file with a name in a directory and its parents, nearest first."""
        found = []
        while True:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                try:
                    handle = self._allowed_roots.open(path, _READ)
                except OSError:  # forbidden, unreadable or a link
                    handle = -1
                if handle >= 0:
                    with open(handle, "rb") as file:
                        data = file.read(limit + 1)
                    found += [(folder, data)] if len(data) <= limit else []
            if folder in ("/", ""):
                return found
            folder = os.path.dirname(folder)

    def replace(self, found: FileInfo, data: bytes, *, mode: int | None = None) -> FileInfo:
        """Replace the content of a file atomically, create missing directories, and return the new file."""
        from hermes_tools_terminal.files.local.writes import replace

        return replace(self._allowed_roots, self._sweeper, found, data, mode)

    def remove(self, found: FileInfo) -> None:
        """Remove a regular file."""
        from hermes_tools_terminal.files.local.writes import remove

        remove(self._allowed_roots, found)

    def locked(self, *found: FileInfo) -> AbstractContextManager[None]:
        """Lock the directories of files; the same thread may lock them again."""
        from hermes_tools_terminal.files.local.locks import locked

        return locked(self._allowed_roots, [os.path.dirname(each.path) for each in found])

    @cached_property
    def _sweeper(self) -> Sweeper:
        from hermes_tools_terminal.files.local.writes import Sweeper  # a process that only reads needs none

        return Sweeper()

    @contextmanager
    def _opened(self, found: FileInfo) -> Iterator[tuple[int, os.stat_result]]:
        if found.kind != "file":
            raise not_regular_error(found)
        handle = self._allowed_roots.open(found.path, _READ)
        try:
            seen = os.fstat(handle)
            if not stat.S_ISREG(seen.st_mode) or not same_file(found, seen):
                raise changed_error(found.path, "was replaced")
            yield handle, seen
        finally:
            os.close(handle)

    def _total(self, handle: int, end: int, index: LineIndex, reader: LineReader, more: bool) -> int | None:
        """Return the total number of lines if it is known or quickly counted."""
        if index.total is not None:
            return index.total
        before = reader.number - 1
        if not more:
            store_total(handle, index, before)
            return before
        if end - reader.place > _COUNTED_AT_ONCE:
            if index.kept:
                COUNTER.start(handle, index)
            return None
        return count_into(handle, end, index, reader.place, before)
