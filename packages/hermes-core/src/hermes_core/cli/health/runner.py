"""Starts the processes that run health checks, and collects what they report."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hermes_core.plugins.report import PluginRecord

_START_SECONDS = 60.0
"""How long a worker may take to import its plugin; the load deadline of the plugin ends it earlier."""
_GRACE_SECONDS = 15.0
"""How long after a check's own deadline its worker may be silent: it stops the check itself, unless it is stuck."""


@dataclass(slots=True, kw_only=True)
class CheckResult:
    """What became of one health check.

    Attributes:
        plugin: The plugin that brings it.
        name: What it does.
        tools: The tools that depend on it.
        seconds: How long it took.
        problems: What it found: `level`, `message` and `remedy` of each.
        skipped: Why it did not run; empty when it did.
        abandoned: How many calls of each tool or hook were given up at their deadline, and still ran at its end.
    """

    plugin: str
    name: str
    tools: list[str] = field(default_factory=list)
    seconds: float = 0.0
    problems: list[dict[str, str]] = field(default_factory=list)
    skipped: str = ""
    abandoned: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class PluginHealth:
    """What a worker reported about its plugin.

    Attributes:
        record: The plugin in the load report, after its import; None when the worker died before.
        unavailable: The tools that are not available, with reason and remedy.
        results: What became of each check.
    """

    record: PluginRecord | None = None
    unavailable: dict[str, tuple[str, str]] = field(default_factory=dict)
    results: list[CheckResult] = field(default_factory=list)


def run_checks(
    plugins: Sequence[str], scratch: Path, *, online: bool, debug: bool, progress: Callable[[str], None]
) -> dict[str, PluginHealth]:
    """Import plugins and run their health checks side by side, each in a process of its own.

    Args:
        plugins: Plugins that implement `hermes_health_checks`.
        scratch: A directory for the checks, removed by the caller.
        online: Whether checks may use the network.
        debug: Whether what plugins print is shown on stderr.
        progress: Gets a line for each check that starts.
    """
    running: set[subprocess.Popen[str]] = set()
    stopped = threading.Event()

    def work(numbered: tuple[int, str]) -> PluginHealth:
        number, plugin = numbered
        folder = scratch / str(number)
        folder.mkdir()
        job = {"plugin": plugin, "scratch": str(folder), "online": online, "path": [str(entry) for entry in sys.path]}
        with _worker(job, running, debug=debug) as process:
            return PluginHealth() if stopped.is_set() else _collect(plugin, process, progress)

    with ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 1)) as pool:
        try:
            return dict(zip(plugins, pool.map(work, enumerate(plugins)), strict=True))
        except BaseException:  # Ctrl-C: the workers end now, and their threads with them
            stopped.set()
            for process in list(running):
                _kill(process)
            pool.shutdown(cancel_futures=True)
            raise


@contextlib.contextmanager
def _worker(
    job: dict[str, Any], running: set[subprocess.Popen[str]], *, debug: bool
) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        # -P: a module in the current directory must not take the place of an installed one.
        [sys.executable, "-P", "-m", "hermes_core.cli.health.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if debug else subprocess.DEVNULL,
        encoding="utf-8",
        start_new_session=True,
    )
    running.add(process)
    try:
        with contextlib.suppress(BrokenPipeError):  # it has died already, which its exit status explains
            process.stdin.write(json.dumps(job) + "\n")  # type: ignore[union-attr]  # it is a pipe
            process.stdin.flush()  # type: ignore[union-attr]
        yield process
    finally:
        _kill(process)
        running.discard(process)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()  # type: ignore[union-attr]
        process.stdout.close()  # type: ignore[union-attr]


def _kill(process: subprocess.Popen[str]) -> None:
    """End a worker with everything in its group."""
    if process.returncode is None:  # not waited for, so the number is still its own
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _collect(plugin: str, process: subprocess.Popen[str], progress: Callable[[str], None]) -> PluginHealth:
    """Read the reports of one worker until it ends, dies or falls silent."""
    health = PluginHealth()
    current = CheckResult(plugin=plugin, name="import it")
    progress(f"{plugin}: {current.name}")
    lines = _Lines(process, _START_SECONDS)
    for line in lines:
        report = json.loads(line)
        if report.get("end"):
            return health
        if "record" in report:
            health.record = _record(report["record"])
            health.unavailable = {name: (why[0], why[1]) for name, why in report["unavailable"].items()}
            current = CheckResult(plugin=plugin, name="list its health checks")
            continue
        current = CheckResult(plugin=plugin, name=report["check"], tools=report.get("tools", []))
        if "timeout" in report:
            lines.wait(report["timeout"] + _GRACE_SECONDS)
            progress(f"{plugin}: {current.name}")
            continue
        found = report.get("problems", [])
        reasons = [each["message"] for each in found if each["level"] == "skipped"]
        current.skipped = report.get("skipped") or " ".join(reasons)
        current.seconds = report.get("seconds", 0.0)
        current.abandoned = report.get("abandoned", {})
        current.problems = [each for each in found if each["level"] != "skipped"]
        lines.wait(_GRACE_SECONDS)
        health.results.append(current)
        current = CheckResult(plugin=plugin, name="run its health checks")
    problem = {"level": "error", "message": _fate(process), "remedy": "Report it to the author of the plugin."}
    current.problems = [problem]
    health.results.append(current)
    return health


def _record(facts: dict[str, Any] | None) -> PluginRecord | None:
    if facts is None:
        return None
    plain: dict[str, Any] = {key: tuple(part) if isinstance(part, list) else part for key, part in facts.items()}
    return PluginRecord(**plain)


class _Lines:
    """What a worker writes, line by line, until its end or until it has been silent for too long."""

    def __init__(self, process: subprocess.Popen[str], seconds: float) -> None:
        assert process.stdout is not None
        self._descriptor = process.stdout.fileno()
        self.wait(seconds)

    def wait(self, seconds: float) -> None:
        """Expect the next line within that time."""
        self._deadline = time.monotonic() + seconds

    def __iter__(self) -> Iterator[str]:
        buffered = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._descriptor, selectors.EVENT_READ)
            while selector.select(max(0.0, self._deadline - time.monotonic())):
                chunk = os.read(self._descriptor, 65_536)
                if not chunk:
                    return
                *lines, buffered = (buffered + chunk).split(b"\n")
                yield from (line.decode() for line in lines)


def _fate(process: subprocess.Popen[str]) -> str:
    """Describe how a worker ended that did not report its end."""
    try:
        status = process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        return "the process that runs the check stopped responding, and was killed."
    if status < 0:
        return f"the check killed its process ({signal.Signals(-status).name})."
    return f"the check ended its process with status {status}."
