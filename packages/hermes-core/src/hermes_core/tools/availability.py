"""Whether a tool can work here and now, and if not, why and what to do about it."""

from __future__ import annotations

import contextvars
import inspect
import os
import sys
import threading
import time
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from hermes_core.errors import ToolUnavailableError, describe_error
from hermes_core.thread_effort import Grace

if TYPE_CHECKING:
    from hermes_core.tools.tool import Tool

CACHE_SECONDS = 30.0
"""How long a check's answer holds: long enough for a turn, short enough to notice a started service."""

_SIDE_BY_SIDE = 64
"""How many checks are asked at once when a list is made for the first time."""

CHECK_SECONDS = 5.0
"""How long a check may take: a listing must not hang on a dead server."""

_SWEEP_AT = 256
"""So many answers may be kept before old ones are looked for: tools come and go, their checks with them."""

_asking: contextvars.ContextVar[frozenset[tuple[int, Gate]]] = contextvars.ContextVar("asking", default=frozenset())
"""The checks that wait for this very code: one that asks for definitions would otherwise wait for itself."""


class Verdict(NamedTuple):
    """The answer to "can it run?": yes, or no with the reason and the remedy."""

    available: bool
    reason: str = ""
    remedy: str = ""

    def __bool__(self) -> bool:
        return self.available


YES = Verdict(available=True)


class Gate(NamedTuple):
    """One thing that must hold: an environment variable, a program, an extra, a check, or that nobody blocked it."""

    kind: Literal["env", "bin", "extra", "check", "blocked"]
    what: str | Callable[[], object] | tuple[str, str]


def gates_of(tool: Tool) -> tuple[Gate, ...]:
    """Everything that must hold for a tool to be available, cheapest first."""
    if tool.blocked is not None:
        return (Gate("blocked", tool.blocked),)
    gates = [Gate("env", name) for name in tool.requires_env]
    gates += [Gate("extra", name) for name in tool.requires_extra]
    gates += [Gate("bin", name) for name in tool.requires_bin]
    if tool.check is not None:
        gates.append(_check_gate(tool.check))
    return tuple(gates)


def _check_gate(check: Callable[[], object]) -> Gate:
    """A gate that can be remembered, even when the check is an object that cannot be hashed."""
    try:
        hash(check)
    except TypeError:
        check = types.MethodType(type(check).__call__, check)  # hashed by the identity of its object
    return Gate("check", check)


class Availability:
    """Answers for one host: each distinct check runs at most once in thirty seconds."""

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, environ: Mapping[str, str] | None = None
    ) -> None:
        self._clock = clock
        self._environ = os.environ if environ is None else environ
        self._known: dict[Gate, tuple[float, Verdict]] = {}
        self._locks: dict[Gate, threading.Lock] = {}
        self._late: dict[Gate, threading.Thread] = {}
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
        """Those of many gates that are closed. Checks that must be run are run side by side."""
        now = self._clock()
        unknown = [gate for gate in gates if gate.kind == "check" and not self._is_fresh(gate, now)]
        if len(unknown) > 1:
            context = contextvars.copy_context()
            threads = [
                threading.Thread(target=context.copy().run, args=(self.check, gate), name="hermes-checks", daemon=True)
                for gate in unknown[:_SIDE_BY_SIDE]
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()  # each has a deadline of its own
        return frozenset(gate for gate in gates if not self.check(gate).available)

    def _is_fresh(self, gate: Gate, now: float) -> bool:
        known = self._known.get(gate)
        return known is not None and now - known[0] < CACHE_SECONDS

    def toolset(self, check: Callable[[], object] | None) -> Verdict:
        """Whether a toolset's own check passes; no check means yes."""
        return YES if check is None else self.check(_check_gate(check))

    def check(self, gate: Gate) -> Verdict:
        """One gate's answer, from the cache while it is fresh."""
        if gate.kind == "env":  # cheaper to look than to remember, and a key set just now counts at once
            return self._env(str(gate.what))
        if gate.kind == "blocked":
            return _no(*cast("tuple[str, str]", gate.what))
        known = self._known.get(gate)
        if known is not None and self._clock() - known[0] < CACHE_SECONDS:
            return known[1]
        if (id(self), gate) in _asking.get():
            return _no("its check asks for itself", "Write the check without asking for the list of tools.")
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
            if len(self._known) > self._sweep_at:
                self._sweep()
            return verdict
        finally:
            lock.release()

    def _sweep(self) -> None:
        """Forget the old answers, and with them the checks of tools that have gone."""
        with self._lock:
            now = self._clock()
            self._known = {gate: known for gate, known in list(self._known.items()) if now - known[0] < CACHE_SECONDS}
            self._locks = {gate: lock for gate, lock in self._locks.items() if gate in self._known or lock.locked()}
            self._late = {gate: thread for gate, thread in list(self._late.items()) if thread.is_alive()}
            self._sweep_at = max(_SWEEP_AT, 2 * len(self._known))

    def invalidate(self) -> None:
        """Forget every answer, so that the next question looks again."""
        self._known.clear()

    def _env(self, name: str) -> Verdict:
        if self._environ.get(name, "").strip():
            return YES
        return _no(f"the environment variable {name} is not set", f"Set {name} in the environment.")

    def _look(self, gate: Gate) -> Verdict:
        if gate.kind == "bin":
            return _find_program(str(gate.what), self._environ.get("PATH"))
        if gate.kind == "extra":
            return _find_extra(str(gate.what))
        return self._ask(gate)

    def _ask(self, gate: Gate) -> Verdict:
        """Run a check in a thread of its own, so that one that hangs costs five seconds once, and not the host."""
        late = self._late.pop(gate, None)
        if late is not None and late.is_alive():
            self._late[gate] = late
            return _no("its check, asked earlier, is still running", "Try again later.")
        answers: list[Verdict] = []
        context = contextvars.copy_context()
        context.run(_asking.set, _asking.get() | {(id(self), gate)})
        check = cast("Callable[[], object]", gate.what)
        thread = threading.Thread(
            target=lambda: answers.append(context.run(_answer, check)), name="hermes-check", daemon=True
        )
        modules = len(sys.modules)
        thread.start()
        thread.join(CHECK_SECONDS)
        if thread.is_alive():
            more = Grace(CHECK_SECONDS, lambda: thread.native_id, modules).more
            while thread.is_alive() and (wait := more()):
                thread.join(wait)
        if not answers:
            self._late[gate] = thread
            return _no(f"its check took longer than {CHECK_SECONDS:g} s", "Try again later.")
        return answers[0]


def _no(reason: str, remedy: str = "") -> Verdict:
    return Verdict(available=False, reason=reason, remedy=remedy)


def _find_program(name: str, path: str | None) -> Verdict:
    import shutil  # needed by few tools, and slow to import

    if shutil.which(name, path=path):
        return YES
    return _no(f"the program {name!r} is not on PATH", f"Install {name} and make sure that it is on PATH.")


def _find_extra(requirement: str) -> Verdict:
    from hermes_core.tools.extras import missing_from  # reads the metadata of distributions, which is slow to import

    try:
        missing = missing_from(requirement)
    except ValueError as error:
        return _no(str(error), "Write it as pip does: package[extra].")
    if missing is None:
        return YES
    from hermes_core.families import install_command

    return _no(f"{requirement} is not installed (missing {missing})", f"Run: {install_command(requirement)}")


def _answer(check: Callable[[], object]) -> Verdict:
    try:
        return _judge(check, check())
    except ToolUnavailableError as error:
        return _no(error.message, error.hint or "")
    except BaseException as error:  # foreign code: even sys.exit() only means "not available"
        return _no(f"its check failed: {describe_error(error)}")


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
