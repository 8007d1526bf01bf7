"""Disks and files that fail: the cache works without, says so once, and harms nothing."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_web.cache.database import APPLICATION, VERSION
from hermes_tools_web.cache.web_cache import FILE, WebCache

NewCache = Callable[..., WebCache]


@contextlib.contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    database = sqlite3.connect(path, isolation_level=None)
    try:
        yield database
    finally:
        database.close()


def works(cache: WebCache) -> bool:
    cache.put("page", "direct", "k", "page")
    return cache.get("page", "direct", "k") == "page"


def works_without(cache: WebCache, caplog: pytest.LogCaptureFixture) -> bool:
    """Whether it does nothing, raises nothing, and says so in one line."""
    for _ in range(5):
        assert not works(cache)
        assert cache.clear() in (None, 0)
    lines = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(lines) == 1, lines
    assert str(cache.path) in lines[0]
    return True


def test_a_file_in_place_of_the_folder(new_cache: NewCache, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("mine")
    assert works_without(new_cache(tmp_path / "file"), caplog)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_in_place_of_the_file(new_cache: NewCache, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (folder / FILE / "inside").mkdir(parents=True)
    cache = new_cache()
    assert works_without(cache, caplog)
    assert "not a regular file" in cache.stats().problem
    assert (folder / FILE / "inside").is_dir()


def test_a_pipe_in_place_of_the_file(new_cache: NewCache, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder.mkdir()
    os.mkfifo(folder / FILE)
    assert works_without(new_cache(), caplog)


def test_a_path_that_cannot_be(new_cache: NewCache, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = new_cache(tmp_path / "a\0b")
    assert works_without(cache, caplog)
    assert cache.stats().pages == 0


def test_a_read_only_disk(
    new_cache: NewCache, new_disk: Callable[[str], Path], caplog: pytest.LogCaptureFixture
) -> None:
    disk = new_disk("size=1m")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    assert works_without(new_cache(disk / "cache"), caplog)


def test_a_disk_that_became_read_only(
    new_cache: NewCache, new_disk: Callable[[str], Path], caplog: pytest.LogCaptureFixture
) -> None:
    disk = new_disk("size=1m")
    first = new_cache(disk)
    assert works(first)
    first.close()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    cache = new_cache(disk)
    cache.put("page", "direct", "new", "page")
    assert cache.get("page", "direct", "new") is None
    assert len(caplog.records) == 1


def test_a_disk_that_is_full_from_the_beginning(
    new_cache: NewCache, new_disk: Callable[[str], Path], caplog: pytest.LogCaptureFixture
) -> None:
    disk = new_disk("size=64k")
    with contextlib.suppress(OSError), (disk / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 1024)
    assert works_without(new_cache(disk), caplog)


def test_a_disk_that_fills_up_keeps_what_there_is(
    new_cache: NewCache, new_disk: Callable[[str], Path], caplog: pytest.LogCaptureFixture
) -> None:
    cache = new_cache(new_disk("size=400k"))
    cache.put("page", "direct", "first", "page")
    for number in range(60):
        cache.put("page", "direct", str(number), os.urandom(8000).hex())
    assert cache.problem
    assert cache.get("page", "direct", "first") == "page"
    assert len(caplog.records) == 1
    assert cache.clear() is None or cache.get("page", "direct", "first") is None
    assert cache.stats().pages in (0, *range(61))


@pytest.mark.parametrize("content", [b"no database at all" * 500, b"SQLite format 3\0" + b"\xff" * 8000, b"\0" * 4096])
def test_a_broken_file_is_begun_anew(
    new_cache: NewCache, folder: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    folder.mkdir()
    (folder / FILE).write_bytes(content)
    assert works(new_cache())
    assert len(caplog.records) == 1
    assert "a new one is started" in caplog.text
    assert (folder / f"{FILE}.broken").read_bytes() == content


def test_a_file_that_breaks_in_use_is_begun_anew(new_cache: NewCache, folder: Path) -> None:
    first = new_cache()
    for number in range(50):
        first.put("page", "direct", str(number), os.urandom(3000).hex())
    first.close()
    content = bytearray((folder / FILE).read_bytes())
    content[4096 : len(content) - 4096] = os.urandom(len(content) - 8192)
    (folder / FILE).write_bytes(content)
    cache = new_cache()
    for number in range(50):
        assert cache.get("page", "direct", str(number)) is None
    assert works(cache)


def test_damage_to_a_text_is_noticed(new_cache: NewCache, folder: Path) -> None:
    first = new_cache()
    first.put("page", "direct", "a", "the words of one page")
    first.put("page", "direct", "b", "the words of another")
    first.close()
    with opened(folder / FILE) as database:
        database.execute("UPDATE texts SET text = (SELECT text FROM texts WHERE id = 2) WHERE id = 1")
    cache = new_cache()
    assert cache.get("page", "direct", "a") is None
    assert cache.get("page", "direct", "b") == "the words of another"
    assert cache.stats().pages == 1


def test_a_file_cut_short_is_no_trouble(new_cache: NewCache, folder: Path) -> None:
    first = new_cache()
    for number in range(50):
        first.put("page", "direct", str(number), os.urandom(3000).hex())
    first.close()
    os.truncate(folder / FILE, 50_000)
    cache = new_cache()
    for number in range(50):
        found = cache.get("page", "direct", str(number))
        assert found is None or len(found) == 6000
    assert works(cache)


def test_tables_that_are_missing_are_made_anew(new_cache: NewCache, folder: Path) -> None:
    first = new_cache()
    assert works(first)
    first.close()
    with opened(folder / FILE) as database:
        database.execute("DROP TABLE texts")
    assert works(new_cache())


def test_an_older_schema_is_begun_anew(new_cache: NewCache, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder.mkdir()
    with opened(folder / FILE) as database:
        database.execute("CREATE TABLE entries (url TEXT)")
        database.execute("""CREATE TABLE "od""d" (url TEXT)""")
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {VERSION - 1}")
    assert works(new_cache())
    assert not caplog.records


def test_a_newer_schema_is_left_alone(new_cache: NewCache, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder.mkdir()
    with opened(folder / FILE) as database:
        database.execute("CREATE TABLE treasures (gold TEXT)")
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
    assert works_without(new_cache(), caplog)
    assert "newer version" in caplog.text
    with opened(folder / FILE) as database:
        assert database.execute("SELECT count(*) FROM treasures").fetchone() == (0,)


def test_a_file_of_another_program_is_left_alone(
    new_cache: NewCache, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.mkdir()
    with opened(folder / FILE) as database:
        database.execute("CREATE TABLE treasures (gold TEXT)")
    assert works_without(new_cache(), caplog)
    assert "another program" in caplog.text
    with opened(folder / FILE) as database:
        assert database.execute("SELECT count(*) FROM treasures").fetchone() == (0,)


def test_a_locked_file_is_read_but_not_written(
    new_cache: NewCache, folder: Path, clock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    cache = new_cache()
    cache.put("page", "direct", "old", "page")
    with opened(folder / FILE) as other:
        other.execute("BEGIN IMMEDIATE")
        for number in range(20):  # only the first waits
            cache.put("page", "direct", str(number), "page")
        assert cache.get("page", "direct", "old") == "page"
        assert cache.get("page", "direct", "0") is None
        assert cache.clear() is None
        assert "locked" in cache.problem
        other.execute("ROLLBACK")
    assert len(caplog.records) == 1
    clock.now += 3
    assert works(cache)
    assert cache.problem == ""


def test_a_file_that_is_locked_wholly_is_done_without(
    new_cache: NewCache, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = new_cache()
    assert works(first)
    first.close()
    with opened(folder / FILE) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("DELETE FROM texts WHERE id = -1")
        assert works_without(new_cache(), caplog)
        other.execute("ROLLBACK")


def test_a_file_that_was_taken_away_is_made_again(new_cache: NewCache, folder: Path) -> None:
    cache, other = new_cache(), new_cache()
    assert works(cache)
    assert other.get("page", "direct", "k") == "page"
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    assert cache.get("page", "direct", "k") is None
    assert works(cache)
    assert other.get("page", "direct", "k") == "page"
    other.put("page", "direct", "more", "page")
    assert cache.get("page", "direct", "more") == "page"


def test_what_could_not_be_opened_is_tried_again_later(new_cache: NewCache, tmp_path: Path, clock: Any) -> None:
    place = tmp_path / "place"
    place.write_text("in the way")
    cache = new_cache(place)
    assert not works(cache)
    place.unlink()
    assert not works(cache)
    clock.now += 31
    assert works(cache)
