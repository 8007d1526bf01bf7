"""What the cache keeps, for how long, and how much of it."""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tools_web.cache.web_cache import NAME, WebCache

NewCache = Callable[..., WebCache]


def noise(size: int, seed: int = 0) -> str:
    """Text that takes its size on the disk, because it cannot be compressed: six bits in a letter."""
    return random.Random(seed).randbytes(size // 2).hex()  # compresses to a little more than half


def size_of(folder: Path) -> int:
    """The size of all files of a cache."""
    return sum(file.stat().st_size for file in (folder / NAME).iterdir())


def test_what_was_put_is_got(cache: WebCache) -> None:
    assert cache.get("page", "direct", "https://a.example/") is None
    cache.put("page", "direct", "https://a.example/", '{"content": "hello"}')
    assert cache.get("page", "direct", "https://a.example/") == '{"content": "hello"}'
    cache.put("page", "direct", "https://a.example/", '{"content": "new"}')
    assert cache.get("page", "direct", "https://a.example/") == '{"content": "new"}'
    assert cache.stats().pages == 1


def test_kinds_providers_and_keys_are_kept_apart(cache: WebCache) -> None:
    asked: list[tuple[Any, str, str]] = [
        ("page", "direct", "k"),
        ("search", "direct", "k"),
        ("page", "exa", "k"),
        ("page", "direct", "K"),
        ("page", 'direct", "k', ""),
        ("page", "", "directk"),
    ]
    for number, where in enumerate(asked):
        cache.put(*where, str(number))
    assert [cache.get(*where) for where in asked] == [str(number) for number in range(len(asked))]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.text(st.characters(exclude_categories=())), key=st.text(st.characters(exclude_categories=())))
def test_any_text_comes_back_as_it_was(cache: WebCache, text: str, key: str) -> None:
    cache.put("page", key, key, text)
    assert cache.get("page", key, key) == text


def test_long_texts_are_compressed(cache: WebCache) -> None:
    text = "The same words again and again. " * 100_000
    cache.put("page", "direct", "long", text)
    assert cache.get("page", "direct", "long") == text
    assert cache.stats().bytes < len(text) // 10


def test_another_process_finds_it(cache: WebCache, new_cache: NewCache) -> None:
    cache.put("page", "direct", "k", "kept")
    cache.close()
    assert new_cache().get("page", "direct", "k") == "kept"


def test_pages_and_searches_grow_old_each_in_its_own_time(new_cache: NewCache, clock: Any) -> None:
    cache = new_cache(page_minutes=60, search_minutes=10)
    cache.put("page", "direct", "k", "page")
    cache.put("search", "ddgs", "k", "rows")
    clock.now += 10 * 60 - 1
    assert cache.get("search", "ddgs", "k") == "rows"
    clock.now += 1
    assert cache.get("search", "ddgs", "k") is None
    assert cache.get("page", "direct", "k") == "page"
    clock.now += 50 * 60
    assert cache.get("page", "direct", "k") is None


def test_a_shorter_time_holds_for_what_is_there_already(new_cache: NewCache, clock: Any) -> None:
    new_cache(page_minutes=60).put("page", "direct", "k", "page")
    clock.now += 120
    assert new_cache(page_minutes=1).get("page", "direct", "k") is None


def test_what_is_too_old_leaves_the_disk(new_cache: NewCache, clock: Any) -> None:
    cache = new_cache()
    for number in range(20):
        cache.put("page", "direct", str(number), "old")
    clock.now += 3601
    cache.put("page", "direct", "new", "new")
    assert cache.stats().pages == 1


def test_a_clock_that_was_put_back_keeps_nothing_alive(cache: WebCache, clock: Any) -> None:
    cache.put("page", "direct", "k", "page")
    clock.now -= 30
    assert cache.get("page", "direct", "k") == "page"
    clock.now -= 86_400
    assert cache.get("page", "direct", "k") is None
    cache.put("page", "direct", "other", "page")
    assert cache.stats().pages == 1


def test_no_time_means_that_nothing_is_kept(new_cache: NewCache, folder: Path) -> None:
    for settings_given in ({"page_minutes": 0}, {"enabled": False}):
        cache = new_cache(**settings_given)
        cache.put("page", "direct", "k", "page")
        assert cache.get("page", "direct", "k") is None
    assert not folder.exists()


def test_the_file_stays_within_its_bound(new_cache: NewCache, folder: Path) -> None:
    cache = new_cache(max_mb=1)
    for number in range(120):
        cache.put("page", "direct", str(number), noise(60_000, number))
        assert cache.stats().bytes <= 1_000_000
    assert size_of(folder) <= 1_000_000
    kept = [number for number in range(120) if new_cache(max_mb=1).get("page", "direct", str(number))]
    assert kept == list(range(min(kept), 120))
    assert len(kept) >= 20


def test_many_small_entries_fill_the_bound_and_stay_within_it(new_cache: NewCache, folder: Path) -> None:
    cache = new_cache(max_mb=1)
    for number in range(1000):
        cache.put("search", "ddgs", str(number), noise(500, number))
    found = cache.stats()
    assert 700_000 < found.bytes <= 1_000_000
    assert found.searches > 170
    assert size_of(folder) <= 1_000_000


def test_what_was_used_longest_ago_goes_first(new_cache: NewCache) -> None:
    cache = new_cache(max_mb=1)
    cache.put("page", "direct", "loved", noise(60_000, 1))
    for number in range(60):
        cache.put("page", "direct", str(number), noise(60_000, number))
        assert cache.get("page", "direct", "loved"), number
    assert cache.get("page", "direct", "0") is None
    assert cache.get("page", "direct", "59") is not None


def test_no_entry_takes_more_than_a_tenth(new_cache: NewCache) -> None:
    cache = new_cache(max_mb=1)
    cache.put("page", "direct", "k", "small")
    cache.put("page", "direct", "k", noise(400_000))
    assert cache.get("page", "direct", "k") is None, "the old text would be wrong"
    cache.put("page", "direct", "other", noise(100_000))
    assert cache.get("page", "direct", "other") is not None


def test_a_smaller_bound_makes_the_file_smaller(new_cache: NewCache, folder: Path) -> None:
    large = new_cache(max_mb=5)
    for number in range(80):
        large.put("page", "direct", str(number), noise(90_000, number))
    large.close()
    assert size_of(folder) > 2_000_000
    small = new_cache(max_mb=1)
    small.put("page", "direct", "k", "new")
    small.close()
    assert size_of(folder) <= 1_000_000
    assert new_cache().get("page", "direct", "79") is not None


def test_clearing_forgets_everything_and_gives_the_room_back(cache: WebCache, folder: Path) -> None:
    for number in range(10):
        cache.put("page", "direct", str(number), noise(200_000, number))
    assert cache.clear() == 10
    assert cache.get("page", "direct", "1") is None
    assert size_of(folder) == 0
    assert cache.clear() == 0


def test_looking_at_no_cache_makes_none(cache: WebCache, folder: Path) -> None:
    found = cache.stats()
    assert (found.pages, found.searches, found.bytes, found.problem) == (0, 0, 0, "")
    assert found.limit == 100_000_000
    assert cache.clear() == 0
    assert not folder.exists()


def test_the_file_is_the_users_alone_and_tells_no_keys(cache: WebCache, folder: Path) -> None:
    cache.put("search", "ddgs", "a question about my health", "rows")
    assert stat.S_IMODE((folder / NAME).stat().st_mode) == 0o700
    for file in (folder / NAME).iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
        assert b"my health" not in file.read_bytes()


def test_a_directory_that_others_could_read_is_closed_to_them(cache: WebCache) -> None:
    cache.path.mkdir(parents=True, mode=0o755)
    cache.put("page", "direct", "k", "page")
    assert stat.S_IMODE(cache.path.stat().st_mode) == 0o700


def test_after_closing_nothing_is_found_or_kept(cache: WebCache) -> None:
    cache.put("page", "direct", "k", "page")
    cache.close()
    cache.close()
    assert cache.get("page", "direct", "k") is None
    cache.put("page", "direct", "more", "page")
    assert cache.stats().pages == 1


def test_storing_does_not_look_at_all_entries_each_time(
    cache: WebCache, monkeypatch: pytest.MonkeyPatch, clock: Any
) -> None:
    scans: list[object] = []
    scandir = os.scandir

    def counted(path: Any) -> Any:
        scans.append(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counted)
    for number in range(100):
        cache.put("page", "direct", str(number), "page")
    assert len(scans) == 1
    clock.now += 601
    cache.put("page", "direct", "later", "page")
    assert len(scans) == 2


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 100_000])
def test_texts_of_every_size_come_back(cache: WebCache, size: int) -> None:
    cache.put("page", "direct", "k", "ä" * size)
    assert cache.get("page", "direct", "k") == "ä" * size
