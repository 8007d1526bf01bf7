"""The reader goes through all files from either end, skips what is no entry, and needs little memory."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_approval.audit.reader import read_entries
from hermes_approval.audit.timestamps import local, parse_time, stamp
from hermes_approval.audit.writer import AuditLog

MakeEntry = Callable[..., dict[str, Any]]


def line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry).encode() + b"\n"


def test_a_log_that_is_not_there_has_no_entries(tmp_path: Path) -> None:
    assert list(read_entries(tmp_path / "audit.jsonl")) == []
    assert list(read_entries(tmp_path / "no folder" / "audit.jsonl", newest_first=True)) == []


@pytest.mark.parametrize("newest_first", [False, True])
def test_rotated_files_are_read_in_order(tmp_path: Path, entry: MakeEntry, newest_first: bool) -> None:
    log = AuditLog(tmp_path / "audit.jsonl", max_bytes=800, keep=100)
    for number in range(60):
        log.append(entry(number))
    (tmp_path / "audit.jsonl.bak").write_bytes(line(entry(99)))
    (tmp_path / "audit.jsonl.0001x").write_bytes(line(entry(98)))
    assert len(os.listdir(tmp_path)) > 12  # ten comes after nine, not after one
    wanted = list(range(60))[:: -1 if newest_first else 1]
    assert [each["id"] for each in read_entries(log.file, newest_first=newest_first)] == [f"call-{n}" for n in wanted]


DAMAGED = {
    "torn": b'{"v":1,"at":"2026-03-01T12:00:0',
    "foreign text": b"Traceback (most recent call last):",
    "other JSON": b'{"level":"info"}',
    "no object": b"[1,2]",
    "wrong types": b'{"v":1,"at":5,"id":"x","tool":"look"}',
    "not UTF-8": b"\xff\xfe\x00{",
    "zeros": b"\x00" * 5_000,
    "not a number": b'{"v":1,"at":"x","id":"x","tool":"look","seconds":NaN}',
    "deep": b"[" * 100_000,
    "endless": b"x" * 1_000_000,
    "two in one": b'{"v":1,"at":"x","id":"x","tool":"look"}{"v":1,"at":"x","id":"y","tool":"look"}',
}


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED.keys())
@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_a_damaged_line_is_skipped_and_counted(
    tmp_path: Path, entry: MakeEntry, damage: bytes, newest_first: bool, place: str
) -> None:
    file = tmp_path / "audit.jsonl"
    lines = [line(entry(1)), line(entry(2))]
    lines.insert({"first": 0, "middle": 1, "last": 2}[place], damage + b"\n")
    file.write_bytes(b"\n".join(lines).rstrip(b"\n"))  # with empty lines, which are no damage
    entries = read_entries(file, newest_first=newest_first)
    assert sorted(each["id"] for each in entries) == ["call-1", "call-2"]
    assert entries.skipped == 1


def test_both_directions_find_the_same_whatever_the_lines_are_long(tmp_path: Path, entry: MakeEntry) -> None:
    file = tmp_path / "audit.jsonl"
    file.write_bytes(b"".join(line(entry(number, args="é" * (number * 997 % 20_000))) for number in range(120)))
    forward = list(read_entries(file))
    assert len(forward) == 120
    assert list(read_entries(file, newest_first=True)) == forward[::-1]


def test_entries_are_chosen_by_tool_outcome_session_and_time(tmp_path: Path, entry: MakeEntry) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    denied = {"outcome": "denied-by-policy", "by": "p", "reason": "no"}
    log.append(entry(1, tool="burn", decision=denied, status="blocked"))
    log.append(entry(2, session="other"))
    log.append(entry(3, status="error", decision=None))
    log.append(entry(4))

    def found(**wanted: Any) -> list[str]:
        return [each["id"] for each in read_entries(log.file, **wanted)]

    assert found(tool="burn") == ["call-1"]
    assert found(outcome="denied-by-policy") == found(outcome="blocked") == ["call-1"]
    assert found(outcome="error") == ["call-3"]
    assert found(outcome="allowed") == ["call-2", "call-4"]
    assert found(session="other") == ["call-2"]
    assert found(since=parse_time("2026-03-01T12:00:03+00:00", now=0)) == ["call-3", "call-4"]
    assert found(limit=2) == ["call-1", "call-2"]
    assert found(limit=2, newest_first=True) == ["call-4", "call-3"]
    assert found(limit=0) == []
    assert found(since=4_000_000_000) == []


def test_a_rotation_while_reading_neither_hides_nor_doubles(tmp_path: Path, entry: MakeEntry) -> None:
    log = AuditLog(tmp_path / "audit.jsonl", max_bytes=800, keep=100)
    for number in range(20):
        log.append(entry(number))
    for newest_first in (False, True):
        entries = read_entries(log.file, newest_first=newest_first)
        found = [next(entries)["id"]]
        for number in range(20, 30):
            log.append(entry(number))
        found += [each["id"] for each in entries]
        assert len(set(found)) == len(found) == (30 if newest_first else 20)
        if not newest_first:
            assert found == [f"call-{number}" for number in range(20)]
            log.close()
            for file in tmp_path.iterdir():
                file.unlink()
            for number in range(30):
                log.append(entry(number))


def test_files_are_closed_when_reading_ends_early(tmp_path: Path, entry: MakeEntry) -> None:
    log = AuditLog(tmp_path / "audit.jsonl", max_bytes=1)
    log.append(entry(1))
    log.append(entry(2))
    before = os.listdir("/dev/fd")
    entries = read_entries(log.file)
    next(entries)
    assert len(os.listdir("/dev/fd")) == len(before) + 2
    entries.close()
    assert len(os.listdir("/dev/fd")) == len(before)


def test_reading_a_big_log_takes_little_memory(tmp_path: Path, entry: MakeEntry) -> None:
    file = tmp_path / "audit.jsonl"
    with file.open("wb") as out:
        out.write(line(entry(1, args="x" * 5_000)) * 2_000 + b"x" * 10_000_000 + b"\n")
    for newest_first in (False, True):
        tracemalloc.start()
        try:
            assert sum(1 for _ in read_entries(file, newest_first=newest_first)) == 2_000
            assert tracemalloc.get_traced_memory()[1] < 3_000_000
        finally:
            tracemalloc.stop()


def test_people_say_times_in_several_ways() -> None:
    assert parse_time("2h", now=10_000) == 2_800
    assert parse_time(" 1.5m ", now=10_000) == 9_910
    assert parse_time("9w", now=10_000) == 0
    assert parse_time("2026-03-01T12:00:00Z", now=0) == 1_772_366_400
    assert local(stamp(parse_time("2026-03-01 12:30", now=0))) == "2026-03-01 12:30:00"
    assert local("never") == "never"
    assert stamp(0.9996) == "1970-01-01T00:00:01.000Z"
    for nonsense in ("", "h", "soon", "1.2.3h", "-5m", "٣h", "2026-13-01"):
        with pytest.raises(ValueError):
            parse_time(nonsense, now=0)
