"""Threads and processes that share a cache, and those that are killed with it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from hermes_tools_web.cache.web_cache import FILE, WebCache

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
    database = sqlite3.connect(folder / FILE)
    try:
        rows = database.execute("SELECT count(*) FROM entries LEFT JOIN texts USING (id) WHERE text IS NULL").fetchone()
        return bool(database.execute("PRAGMA integrity_check").fetchone() == ("ok",) and rows == (0,))
    finally:
        database.close()


def has_entries(folder: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{(folder / FILE).as_uri()}?mode=ro", uri=True)) as database:
            return bool(database.execute("SELECT 1 FROM entries LIMIT 1").fetchone())
    except sqlite3.OperationalError:
        return False  # it is not there yet, or being made


def test_processes_share_one_file(folder: Path, new_cache: NewCache) -> None:
    workers = [worker(folder, str(number), 150) for number in range(3)]
    start(workers)
    for each in workers:
        out, err = each.communicate(timeout=120)
        assert out == "wrong 0\n"
        assert "broken" not in err
        assert each.returncode == 0
    assert is_whole(folder)
    assert (folder / FILE).stat().st_size <= 1_000_000


def test_a_process_that_is_killed_leaves_a_whole_file(folder: Path) -> None:
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


def test_a_forked_child_has_a_connection_of_its_own(cache: WebCache, new_cache: NewCache) -> None:
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
