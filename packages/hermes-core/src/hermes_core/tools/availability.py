"""Whether a tool can work here and now, and if not, why and what to do about it."""

from __future__ import annotations

import contextvars
import inspect
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hermes_core.errors import ToolUnavailableError

if TYPE_CHECKING:
    from hermes_core.tools.tool import Tool

CACHE_SECONDS = 30.0
"""How long a check's answer holds: long enough for a turn, short enough to notice a started service."""

CHECK_SECONDS = 5.0
"""How long a check may take: a listing must not hang on a dead server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer to "can it run?": yes, or no with the reason and the remedy."""

    available: bool
    reason: str = ""
    remedy: str = ""

    def __bool__(self) -> bool:
        return self.available


YES = Verdict(available=True)


@dataclass(frozen=True, slots=True)
class Gate:
    """One thing that must hold: an environment variable, a program, an extra, or a check function."""

    kind: Literal["env", "bin", "extra", "check"]
    what: str | Callable[[], object]


def gates_of(tool: Tool) -> tuple[Gate, ...]:
    """Everything that must hold for a tool to be available, cheapest first."""
    gates = [Gate("env", name) for name in tool.requires_env]
    gates += [Gate("extra", name) for name in tool.requires_extra]
    gates += [Gate("bin", name) for name in tool.requires_bin]
    if tool.check is not None:
        gates.append(Gate("check", tool.check))
    return tuple(gates)


class Availability:
    """Answers for one host: each distinct check runs at most once in thirty seconds."""

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, environ: Mapping[str, str] | None = None
    ) -> None:
        self._clock = clock
        self._environ = os.environ if environ is None else environ
        self._known: dict[Gate, tuple[float, Verdict]] = {}
        self._locks: dict[Gate, threading.Lock] = {}
        self._lock = threading.Lock()

    def of(self, tool: Tool) -> Verdict:
        """Whether a tool can run; the first thing that is missing speaks."""
        for gate in gates_of(tool):
            verdict = self.check(gate)
            if not verdict.available:
                return verdict
        return YES

    def toolset(self, check: Callable[[], object] | None) -> Verdict:
        """Whether a toolset's own check passes; no check means yes."""
        return YES if check is None else self.check(Gate("check", check))

    def check(self, gate: Gate) -> Verdict:
        """One gate's answer, from the cache while it is fresh."""
        if gate.kind == "env":  # cheaper to look than to remember, and a key set just now counts at once
            return self._env(str(gate.what))
        known = self._known.get(gate)
        if known is not None and self._clock() - known[0] < CACHE_SECONDS:
            return known[1]
        with self._lock:
            lock = self._locks.setdefault(gate, threading.Lock())
        if not lock.acquire(timeout=CHECK_SECONDS * 2):
            return _no("its check is still running", "Try again in a moment.")
        try:
            known = self._known.get(gate)
            if known is not None and self._clock() - known[0] < CACHE_SECONDS:
                return known[1]
            verdict = self._look(gate)
            self._known[gate] = (self._clock(), verdict)
            return verdict
        finally:
            lock.release()

    def invalidate(self) -> None:
        """Forget every answer, so that the next question looks again."""
        self._known.clear()

    def _env(self, name: str) -> Verdict:
        if self._environ.get(name, "").strip():
            return YES
        return _no(f"the environment variable {name} is not set", f"Set {name}, for example in $HERMES_HOME/.env.")

    def _look(self, gate: Gate) -> Verdict:
        if gate.kind == "bin":
            return _find_program(str(gate.what), self._environ.get("PATH"))
        if gate.kind == "extra":
            return _find_extra(str(gate.what))
        assert callable(gate.what)
        return _ask(gate.what)


def _no(reason: str, remedy: str = "") -> Verdict:
    return Verdict(available=False, reason=reason, remedy=remedy)


def _find_program(name: str, path: str | None) -> Verdict:
    if shutil.which(name, path=path):
        return YES
    return _no(f"the program {name!r} is not on PATH", f"Install {name} and make sure that it is on PATH.")


def _find_extra(requirement: str) -> Verdict:
    """An extra is installed when every distribution that it adds is."""
    from importlib.metadata import PackageNotFoundError, distribution

    match = re.fullmatch(r"\s*([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?\s*", requirement)
    remedy = f"Run: pip install '{requirement}'"
    if match is None:
        return _no(f"{requirement!r} is not the name of an extra", "Write it as pip does: package[extra].")
    name, extras = match.group(1), [part.strip() for part in (match.group(2) or "").split(",") if part.strip()]
    try:
        requires = distribution(name).requires or []
    except PackageNotFoundError:
        return _no(f"the package {name} is not installed", remedy)
    for extra in extras:
        wanted = re.compile(rf"""extra\s*==\s*['"]{re.escape(extra)}['"]""")
        added = [line for line in requires if wanted.search(line)]
        if not added:
            return _no(f"{name} has no extra {extra!r}", f"Look at the extras that {name} declares.")
        for line in added:
            needed = re.split(r"[\s;<>=!~\[(]", line, maxsplit=1)[0]
            try:
                distribution(needed)
            except PackageNotFoundError:
                return _no(f"the extra {requirement} is not installed (missing {needed})", remedy)
    return YES


def _ask(check: Callable[[], object]) -> Verdict:
    """Run a check in a thread of its own, so that one that hangs costs five seconds and not the host."""
    answers: list[Verdict] = []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            answers.append(_judge(check, context.run(check)))
        except ToolUnavailableError as error:
            answers.append(_no(error.message, error.hint or ""))
        except BaseException as error:  # foreign code: even sys.exit() only means "not available"
            answers.append(_no(f"its check failed: {type(error).__name__}: {error}".rstrip(": ")))

    thread = threading.Thread(target=run, name="hermes-check", daemon=True)
    thread.start()
    thread.join(CHECK_SECONDS)
    return answers[0] if answers else _no(f"its check took longer than {CHECK_SECONDS:g} s", "Try again later.")


def _judge(check: Callable[[], object], answer: object) -> Verdict:
    if inspect.iscoroutine(answer):
        answer.close()
        return _no("its check is async, but checks are plain functions", "Write the check without `async`.")
    if isinstance(answer, Verdict):
        return answer
    if answer:
        return YES
    about = (inspect.getdoc(check) or "").strip().splitlines()
    name = getattr(check, "__name__", type(check).__name__)
    said = f" ({about[0]})" if about and not name.startswith("<") else ""
    return _no(f"its check {name} says no{said}")
