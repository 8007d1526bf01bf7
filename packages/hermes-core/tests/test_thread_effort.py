"""Deadlines tell code that hangs from code that waits for a busy machine."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from hermes_core.calls.deadlines import DeadlineError
from hermes_core.calls.worker_threads import Workers
from hermes_core.errors import PluginError
from hermes_core.plugins.plugin_import import load
from hermes_core.plugins.plugin_records import Candidate
from hermes_core.thread_effort import Grace, is_excused, read_times

IDLE = 0.4
"""How long the plugins of these tests may do nothing."""


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()
    for name in [name for name in sys.modules if name.startswith("effort_test_")]:
        del sys.modules[name]


def compute(seconds: float, stop: threading.Event) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end and not stop.is_set():
        sum(range(1000))


def import_slowly(seconds: float, stop: threading.Event) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not stop.wait(IDLE / 8):
        name = f"effort_test_{len(sys.modules)}"
        sys.modules[name] = ModuleType(name)


def run(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def plugin(work: Callable[[], object]) -> Candidate:
    def run() -> object:
        work()
        return ModuleType("effort_test_plugin")

    return Candidate(name="slow", origin="test", load=run)


def test_an_import_may_compute_for_longer_than_it_may_be_idle(stop: threading.Event) -> None:
    assert load(plugin(lambda: compute(2 * IDLE, stop)), seconds=IDLE).tools == ()


def test_an_import_may_take_long_while_it_imports_modules(stop: threading.Event) -> None:
    assert load(plugin(lambda: import_slowly(3 * IDLE, stop)), seconds=IDLE).tools == ()


def test_an_import_that_sleeps_is_given_up(stop: threading.Event) -> None:
    started = time.monotonic()
    with pytest.raises(PluginError, match=r"still loading after 0\.4 s without progress"):
        load(plugin(lambda: stop.wait(60)), seconds=IDLE)
    assert time.monotonic() - started < 30


def test_an_import_that_computes_for_ever_is_given_up(stop: threading.Event) -> None:
    with pytest.raises(PluginError, match=r"still loading after 1\.2 s of processor time"):
        load(plugin(lambda: compute(60, stop)), seconds=IDLE)


def test_an_import_that_imports_for_ever_is_given_up(stop: threading.Event) -> None:
    with pytest.raises(PluginError, match=r"still loading after 2\.4 s"):
        load(plugin(lambda: import_slowly(60, stop)), seconds=IDLE)


def test_the_time_for_which_a_hook_imports_does_not_count(stop: threading.Event) -> None:
    workers = Workers()
    assert workers.run(lambda: import_slowly(3 * IDLE, stop), IDLE, grace=True) is None
    with pytest.raises(DeadlineError):
        workers.run(lambda: import_slowly(3 * IDLE, stop), IDLE)
    workers.close()


def test_a_hook_that_sleeps_is_late_although_it_imported_something(stop: threading.Event) -> None:
    def work() -> None:
        import_slowly(IDLE / 2, stop)
        stop.wait(60)

    workers = Workers()
    started = time.monotonic()
    with pytest.raises(DeadlineError):
        workers.run(work, IDLE, grace=True)
    assert time.monotonic() - started < 30
    workers.close()


def test_a_thread_that_was_not_held_up_gets_no_more_time() -> None:
    code = """
        import sys, threading
        from hermes_core.thread_effort import Grace
        sleeper = threading.Thread(target=threading.Event().wait, args=(60,), daemon=True)
        sleeper.start()
        threading.Event().wait(0.2)
        print(Grace(1e9, lambda: sleeper.native_id, len(sys.modules)).more())
    """
    done = run(code)
    assert done.stdout.strip() == "0.0"


def test_where_the_system_counts_nothing_the_load_of_the_machine_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_times(-1)[1] is None
    crowd = float(10 * (os.cpu_count() or 1))
    monkeypatch.setattr(os, "getloadavg", lambda: (crowd, crowd, crowd))
    assert Grace(1.0, lambda: -1, len(sys.modules), time.process_time()).more() > 0
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    assert Grace(1.0, lambda: -1, len(sys.modules), time.process_time()).more() == 0.0


def test_a_thread_that_always_waits_for_a_processor_gets_no_endless_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("hermes_core.thread_effort.time.monotonic", lambda: now)
    monkeypatch.setattr("hermes_core.thread_effort.read_times", lambda *_: (now * 0.2, now * 0.8))
    monkeypatch.setattr("hermes_core.thread_effort._is_runnable", lambda *_: True)
    grace = Grace(1.0, lambda: 1, len(sys.modules))
    now = 1.0
    while grace.more() and now < 100:
        now += 0.25  # callers look at intervals
    assert now < 20


def test_a_hook_that_waits_for_a_processor_is_not_late() -> None:
    """One busy process and one with the lowest priority share a processor: the latter gets a hundredth of it."""
    code = """
        import os, signal, time
        from hermes_core.calls.deadlines import DeadlineError
        from hermes_core.calls.worker_threads import Workers

        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        busy = os.fork()
        if not busy:
            while True:
                sum(range(1000))

        def compute():
            end = time.thread_time() + 0.03
            while time.thread_time() < end:
                sum(range(100))
            return "done"

        try:
            os.nice(19)
            workers = Workers()
            started = time.monotonic()
            try:
                workers.run(compute, 0.2)
            except DeadlineError:
                print("late")
            print(workers.run(compute, 0.2, grace=True), time.monotonic() - started > 0.4)
        finally:
            os.kill(busy, signal.SIGKILL)
    """
    done = run(code)
    assert done.stdout.split() == ["late", "done", "True"], done.stderr


def test_an_answer_that_took_long_is_excused_only_by_time_in_the_queue() -> None:
    code = "from hermes_core.thread_effort import is_excused; print(is_excused(1e6, 1.0), is_excused(0.5, 1.0))"
    done = run(code)
    assert done.stdout.split() == ["False", "True"]
    assert is_excused(1.0, 1.0)
