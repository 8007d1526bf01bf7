"""Disks and files that fail: the cache works without, says so once, and harms nothing."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tools_web.cache.web_cache import NAME, WebCache

NewCache = Callable[..., WebCache]


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


def test_a_file_in_place_of_the_directory(new_cache: NewCache, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder.mkdir()
    (folder / NAME).write_text("mine")
    assert works_without(new_cache(), caplog)
    assert (folder / NAME).read_text() == "mine"


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


def only_file(cache: WebCache) -> Path:
    """The file of the only entry."""
    (file,) = cache.path.iterdir()
    return file


@pytest.mark.parametrize("content", [b"", b"short", b"\0" * 4096, bytes(range(256))])
def test_a_damaged_entry_is_not_found_and_is_removed(cache: WebCache, content: bytes) -> None:
    cache.put("page", "direct", "k", "page")
    only_file(cache).write_bytes(content)
    assert cache.get("page", "direct", "k") is None
    assert cache.stats().pages == 0
    assert works(cache)


def test_an_entry_in_place_of_another_is_noticed(cache: WebCache) -> None:
    cache.put("page", "direct", "a", "the words of one page")
    one = only_file(cache)
    content = one.read_bytes()
    cache.put("page", "direct", "b", "the words of another")
    (two,) = set(cache.path.iterdir()) - {one}
    two.write_bytes(content)
    assert cache.get("page", "direct", "b") is None
    assert cache.get("page", "direct", "a") == "the words of one page"


def test_a_link_or_pipe_in_place_of_an_entry_is_not_read(cache: WebCache, tmp_path: Path) -> None:
    cache.put("page", "direct", "k", "page")
    file = only_file(cache)
    (tmp_path / "target").write_bytes(file.read_bytes())
    for kind in ("link", "pipe"):
        file.unlink()
        if kind == "link":
            file.symlink_to(tmp_path / "target")
        else:
            os.mkfifo(file)
        assert cache.get("page", "direct", "k") is None
        assert cache.problem


def test_a_file_that_was_taken_away_is_made_again(new_cache: NewCache, folder: Path) -> None:
    cache, other = new_cache(), new_cache()
    assert works(cache)
    assert other.get("page", "direct", "k") == "page"
    shutil.rmtree(folder)
    assert cache.get("page", "direct", "k") is None
    assert works(cache)
    assert other.get("page", "direct", "k") == "page"
    other.put("page", "direct", "more", "page")
    assert cache.get("page", "direct", "more") == "page"


def test_what_could_not_be_opened_is_tried_again(new_cache: NewCache, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.write_text("in the way")
    cache = new_cache(place)
    assert not works(cache)
    place.unlink()
    assert works(cache)
    assert cache.problem == ""
