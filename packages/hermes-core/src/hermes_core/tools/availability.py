"""Whether a tool can work here and now, and if not, why and what to do about it."""

from __future__ import annotations

import contextvars
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from hermes_core.tools.gates import YES, Gate, Verdict, check_gate, gates_of, unavailable

if TYPE_CHECKING:
    from hermes_core.tools.checks import RunningCheck
    from hermes_core.tools.tool import Tool

CACHE_SECONDS = 30.0
"""How long a check's answer holds: long enough for a turn, short enough to notice a started service."""

_SIDE_BY_SIDE = 64
"""How many checks are asked at once when a list is made for the first time."""

CHECK_SECONDS = 4.0
"""How long a check may take before a call, or somebody who asks for the reason, gets an answer without it."""

LIST_SECONDS = 1.0
"""How long a list waits for all its checks together: one dead server must not hold it up."""

_LEAST_SECONDS = 0.1
"""How long a list waits for further checks when others have used up its time."""

_SWEEP_AT = 256
"""So many answers may be kept before old ones are looked for: tools come and go, their checks with them."""

_asking: contextvars.ContextVar[frozenset[tuple[int, Gate]]] = contextvars.ContextVar("asking", default=frozenset())
"""The checks that wait for this very code: one that asks for definitions would otherwise wait for itself."""


class Availability:
    """Answers for one host: each distinct check runs at most once in thirty seconds."""

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, environ: Mapping[str, str] | None = None
    ) -> None:
        self.clock = clock
        self._environ = os.environ if environ is None else environ
        self._known: dict[Gate, tuple[float, Verdict]] = {}
        self._running: dict[Gate, RunningCheck] = {}
        self._sweep_at = _SWEEP_AT
        self._lock = threading.Lock()

    def of(self, tool: Tool) -> Verdict:
        """Whether a tool can run; the first thing that is missing speaks."""
        for gate in gates_of(tool):
            verdict = self.check(gate)
            if not verdict.available:
                return verdict
        return YES

    def missing(self, gates: Sequence[Gate]) -> frozenset[Gate]:
        """Those of many gates that are closed. Checks that must be run are run side by side, under one deadline."""
        end = time.monotonic() + min(LIST_SECONDS, CHECK_SECONDS)
        unknown = [
            gate for gate in gates if gate.kind == "check" and self._fresh(gate) is None and not self._asks_itself(gate)
        ]
        closed: list[Gate] = []
        for first in range(0, len(unknown), _SIDE_BY_SIDE):
            together = unknown[first : first + _SIDE_BY_SIDE]
            verdicts = self._ask(together, max(end - time.monotonic(), _LEAST_SECONDS))
            closed += [gate for gate, verdict in zip(together, verdicts, strict=True) if not verdict.available]
        asked = frozenset(unknown)
        closed += [gate for gate in gates if gate not in asked and not self.check(gate).available]
        return frozenset(closed)

    def _fresh(self, gate: Gate) -> Verdict | None:
        known = self._known.get(gate)
        return known[1] if known is not None and self.clock() - known[0] < CACHE_SECONDS else None

    def _asks_itself(self, gate: Gate) -> bool:
        return (id(self), gate) in _asking.get()

    def toolset(self, check: Callable[[], object] | None) -> Verdict:
        """Whether a toolset's own check passes; no check means yes."""
        return YES if check is None else self.check(check_gate(check))

    def check(self, gate: Gate) -> Verdict:
        """One gate's answer, from the cache while it is fresh."""
        if gate.kind == "env":  # cheaper to look than to remember, and a key set just now counts at once
            return self._env(str(gate.what))
        if gate.kind == "blocked":
            return unavailable(*cast("tuple[str, str]", gate.what))
        fresh = self._fresh(gate)
        if fresh is not None:
            return fresh
        if self._asks_itself(gate):
            return unavailable("its check asks for itself", "Write the check without asking for the list of tools.")
        if gate.kind == "check":
            return self._ask([gate], CHECK_SECONDS)[0]
        return self._remember(gate, self._look(gate))

    def _remember(self, gate: Gate, verdict: Verdict) -> Verdict:
        self._known[gate] = (self.clock(), verdict)
        if len(self._known) > self._sweep_at:
            self._sweep()
        return verdict

    def _sweep(self) -> None:
        """Forget the old answers, and with them the checks of tools that have gone."""
        with self._lock:
            now = self.clock()
            self._known = {gate: known for gate, known in list(self._known.items()) if now - known[0] < CACHE_SECONDS}
            self._sweep_at = max(_SWEEP_AT, 2 * len(self._known))

    def invalidate(self) -> None:
        """Forget every answer, so that the next question looks again."""
        self._known.clear()

    def _env(self, name: str) -> Verdict:
        if self._environ.get(name, "").strip():
            return YES
        return unavailable(f"the environment variable {name} is not set", f"Set {name} in the environment.")

    def _look(self, gate: Gate) -> Verdict:
        if gate.kind == "bin":
            return _find_program(str(gate.what), self._environ.get("PATH"))
        return _find_extra(str(gate.what))

    def _ask(self, gates: Sequence[Gate], seconds: float) -> list[Verdict]:
        """Run checks, or wait for the runs that go on; without an answer in time the last known one counts."""
        from hermes_core.tools.checks import wait_for  # most tools have no checks

        runs = [self._start(gate) for gate in gates]
        wait_for(runs, seconds)
        return [self._outcome(gate, run) for gate, run in zip(gates, runs, strict=True)]

    def _outcome(self, gate: Gate, run: RunningCheck) -> Verdict:
        if run.verdict is not None:
            return run.verdict
        known = self._known.get(gate)
        if known is not None:
            return known[1]
        return unavailable(f"its check took longer than {run.waited:g} s and is still running", "Try again later.")

    def _start(self, gate: Gate) -> RunningCheck:
        """Run a check in a thread of its own, so that one that hangs costs a deadline once, and not the host."""
        from hermes_core.tools.checks import RunningCheck

        with self._lock:
            running = self._running.get(gate)
            if running is None:
                context = contextvars.copy_context()
                context.run(_asking.set, _asking.get() | {(id(self), gate)})
                running = self._running[gate] = RunningCheck(lambda: context.run(self._answered, gate))
        return running

    def _answered(self, gate: Gate) -> Verdict:
        from hermes_core.tools.checks import run_check

        verdict = self._remember(gate, run_check(cast("Callable[[], object]", gate.what)))
        with self._lock:  # it is noted there once the thread has been started
            self._running.pop(gate, None)
        return verdict


def _find_program(name: str, path: str | None) -> Verdict:
    import shutil  # needed by few tools, and slow to import

    if shutil.which(name, path=path):
        return YES
    return unavailable(f"the program {name!r} is not on PATH", f"Install {name} and make sure that it is on PATH.")


def _find_extra(requirement: str) -> Verdict:
    from hermes_core.tools.extras import missing_from  # reads the metadata of distributions, which is slow to import

    try:
        missing = missing_from(requirement)
    except ValueError as error:
        return unavailable(str(error), "Write it as pip does: package[extra].")
    if missing is None:
        return YES
    from hermes_core.families import install_command

    return unavailable(f"{requirement} is not installed (missing {missing})", f"Run: {install_command(requirement)}")
