"""Follows the audit log while it grows and is rotated."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hermes_approval.audit.reader import Entries, Wanted, parse
from hermes_approval.audit.segments import BLOCK, LineSplitter, Segment, open_segments, whole_lines_end


class Follower:
    """Every entry from the last few on, each once. There need not be a log yet."""

    def __init__(self, file: Path, wanted: Wanted) -> None:
        self._file = file
        self._wanted = wanted
        self._current: Segment | None = None
        self._position = 0
        self._splitter = LineSplitter()

    def start(self, last: int) -> list[dict[str, Any]]:
        """The last so many entries that are there now; `poll` goes on behind them."""
        segments = open_segments(self._file)
        if not segments:
            return []
        self._current, *older = segments
        self._position = whole_lines_end(self._current)
        try:
            entries = Entries(self._file, self._wanted, newest_first=True, limit=last)
            whole = replace(self._current, size=self._position)
            found = [entry for _, entry in zip(range(last), entries.within([whole, *older]), strict=False)]
        finally:
            for segment in older:
                segment.close()
        return found[::-1]

    def poll(self) -> Iterator[dict[str, Any]]:
        """What came since the last look."""
        yield from self._read_on()
        for segment in self._newer():
            yield from self._read_on()  # what was still written to it before it was rotated
            self.close()
            self._current, self._position, self._splitter = segment, 0, LineSplitter()
        yield from self._read_on()

    def close(self) -> None:
        """Close the file that is followed."""
        current, self._current = self._current, None
        if current is not None:
            current.close()

    def _read_on(self) -> Iterator[dict[str, Any]]:
        if self._current is None:
            return
        if os.fstat(self._current.descriptor).st_size < self._position:  # somebody emptied it
            self._position, self._splitter = 0, LineSplitter()
        while block := os.pread(self._current.descriptor, BLOCK, self._position):
            self._position += len(block)
            for line in self._splitter.feed(block):
                entry = parse(line)
                if entry is not None and self._wanted.takes(entry):
                    yield entry

    def _newer(self) -> list[Segment]:
        """The files that came after the one that is followed, the oldest first."""
        newest = self._newest()
        if newest is None or (self._current is not None and newest == self._current.identity):
            return []
        found = open_segments(self._file)
        known = [segment.identity for segment in found]
        if self._current is None:
            newer = len(found)
        elif self._current.identity in known:
            newer = known.index(self._current.identity)
        else:  # it was removed: what is left beside the present file has been seen
            newer = 1 if known[:1] == [newest] else 0
        for segment in found[newer:]:
            segment.close()
        return found[:newer][::-1]

    def _newest(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._file, follow_symlinks=False)
        except OSError:  # in the middle of a rotation, or gone: the next look tells
            return None
        return found.st_dev, found.st_ino
