"""Reads the audit log and its rotated files in little memory, even if they are damaged."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from json import JSONDecoder
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hermes_approval.audit.entry import VERSION
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

if TYPE_CHECKING:
    from hermes_core.health import HealthProblem

# How many seconds the clock of a file system may be behind.
_CLOCK_SLACK = 60.0
_TAIL_BYTES = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """Which entries to read; all by default.

    Attributes:
        since: Not before this time, in seconds since 1970.
        tool: Only of this tool.
        outcome: Only with this status or decision: `denied-by-policy`, `error`, ...
        session: Only of this session.
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
        """Return True if an entry matches."""
        return (
            (self.tool is None or entry.get("tool") == self.tool)
            and (self.session is None or entry.get("session") == self.session)
            and (self.outcome is None or self.outcome in (entry.get("status"), outcome_of(entry)))
            and entry["at"] >= self._first
        )


class Entries(Iterator[dict[str, Any]]):
    """The entries of a log, read lazily.

    Attributes:
        skipped: How many lines so far were not entries: cut off, damaged, or foreign.
    """

    def __init__(self, file: Path, entry_filter: EntryFilter, *, newest_first: bool, limit: int | None) -> None:
        self.skipped = 0
        self._filter = entry_filter
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
        """Yield the matching entries of open files, which are given newest first."""
        since = self._filter.since
        for segment in segments if self._newest_first else reversed(segments):
            if since is not None and segment.modified < since - _CLOCK_SLACK:
                continue  # it has no newer entry
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
    """Return the entries of a log and its rotated files, as of when the first one is read.

    Args:
        file: The log; a missing one has no entries.
        newest_first: Read from the end, and no more than needed.
        since: Not before this time, in seconds since 1970.
        tool: Only of this tool.
        outcome: Only with this status or decision.
        session: Only of this session.
        limit: The maximum number of entries.
    """
    entry_filter = EntryFilter(since=since, tool=tool, outcome=outcome, session=session)
    return Entries(file, entry_filter, newest_first=newest_first, limit=limit)


def outcome_of(entry: dict[str, Any]) -> str | None:
    """Return the decision about a call; None if there is none."""
    decision = entry.get("decision")
    outcome = decision.get("outcome") if isinstance(decision, dict) else None
    return outcome if isinstance(outcome, str) else None


def parse(line: bytes | None) -> dict[str, Any] | None:
    """Return the entry in a line, if it is one."""
    if not line:
        return None
    try:
        entry = _decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or not isinstance(entry.get("v"), int):
        return None
    # Filters and output rely on these.
    is_complete = all(isinstance(entry.get(key), str) for key in ("at", "id", "tool"))
    return entry if is_complete else None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decode = JSONDecoder(parse_constant=_no_constant).decode


class Follower:
    """Yields the last entries and then all new ones. The log need not exist yet."""

    def __init__(self, file: Path, entry_filter: EntryFilter) -> None:
        self._file = file
        self._filter = entry_filter
        self._current: Segment | None = None
        self._position = 0
        self._splitter = LineSplitter()

    def start(self, last: int) -> list[dict[str, Any]]:
        """Return the last entries of now; `poll` continues after them."""
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
        """Yield the entries since the last call."""
        yield from self._read_on()
        for segment in self._newer():
            yield from self._read_on()  # lines written before it was rotated
            self.close()
            self._current, self._position, self._splitter = segment, 0, LineSplitter()
        yield from self._read_on()

    def close(self) -> None:
        """Close the file."""
        current, self._current = self._current, None
        if current is not None:
            current.close()

    def _read_on(self) -> Iterator[dict[str, Any]]:
        if self._current is None:
            return
        if os.fstat(self._current.descriptor).st_size < self._position:  # it was truncated
            self._position, self._splitter = 0, LineSplitter()
        while block := os.pread(self._current.descriptor, BLOCK, self._position):
            self._position += len(block)
            for line in self._splitter.feed(block):
                entry = parse(line)
                if entry is not None and self._filter.matches(entry):
                    yield entry

    def _newer(self) -> list[Segment]:
        """Return the files that came after the current one, oldest first."""
        newest = self._newest()
        if newest is None or (self._current is not None and newest == self._current.identity):
            return []
        found = open_segments(self._file)
        known = [segment.identity for segment in found]
        if self._current is None:
            newer = len(found)
        elif self._current.identity in known:
            newer = known.index(self._current.identity)
        else:  # it was removed: only the current file can be new
            newer = 1 if known[:1] == [newest] else 0
        for segment in found[newer:]:
            segment.close()
        return found[:newer][::-1]

    def _newest(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._file, follow_symlinks=False)
        except OSError:  # during a rotation, or removed
            return None
        return found.st_dev, found.st_ino


def find_health_problem(home: Path) -> HealthProblem | None:
    """Return why the log cannot be used, or how many of its last lines are damaged."""
    from hermes_approval.audit.writer import FILE_NAME
    from hermes_core.health import HealthProblem

    file = home / FILE_NAME
    if not os.path.lexists(file):
        return None
    if not file.is_file():
        return HealthProblem(message=f"{file} is not a file, so calls are not logged", remedy="Move it away.")
    try:
        with file.open("rb") as opened:
            opened.seek(max(0, file.stat().st_size - _TAIL_BYTES))
            lines = opened.read().splitlines()
    except OSError as error:
        message = f"{file} cannot be read ({error.strerror})"
        return HealthProblem(message=message, remedy="Fix its owner and mode.")
    damaged = 0
    for number, line in enumerate(filter(None, lines)):
        try:
            entry = _decode(line.decode("utf-8"))
        except (ValueError, RecursionError):
            damaged += number > 0  # the first line may be cut off
            continue
        version = entry.get("v") if isinstance(entry, dict) else None
        if isinstance(version, int) and version > VERSION:
            message = f"{file} was written by a newer version (format {version}; this one reads {VERSION})"
            return HealthProblem(message=message, remedy="Upgrade hermes-approval, or move the file away.")
    if not damaged:
        return None
    message = f"{damaged} of the last lines of {file} are damaged; 'hermes audit' skips them"
    remedy = "A full disk or a crash does that. The other lines are fine."
    return HealthProblem(message=message, remedy=remedy, level="warning")
