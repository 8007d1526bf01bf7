"""Starts the processes that run health checks, and collects what they report."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hermes_core.plugins.records import PluginRecord

_START_SECONDS = 60.0
"""How long a worker may take to import its plugin; the load deadline of the plugin ends it earlier."""
_GRACE_SECONDS = 15.0
"""How long after a check's own deadline its worker may be silent: it stops the check itself, unless it is stuck."""


@dataclass(slots=True, kw_only=True)
class CheckResult:
    """The result of one health check.

    Attributes:
        plugin: The plugin that contributes it.
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
        results: The results of its checks.
    """

    record: PluginRecord | None = None
    unavailable: dict[str, tuple[str, str]] = field(default_factory=dict)
    results: list[CheckResult] = field(default_factory=list)


def run_checks(
    plugins: Sequence[str], scratch: Path, *, online: bool, debug: bool, progress: Callable[[str], None]
) -> dict[str, PluginHealth]:
    """Import plugins and run their health checks side by side, each in its own process.

    Args:
        plugins: Plugins that implement `hermes_health_checks`.
        scratch: A directory for the checks, removed by the caller.
        online: Whether checks may use the network.
        debug: Whether what plugins print is shown on stderr.
        progress: Gets a line for each check that starts.
    """
    running: set[subprocess.Popen[bytes]] = set()
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
    job: dict[str, Any], running: set[subprocess.Popen[bytes]], *, debug: bool
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        # -P: a module in the current directory must not replace an installed one.
        [sys.executable, "-P", "-m", "hermes_core.cli.health_worker"],
        bufsize=0,  # a buffer would hide lines from `select`
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if debug else subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    running.add(process)
    try:
        with contextlib.suppress(BrokenPipeError):  # it has died already, which its exit status explains
            process.stdin.write(json.dumps(job).encode() + b"\n")
        yield process
    finally:
        _kill(process)
        running.discard(process)
        process.stdin.close()
        process.stdout.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a worker with everything in its group."""
    if process.returncode is None:  # until it is waited for, its number is not used again
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _collect(plugin: str, process: subprocess.Popen[bytes], progress: Callable[[str], None]) -> PluginHealth:
    """Read the reports of one worker until it ends, dies or falls silent."""
    assert process.stdout is not None
    health = PluginHealth()
    doing, tools, seconds = "import it", [], _START_SECONDS
    progress(f"{plugin}: {doing}")
    while select.select([process.stdout], [], [], seconds)[0] and (line := process.stdout.readline()):
        report = json.loads(line)
        seconds = _GRACE_SECONDS
        if "end" in report:
            return health
        if "record" in report:
            health.record = _record(report["record"])
            health.unavailable = {name: (reason, remedy) for name, (reason, remedy) in report["unavailable"].items()}
            doing, seconds = "list its health checks", _START_SECONDS
        elif "timeout" in report:
            doing, tools = report["name"], report["tools"]
            seconds += report["timeout"]
            progress(f"{plugin}: {doing}")
        else:
            health.results.append(_result(CheckResult(plugin=plugin, **report)))
            doing, tools = "run its health checks", []
    problem = {"level": "error", "message": _fate(process), "remedy": "Report it to the author of the plugin."}
    health.results.append(CheckResult(plugin=plugin, name=doing, tools=tools, problems=[problem]))
    return health


def _record(facts: dict[str, Any] | None) -> PluginRecord | None:
    plain: dict[str, Any] = {
        key: tuple(part) if isinstance(part, list) else part for key, part in (facts or {}).items()
    }
    return PluginRecord(**plain) if plain else None


def _result(result: CheckResult) -> CheckResult:
    """Move problems of the level `skipped` to the reason why it was skipped."""
    skipped = [each["message"] for each in result.problems if each["level"] == "skipped"]
    result.skipped = result.skipped or " ".join(skipped)
    result.problems = [each for each in result.problems if each["level"] != "skipped"]
    return result


def _fate(process: subprocess.Popen[bytes]) -> str:
    """Describe how a worker ended that did not report its end."""
    try:
        status = process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        return "the process that runs the check stopped responding, and was killed."
    if status < 0:
        return f"the check killed its process ({signal.Signals(-status).name})."
    return f"the check ended its process with status {status}."
