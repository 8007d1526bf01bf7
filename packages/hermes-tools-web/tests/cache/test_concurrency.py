"""Threads and processes that share a cache, and those that are killed with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from hermes_tools_web.cache.web_cache import WebCache
from hermes_tools_web.settings import CacheSettings

NewCache = Callable[..., WebCache]

WORKER = """
import logging, os, sys
from pathlib import Path
from hermes_tools_web.cache.web_cache import WebCache
from hermes_tools_web.settings import CacheSettings

logging.basicConfig(level="WARNING")
folder, name, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with WebCache(folder, CacheSettings(max_mb=1)) as cache:
    print("ready", flush=True)
    sys.stdin.readline()
    wrong = 0
    for number in range(rounds):
        key = str(number % 40)
        cache.put("page", "direct", key, key * 20_000)
        found = cache.get("page", "direct", key)
        wrong += found is not None and found != key * 20_000
    print("wrong", wrong, flush=True)
"""


def worker(folder: Path, name: str, rounds: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(folder), name, str(rounds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def start(workers: list[subprocess.Popen[str]]) -> None:
    for each in workers:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in workers:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()


def is_whole(folder: Path) -> bool:
    """Whether every file of the cache is an entry that can be read."""
    with WebCache(folder, CacheSettings(max_mb=1)) as cache:
        found = [cache.get("page", "direct", str(number)) for number in range(40)]
        return sum(text is not None for text in found) == cache.stats().pages


def has_entries(folder: Path) -> bool:
    with WebCache(folder, CacheSettings(max_mb=1)) as cache:
        return cache.stats().pages > 0


def test_processes_share_one_directory(folder: Path, new_cache: NewCache) -> None:
    workers = [worker(folder, str(number), 150) for number in range(3)]
    start(workers)
    for each in workers:
        out, err = each.communicate(timeout=120)
        assert out == "wrong 0\n"
        assert "broken" not in err
        assert each.returncode == 0
    assert is_whole(folder)
    assert new_cache(max_mb=1).stats().bytes <= 1_000_000


def test_a_process_that_is_killed_leaves_whole_files(folder: Path) -> None:
    child = worker(folder, "victim", 1_000_000)
    start([child])
    latest = time.monotonic() + 20
    while not has_entries(folder):
        assert time.monotonic() < latest
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=30)
    assert is_whole(folder)
    assert has_entries(folder)


def test_threads_share_one_cache(cache: WebCache) -> None:
    wrong: list[object] = []

    def work(name: int) -> None:
        for number in range(60):
            cache.put("page", "direct", f"{name}-{number}", f"{name} {number}" * 100)
            if cache.get("page", "direct", f"{name}-{number}") != f"{name} {number}" * 100:
                wrong.append((name, number))

    threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []
    assert cache.stats().pages == 360


def test_a_forked_child_shares_the_cache(cache: WebCache, new_cache: NewCache) -> None:
    cache.put("page", "direct", "k", "of the parent")
    child = os.fork()
    if child == 0:
        ok = cache.get("page", "direct", "k") == "of the parent"
        cache.put("page", "direct", "child", "of the child")
        os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    cache.put("page", "direct", "more", "of the parent")
    assert cache.get("page", "direct", "child") == "of the child"
    assert new_cache().stats().pages == 3
