"""Tries the import of a plugin in a separate process first, because it may hang or end the process.

A thread cannot be stopped, and code that hangs in C, such as a regex with endless backtracking, blocks all threads. A
process can always be killed.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from hermes_core.plugins.contributions import collect
from hermes_core.plugins.plugin_records import Candidate
from hermes_core.thread_effort import Effort

if TYPE_CHECKING:
    Work = Callable[[], object]

ENDED = "it ended the process that imported it"
_LOOK_SECONDS = 0.02
_SIDE_BY_SIDE = 64
_DONE = b"\ndone\n"
_ORPHAN_SECONDS = 300  # after which a probe ends itself, because its parent must be gone
_SERVE = (
    "import json, sys; job = json.loads(sys.stdin.readline()); sys.path[:] = job['path']; "
    "from hermes_core.plugins.import_probe import serve; serve(job)"
)


def find_hanging(candidates: Sequence[Candidate], seconds: float) -> dict[Candidate, str]:
    """Import plugins in separate processes, all in parallel, and describe those that hang or end their process.

    Exceptions are not reported, because the import in this process describes them. Time to wait for a processor does
    not count.
    """
    untried = [each for each in candidates if each.reference is not None and not _is_imported(each, *each.reference)]
    if not untried or not hasattr(os, "fork"):
        return {}
    if _is_single_threaded():
        problems = _watch([functools.partial(collect, each) for each in untried], seconds)
    else:
        problems = _ask_server(untried, seconds)
    return {candidate: problem for candidate, problem in zip(untried, problems, strict=True) if problem}


def _is_imported(candidate: Candidate, kind: str, value: str) -> bool:
    if kind == "file":
        from hermes_core.plugins.single_file import find_module

        sources = candidate.sources() if candidate.sources is not None else ()
        return any(source and find_module(value, source) for source in sources)
    return value.partition("[")[0].partition(":")[0].strip() in sys.modules


def _is_single_threaded() -> bool:
    """Return True if this process can be forked safely: a fork copies one thread, but the locks of all."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def _watch(works: Sequence[Work], seconds: float) -> list[str]:
    from pydantic import TypeAdapter  # nearly every plugin needs it, so load it once before forking

    TypeAdapter(str).json_schema()
    problems = [""] * len(works)
    waiting = list(enumerate(works))
    running: dict[int, _Probe] = {}
    while waiting or running:
        while waiting and len(running) < _SIDE_BY_SIDE:
            number, work = waiting.pop(0)
            with contextlib.suppress(OSError):  # no process can be started: nothing is known of this plugin
                running[number] = _Probe(work)
        for number, probe in list(running.items()):
            problem = probe.problem(seconds)
            if problem is not None:
                problems[number] = problem
                del running[number]
        time.sleep(_LOOK_SECONDS if running else 0)
    return problems


class _Probe:
    def __init__(self, work: Work) -> None:
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _run(work, writing)
        os.close(writing)
        os.set_blocking(reading, False)
        self._pipe = reading
        self._said = b""
        self._effort = Effort(self.pid, self.pid)
        self._progress = 0.0

    def problem(self, seconds: float) -> str | None:
        """Return the problem of the process, empty if it succeeded, None while it is running."""
        ended = self._has_ended(os.WNOHANG)
        imported = self._read()
        taken = self._effort.look().total
        if imported:
            self._progress = taken
        if _DONE in self._said:
            problem = ""
        elif ended:
            problem = ENDED
        elif taken < seconds and taken - self._progress < seconds / 2:
            return None
        else:
            after = f"{seconds:g} s" if taken >= seconds else f"{seconds / 2:g} s without progress"
            problem = f"it was still loading after {after}{self._place()}"
        self._end(ended)
        return problem

    def _has_ended(self, options: int) -> bool:
        try:
            return os.waitpid(self.pid, options)[0] != 0
        except ChildProcessError:  # the program lets the system collect its children
            return True

    def _read(self) -> bool:
        """Read the output of the process; return True if it started to import something."""
        before = self._said
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self._pipe, 65536):
                self._said += part
        return self._said != before

    def _place(self) -> str:
        """Describe the current line of the process; faulthandler reports it without Python's help."""
        os.kill(self.pid, signal.SIGUSR1)
        for _ in range(10):
            time.sleep(_LOOK_SECONDS)
            self._read()
            if place := _find_place(self._said.decode("utf-8", "replace")):
                return place
        return ""

    def _end(self, ended: bool) -> None:
        os.close(self._pipe)
        try:
            os.killpg(self.pid, signal.SIGKILL)  # including its children
        except (ProcessLookupError, PermissionError):
            if not ended:
                os.kill(self.pid, signal.SIGKILL)
        if not ended:
            self._has_ended(0)


def _run(work: Work, pipe: int) -> NoReturn:
    import faulthandler

    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        signal.alarm(_ORPHAN_SECONDS)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        faulthandler.register(signal.SIGUSR1, file=pipe, all_threads=False)
        sys.meta_path.insert(0, _Progress(pipe))
        with contextlib.suppress(BaseException):  # foreign code: the import in the real process raises it again
            work()
    finally:
        try:
            os.write(pipe, _DONE)
        finally:  # even if the plugin closed the pipe: this copy must not continue as the original program
            os._exit(0)


class _Progress:
    """A finder that reports each import; Python asks it first."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def find_spec(self, *_: object) -> None:
        with contextlib.suppress(OSError):  # the plugin may have closed it
            os.write(self._pipe, b".\n")


def _find_place(trace: str) -> str:
    """Return the innermost line of the plugin in the output of faulthandler, which starts with the newest."""
    core = os.path.dirname(os.path.dirname(__file__))
    place = package = ""
    for line in reversed(trace.splitlines()):
        _, quote, rest = line.partition('File "')
        file, _, where = rest.partition('", line ')
        if quote and file == __file__:  # the frames around the probe do not belong to the plugin
            place = package = ""
        elif quote and not file.startswith(("<", core)) and "importlib" not in file:
            package = package or os.path.dirname(file)
            if os.path.dirname(file) == package:
                place = f", at {file}:{where.split(' ')[0]}"
    return place


def _ask_server(candidates: Sequence[Candidate], seconds: float) -> list[str]:
    """Try the imports from a new process with one thread; report no problems if that cannot be started."""
    import json
    import subprocess

    plugins = [[each.name, *(each.reference or ())] for each in candidates]
    job = {"path": [entry for entry in sys.path if isinstance(entry, str)], "seconds": seconds, "plugins": plugins}
    try:
        done = subprocess.run(  # noqa: S603 - this very Python, and our own code
            [sys.executable, "-c", _SERVE],
            input=json.dumps(job) + "\n",
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=True,
        )
        problems: list[str] = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return [""] * len(candidates)
    return problems


def serve(job: dict[str, Any]) -> None:
    """Try the imports of a job, and print the problem of each as JSON."""
    import json

    from hermes_core.plugins.plugin_sources import load_reference

    candidates = [
        Candidate(name=name, origin=kind, load=functools.partial(load_reference, name, kind, value))
        for name, kind, value in job["plugins"]
    ]
    print(json.dumps(_watch([functools.partial(collect, each) for each in candidates], job["seconds"])))
