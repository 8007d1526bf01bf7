"""Checks which tools are available, and explains why others are not."""

from __future__ import annotations

import contextvars
import inspect
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from hermes_core.errors import ToolUnavailableError, describe_error
from hermes_core.tools.requirements import YES, Gate, Verdict, check_gate, gates_of, unavailable

if TYPE_CHECKING:
    from hermes_core.thread_effort import Grace
    from hermes_core.tools.registry import Registry, Snapshot
    from hermes_core.tools.tool import Tool

CACHE_SECONDS = 30.0
"""How long a verdict is cached: long enough for a turn, short enough to notice a started service."""

_PARALLEL_CHECKS = 64  # how many checks run concurrently for the first list
CHECK_SECONDS = 4.0
"""How long a call, or `hermes why`, waits for a check."""

LIST_SECONDS = 1.0
"""How long a list waits for all its checks together, because a dead server must not delay it."""

_MIN_SECONDS = 0.1  # for the remaining checks of a list after others have used up its time
_SWEEP_SIZE = 256  # how many verdicts are stored before old ones are removed
_MAX_SELECTIONS = 32  # enough for a few sessions with a few formats each
_asking: contextvars.ContextVar[frozenset[tuple[int, Gate]]] = contextvars.ContextVar("asking", default=frozenset())
"""The checks that the current code is part of. If one requests definitions, it must not wait for itself."""


class Availability:
    """The availability checks of one host, each of which runs at most once in thirty seconds."""

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, environ: Mapping[str, str] | None = None
    ) -> None:
        self.clock = clock
        self._environ = os.environ if environ is None else environ
        self._known: dict[Gate, tuple[float, Verdict]] = {}
        self._running: dict[Gate, _RunningCheck] = {}
        self._sweep_at = _SWEEP_SIZE
        self._lock = threading.Lock()

    def of(self, tool: Tool) -> Verdict:
        """Return whether a tool is available, with the first missing requirement."""
        verdicts = (self.check(gate) for gate in gates_of(tool))
        return next((verdict for verdict in verdicts if not verdict.available), YES)

    def missing(self, gates: Sequence[Gate]) -> frozenset[Gate]:
        """Return the requirements that are missing. Checks run in parallel, under one deadline."""
        end = time.monotonic() + min(LIST_SECONDS, CHECK_SECONDS)
        unknown = [
            gate for gate in gates if gate.kind == "check" and self._fresh(gate) is None and not self._asks_itself(gate)
        ]
        closed: list[Gate] = []
        for first in range(0, len(unknown), _PARALLEL_CHECKS):
            together = unknown[first : first + _PARALLEL_CHECKS]
            verdicts = self._ask(together, max(end - time.monotonic(), _MIN_SECONDS))
            closed += [gate for gate, verdict in zip(together, verdicts, strict=True) if not verdict.available]
        asked = frozenset(unknown)
        closed += [gate for gate in gates if gate not in asked and not self.check(gate).available]
        return frozenset(closed)

    def toolset(self, check: Callable[[], object] | None) -> Verdict:
        """Return whether a toolset's own check passes; True if it has none."""
        return YES if check is None else self.check(check_gate(check))

    def check(self, gate: Gate) -> Verdict:
        """Return the verdict about one requirement, from the cache while it is fresh."""
        if gate.kind == "env":  # not cached, so that a new key takes effect immediately
            name = str(gate.what)
            if self._environ.get(name, "").strip():
                return YES
            remedy = f"Set {name} in the environment, or store it with 'hermes config set {name} -'."
            return unavailable(f"the environment variable {name} is not set", remedy)
        if gate.kind == "blocked":
            return unavailable(*cast("tuple[str, str]", gate.what))
        fresh = self._fresh(gate)
        if fresh is not None:
            return fresh
        if self._asks_itself(gate):
            return unavailable("its check asks for itself", "Write the check without asking for the list of tools.")
        if gate.kind == "check":
            return self._ask([gate], CHECK_SECONDS)[0]
        name = str(gate.what)
        found = _find_program(name, self._environ.get("PATH")) if gate.kind == "bin" else _find_extra(name)
        return self._store(gate, found)

    def invalidate(self) -> None:
        """Clear the cache."""
        self._known.clear()

    def _fresh(self, gate: Gate) -> Verdict | None:
        known = self._known.get(gate)
        return known[1] if known is not None and self.clock() - known[0] < CACHE_SECONDS else None

    def _store(self, gate: Gate, verdict: Verdict) -> Verdict:
        self._known[gate] = (self.clock(), verdict)
        if len(self._known) > self._sweep_at:
            with self._lock:
                oldest = self.clock() - CACHE_SECONDS
                self._known = {gate: known for gate, known in list(self._known.items()) if known[0] > oldest}
                self._sweep_at = max(_SWEEP_SIZE, 2 * len(self._known))
        return verdict

    def _asks_itself(self, gate: Gate) -> bool:
        return (id(self), gate) in _asking.get()

    def _ask(self, gates: Sequence[Gate], seconds: float) -> list[Verdict]:
        """Run checks, or wait for their current runs; after the deadline, use the previous verdict."""
        runs = [self._start(gate) for gate in gates]
        _wait_for(runs, seconds)
        return [self._outcome(gate, run) for gate, run in zip(gates, runs, strict=True)]

    def _outcome(self, gate: Gate, run: _RunningCheck) -> Verdict:
        if run.verdict is not None:
            return run.verdict
        known = self._known.get(gate)
        if known is not None:
            return known[1]
        return unavailable(f"its check took longer than {run.waited:g} s and is still running", "Try again later.")

    def _start(self, gate: Gate) -> _RunningCheck:
        """Run a check in its own thread, because it may hang."""
        with self._lock:
            running = self._running.get(gate)
            if running is None and (fresh := self._fresh(gate)) is not None:  # another thread's run has just ended
                return _RunningCheck(verdict=fresh)
            if running is None:
                context = contextvars.copy_context()
                context.run(_asking.set, _asking.get() | {(id(self), gate)})
                running = self._running[gate] = _RunningCheck(lambda: context.run(self._run, gate))
        return running

    def _run(self, gate: Gate) -> Verdict:
        verdict = self._store(gate, _run_check(cast("Callable[[], object]", gate.what)))
        with self._lock:  # `_start` holds the lock until the run is stored
            self._running.pop(gate, None)
        return verdict


class _RunningCheck:
    """A check that runs in a thread. `waited` is the longest time that a caller waited for it."""

    def __init__(self, ask: Callable[[], Verdict] | None = None, verdict: Verdict | None = None) -> None:
        self.verdict = verdict
        self.waited = 0.0
        if ask is not None:
            self._ask = ask
            self._modules = len(sys.modules)
            self._thread = threading.Thread(target=self._run, name="hermes-check", daemon=True)
            self.join = self._thread.join
            self._thread.start()

    def _run(self) -> None:
        self.verdict = self._ask()

    def grace(self, seconds: float) -> Grace:
        """Return an object that extends the deadline on a busy machine."""
        from hermes_core.thread_effort import Grace  # most checks answer in time

        return Grace(seconds, lambda: self._thread.native_id, self._modules)


def _wait_for(runs: Sequence[_RunningCheck], seconds: float) -> None:
    """Wait for several checks; skip those that have already been waited for as long."""
    waiting = [run for run in runs if run.verdict is None and run.waited < seconds]
    end = time.monotonic() + seconds
    for run in waiting:
        run.join(max(0.0, end - time.monotonic()))
        run.waited = round(seconds, 2)
    late = [(run, run.grace(seconds)) for run in waiting if run.verdict is None]
    while late := [(run, grace) for run, grace in late if run.verdict is None and grace.more()]:
        late[0][0].join(min(1.0, seconds / 4))


def _run_check(check: Callable[[], object]) -> Verdict:
    try:
        answer = check()
        if inspect.iscoroutine(answer):
            answer.close()
            return unavailable("its check is async, but checks are plain functions", "Write the check without `async`.")
        if isinstance(answer, Verdict):
            return answer
        return YES if answer else unavailable(_explain_no(check))
    except ToolUnavailableError as error:
        return unavailable(error.message, error.hint or "")
    except BaseException as error:  # foreign code: even sys.exit() only means "not available"
        return unavailable(f"its check failed: {describe_error(error)}")


def _explain_no(check: Callable[[], object]) -> str:
    lines = (inspect.getdoc(check) or "").strip().splitlines()
    name = getattr(check, "__name__", type(check).__name__)
    summary = f" ({lines[0]})" if lines and not name.startswith("<") else ""
    return f"its check {name} says no{summary}"


def _find_program(name: str, path: str | None) -> Verdict:
    import shutil  # needed by few tools, and slow to import

    if shutil.which(name, path=path):
        return YES
    return unavailable(f"the program {name!r} is not on PATH", f"Install {name} and make sure that it is on PATH.")


def _find_extra(requirement: str) -> Verdict:
    from hermes_files.extras import missing_from  # slow to import

    try:
        missing = missing_from(requirement)
    except ValueError as error:
        return unavailable(str(error), "Write it as pip does: package[extra].")
    if missing is None:
        return YES
    from hermes_core.families import install_command

    return unavailable(f"{requirement} is not installed (missing {missing})", f"Run: {install_command(requirement)}")


class Selection:
    """Selects the available tools, and caches the result while nothing changes."""

    def __init__(self, registry: Registry, availability: Availability) -> None:
        self._registry = registry
        self._availability = availability
        self._gates: dict[tuple[Any, ...], tuple[Gate, ...]] = {}
        self._selections: dict[tuple[Any, ...], tuple[str, ...]] = {}

    def available(self, names: frozenset[str] | None = None) -> tuple[str, ...]:
        """Return the available tools out of these names, sorted; None selects all."""
        snapshot = self._registry.snapshot
        return self.select(snapshot, names, self.missing(snapshot, names))

    def missing(self, snapshot: Snapshot, names: frozenset[str] | None) -> frozenset[Gate]:
        """Return the missing requirements of the selected tools; each distinct requirement is checked once."""
        if names is None:
            return self._availability.missing(snapshot.gates)
        key = (snapshot.generation, names)
        gates = self._gates.get(key)
        if gates is None:
            needed = (gate for name, own in snapshot.gated.items() if name in names for gate in own)
            gates = tuple(dict.fromkeys(needed))
            add_to_cache(self._gates, key, gates)
        return self._availability.missing(gates)

    def select(self, snapshot: Snapshot, names: frozenset[str] | None, missing: frozenset[Gate]) -> tuple[str, ...]:
        """Return the tools out of these names that do not need a missing requirement, sorted."""
        if names is None and not missing:
            return snapshot.names
        key = (snapshot.generation, names, missing)
        selected = self._selections.get(key)
        if selected is None:
            gated = snapshot.gated.items() if missing else ()
            out = {name for name, gates in gated if not missing.isdisjoint(gates)}
            wanted = snapshot.all_names if names is None else names
            selected = tuple(name for name in snapshot.names if name in wanted and name not in out)
            add_to_cache(self._selections, key, selected)
        return selected


def add_to_cache(cache: dict[tuple[Any, ...], Any], key: tuple[Any, ...], value: Any) -> None:
    """Store a value; a full cache drops its oldest values."""
    while len(cache) >= _MAX_SELECTIONS:
        cache.pop(list(cache)[0], None)  # noqa: RUF015 - a list, because other threads change the cache meanwhile
    cache[key] = value
