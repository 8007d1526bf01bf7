"""Reads the audit log, rotated files included, in a little memory and whatever state it is in."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from json import JSONDecoder
from pathlib import Path
from typing import Any, NoReturn

from hermes_approval.audit.log_files import (
    BLOCK,
    LineSplitter,
    Segment,
    backward_lines,
    forward_lines,
    open_segments,
    whole_lines_end,
)
from hermes_approval.audit.timestamps import stamp

# Seconds by which the clock of a file system may be behind.
_CLOCK_SLACK = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """Which entries somebody wants to see; nothing given means all.

    Attributes:
        since: Not before this moment, in seconds since 1970.
        tool: Of this tool.
        outcome: Decided or ended in this way: `denied-by-policy`, `error`, ...
        session: Of this session.
    """

    since: float | None = None
    tool: str | None = None
    outcome: str | None = None
    session: str | None = None
    _first: str = field(init=False, default="")

    def __post_init__(self) -> None:
        if self.since is not None:
            object.__setattr__(self, "_first", stamp(self.since))

    def matches(self, entry: dict[str, Any]) -> bool:
        """Whether this entry is one of them."""
        return (
            (self.tool is None or entry.get("tool") == self.tool)
            and (self.session is None or entry.get("session") == self.session)
            and (self.outcome is None or self.outcome in (entry.get("status"), outcome_of(entry)))
            and entry["at"] >= self._first
        )


class Entries(Iterator[dict[str, Any]]):
    """The entries of a log, read as they are asked for.

    Attributes:
        skipped: How many lines were no entries, so far: torn by a crash, damaged, or of somebody else.
    """

    def __init__(self, file: Path, wanted: EntryFilter, *, newest_first: bool, limit: int | None) -> None:
        self.skipped = 0
        self._filter = wanted
        self._newest_first = newest_first
        self._found = self._all_of(file, limit)

    def __next__(self) -> dict[str, Any]:
        return next(self._found)

    def close(self) -> None:
        """Stop reading, and close the files."""
        self._found.close()

    def _all_of(self, file: Path, limit: int | None) -> Generator[dict[str, Any]]:
        left = limit
        if left is not None and left <= 0:
            return
        segments = open_segments(file)
        try:
            for entry in self.within(segments):
                yield entry
                if left is not None:
                    left -= 1
                    if left <= 0:
                        return
        finally:
            for segment in segments:
                segment.close()

    def within(self, segments: Sequence[Segment]) -> Iterator[dict[str, Any]]:
        """The wanted entries in files that are open, which are given the newest first."""
        since = self._filter.since
        for segment in segments if self._newest_first else reversed(segments):
            if since is not None and segment.modified < since - _CLOCK_SLACK:
                continue  # nothing was written to it after that
            for line in backward_lines(segment) if self._newest_first else forward_lines(segment):
                entry = parse(line)
                if entry is None:
                    self.skipped += line != b""
                elif self._filter.matches(entry):
                    yield entry


def read_entries(
    file: Path,
    *,
    newest_first: bool = False,
    since: float | None = None,
    tool: str | None = None,
    outcome: str | None = None,
    session: str | None = None,
    limit: int | None = None,
) -> Entries:
    """The entries of a log and its rotated files, as they are when the first one is asked for.

    Args:
        file: The log; one that is not there has no entries.
        newest_first: From the end, which reads no more than is needed.
        since: Not before this moment, in seconds since 1970.
        tool: Of this tool only.
        outcome: Decided or ended in this way only.
        session: Of this session only.
        limit: At most so many.
    """
    wanted = EntryFilter(since=since, tool=tool, outcome=outcome, session=session)
    return Entries(file, wanted, newest_first=newest_first, limit=limit)


def outcome_of(entry: dict[str, Any]) -> str | None:
    """What was decided about a call; None when it never got that far."""
    decision = entry.get("decision")
    outcome = decision.get("outcome") if isinstance(decision, dict) else None
    return outcome if isinstance(outcome, str) else None


def parse(line: bytes | None) -> dict[str, Any] | None:
    """The entry that a line holds, if it is one."""
    if not line:
        return None
    try:
        entry = _decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or not isinstance(entry.get("v"), int):
        return None
    # Everything that is looked for or shown can rely on these.
    told = all(isinstance(entry.get(key), str) for key in ("at", "id", "tool"))
    return entry if told else None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decode = JSONDecoder(parse_constant=_no_constant).decode


class Follower:
    """Every entry from the last few on, each once. There need not be a log yet."""

    def __init__(self, file: Path, wanted: EntryFilter) -> None:
        self._file = file
        self._filter = wanted
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
            entries = Entries(self._file, self._filter, newest_first=True, limit=last)
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
                if entry is not None and self._filter.matches(entry):
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
