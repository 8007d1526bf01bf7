"""Whoever follows the log sees each entry once, across rotations, however many came between two looks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hermes_approval.audit.reader import EntryFilter, Follower
from hermes_approval.audit.writer import AuditLog

MakeEntry = Callable[..., dict[str, Any]]


def numbers(entries: Any) -> list[int]:
    return [int(entry["id"].removeprefix("call-")) for entry in entries]


def test_following_goes_on_behind_the_last_entries(tmp_path: Path, entry: MakeEntry) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    for number in range(5):
        log.append(entry(number))
    follower = Follower(log.file, EntryFilter())
    assert numbers(follower.start(2)) == [3, 4]
    assert numbers(follower.poll()) == []
    log.append(entry(5))
    assert numbers(follower.poll()) == [5]
    follower.close()


def test_several_rotations_between_two_looks_hide_nothing(tmp_path: Path, entry: MakeEntry) -> None:
    log = AuditLog(tmp_path / "audit.jsonl", max_bytes=600, keep=50)
    log.append(entry(0))
    follower = Follower(log.file, EntryFilter())
    assert numbers(follower.start(10)) == [0]
    seen: list[int] = []
    for number in range(1, 60):
        log.append(entry(number))
        if number % 13 == 0:
            seen += numbers(follower.poll())
    seen += numbers(follower.poll())
    assert seen == list(range(1, 60))
    follower.close()


def test_a_log_that_comes_later_is_seen_from_its_beginning(tmp_path: Path, entry: MakeEntry) -> None:
    log = AuditLog(tmp_path / "audit.jsonl", max_bytes=1)
    follower = Follower(log.file, EntryFilter())
    assert follower.start(10) == []
    assert numbers(follower.poll()) == []
    log.append(entry(1))
    log.append(entry(2))
    assert numbers(follower.poll()) == [1, 2]
    follower.close()


def test_a_line_that_is_being_written_is_shown_when_it_is_whole(tmp_path: Path, entry: MakeEntry) -> None:
    file = tmp_path / "audit.jsonl"
    AuditLog(file).append(entry(1))
    whole = file.read_bytes()
    with file.open("ab") as out:
        out.write(whole[:40].replace(b"call-1", b"call-2"))
        out.flush()
        follower = Follower(file, EntryFilter())
        assert numbers(follower.start(10)) == [1]
        assert numbers(follower.poll()) == []
        out.write(whole[40:].replace(b"call-1", b"call-2"))
        out.flush()
        assert len(numbers(follower.poll())) == 1
    follower.close()


def test_a_file_that_was_removed_or_emptied_is_followed_on(tmp_path: Path, entry: MakeEntry) -> None:
    log = AuditLog(tmp_path / "audit.jsonl", max_bytes=400)
    for number in range(4):
        log.append(entry(number))
    follower = Follower(log.file, EntryFilter())
    follower.start(0)
    log.file.unlink()
    assert numbers(follower.poll()) == []
    log.append(entry(7))
    assert numbers(follower.poll()) == [7]
    log.file.write_bytes(b"")
    assert numbers(follower.poll()) == []
    log.append(entry(8))
    assert numbers(follower.poll()) == [8]
    follower.close()


def test_only_what_is_wanted_is_shown(tmp_path: Path, entry: MakeEntry) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    log.append(entry(1, tool="burn"))
    log.append(entry(2))
    follower = Follower(log.file, EntryFilter(tool="burn"))
    assert numbers(follower.start(10)) == [1]
    log.append(entry(3))
    log.append(entry(4, tool="burn"))
    assert numbers(follower.poll()) == [4]
    follower.close()
