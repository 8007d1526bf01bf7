"""Reads the audit log, rotated files included, in a little memory and whatever state it is in."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from json import JSONDecoder
from pathlib import Path
from typing import Any, NoReturn

from hermes_approval.audit.segments import Segment, backward_lines, forward_lines, open_segments
from hermes_approval.audit.times import stamp

# Seconds by which the clock of a file system may be behind.
_CLOCK_SLACK = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
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

    def takes(self, entry: dict[str, Any]) -> bool:
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

    def __init__(self, file: Path, wanted: Wanted, *, newest_first: bool, limit: int | None) -> None:
        self.skipped = 0
        self._wanted = wanted
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
        since = self._wanted.since
        for segment in segments if self._newest_first else reversed(segments):
            if since is not None and segment.modified < since - _CLOCK_SLACK:
                continue  # nothing was written to it after that
            for line in backward_lines(segment) if self._newest_first else forward_lines(segment):
                entry = parse(line)
                if entry is None:
                    self.skipped += line != b""
                elif self._wanted.takes(entry):
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
    wanted = Wanted(since=since, tool=tool, outcome=outcome, session=session)
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
