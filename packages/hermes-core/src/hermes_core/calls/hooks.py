"""Calls the hooks of a call: in order, sync or async, each under a deadline, none able to harm the others."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from logging import DEBUG, WARNING
from operator import itemgetter
from typing import Any

from hermes_core.approval.finding import UNATTENDED, ApprovalRequest, Decision, Finding
from hermes_core.approval.waivers import Answers
from hermes_core.calls.bridge import Bridge
from hermes_core.calls.context import ToolContext
from hermes_core.calls.deadlines import Late
from hermes_core.calls.runner import PROVEN, Callee, Runner
from hermes_core.calls.workers import Escaped
from hermes_core.config.tool_session import tool_session
from hermes_core.errors import describe_error
from hermes_core.logs import log
from hermes_core.plugins.manager import HOOKS, Implementation, Plugins
from hermes_core.plugins.manifest import LAZY_HOOKS

WAIVE = "hermes_waive_findings"
CALL_HOOKS = tuple(hook for hook in HOOKS if hook not in LAZY_HOOKS)

_INHERITED = frozenset(CALL_HOOKS) - {"hermes_session_start", "hermes_session_end", "hermes_adjust_definitions"}
"""The hooks that see the calls of hosts below, too. Sessions, definitions and modes are each host's own."""

_NOTHING: dict[str, Any] = {}
LATER = object()
"""What `Hook.now` answers when the hook has to be awaited."""


class Hook:
    """One plugin's implementation of one hook, ready to be called."""

    __slots__ = ("callee", "failures", "name", "pick", "plugin")

    def __init__(
        self,
        implementation: Implementation,
        *,
        exact: bool,
        bridge: Bridge | None,
        failures: dict[tuple[str, str], str],
    ) -> None:
        function = implementation.function
        self.failures = failures
        self.name = implementation.hook
        self.plugin = implementation.plugin
        self.callee = Callee(
            function,
            is_async=inspect.iscoroutinefunction(function),
            exact=exact,
            bridge=bridge,
            name=f"{self.plugin}.{self.name}",
        )
        self.pick = _picker(implementation.argnames, implementation.plugin)

    def now(self, values: Mapping[str, Any], seconds: float) -> Any:
        """The answer of a hook that has proven to be quick, without the detour over a coroutine; else `LATER`."""
        callee = self.callee
        return callee.in_place(self.pick(values), _NOTHING, seconds) if callee.quick >= PROVEN else LATER

    async def ask(self, values: Mapping[str, Any], runner: Runner, seconds: float) -> Any:
        """Call it with the arguments it wants. Raises `Late`, or what it raised."""
        return await runner.run(self.callee, self.pick(values), {}, seconds)


class Hooks:
    """The call hooks of one host, compiled again whenever its plugins change.

    Args:
        plugins: Who implements what.
        seconds: How long one hook may take.
        exact: Whether somebody chose that: then each sync hook gets a thread, in which its deadline can be kept.
        bridge: The loop that async hooks run on for sync callers.
        above: The hooks of the host that this one works for. They judge and watch its calls, too.
    """

    def __init__(
        self,
        plugins: Plugins,
        seconds: float,
        *,
        exact: bool = False,
        bridge: Bridge | None = None,
        above: Hooks | None = None,
    ) -> None:
        self._plugins = plugins
        self.seconds = seconds
        self.exact = exact
        self._bridge = bridge
        self._above = above
        self._generation = -1
        self._table: dict[str, tuple[Hook, ...]] = {}
        self._levels: tuple[tuple[Hook, ...], ...] = ()
        self._answers = Answers()
        self.judged = self.started = self.transformed = self.observed = False
        """Whether any plugin judges calls, sees them start, changes results or watches: most hosts skip most stages."""

    @property
    def generation(self) -> int:
        """It grows with each change, here and in every host above."""
        return self._plugins.generation + (self._above.generation if self._above is not None else 0)

    def compiled(self) -> Hooks:
        """These hooks, up to date with the plugins."""
        if self._generation != (self._plugins.generation if self._above is None else self.generation):
            self._compile()
        return self

    def of(self, name: str) -> tuple[Hook, ...]:
        """The implementations of a hook, in the order of their calls: those of this host first."""
        if self._generation != (self._plugins.generation if self._above is None else self.generation):
            self._compile()
        return self._table[name]

    @property
    def levels(self) -> tuple[tuple[Hook, ...], ...]:
        """Who may waive findings at each host, the outermost first; nothing when no plugin does."""
        return self._levels if self.of(WAIVE) else ()

    def record_answer(self, hook: Hook, request: ApprovalRequest, decision: Decision) -> None:
        """Remember that an approver has said yes for longer, at the host that it belongs to."""
        self._at(self.height_of(hook))._answers.record(request, decision)

    def is_answered(self, height: int, request: ApprovalRequest, finding: Finding) -> bool:
        """Whether a plugin of a host may say that an approver of that host has answered a finding for longer.

        Where nobody above would be asked, the host's own approver decides in any case. Else, and where no approver is
        asked at all, the approver must have answered the very same call: another one may be denied above.
        """
        above = max((self.height_of(hook) for hook in self.of("hermes_request_approval")), default=0) > height
        if not above and request.session_kind != UNATTENDED and tool_session() is None:
            return True
        return self._at(height)._answers.holds(request, finding)

    def _at(self, height: int) -> Hooks:
        return self if height <= 0 or self._above is None else self._above._at(height - 1)

    def height_of(self, hook: Hook) -> int:
        """How many hosts above this one the host is whose plugin has the hook."""
        own = self._above is None or hook.callee.bridge is self._bridge
        return 0 if own or self._above is None else 1 + self._above.height_of(hook)

    def _compile(self) -> None:
        generation = self.generation
        known = {(h.name, h.plugin, h.callee.function): h for hooks in self._table.values() for h in hooks}
        table = {}
        inside = tool_session() is not None
        for name in CALL_HOOKS:
            hooks: list[Hook] = []
            for implementation in self._plugins.implementations(name):
                if inside and name == WAIVE and implementation.plugin not in self._plugins.installed:
                    continue  # a program that a tool started waives nothing by plugins of its own
                key = (name, implementation.plugin, implementation.function)
                failures = self._plugins.failures
                made = Hook(implementation, exact=self.exact, bridge=self._bridge, failures=failures)
                hooks.append(known.get(key) or made)
            if self._above is not None and name in _INHERITED:
                hooks = _with_those_above(name, hooks, self._above.of(name))
            table[name] = tuple(hooks)
        above = () if self._above is None else self._above.compiled()._levels
        functions = {hook.callee.function for level in above for hook in level}
        own = tuple(hook for hook in table[WAIVE] if hook.callee.function not in functions)
        self._levels = (*above, own)
        self._table = table
        self.judged = bool(table["hermes_pre_tool_call"] or table["hermes_assess_call"])
        self.started = bool(table["hermes_tool_call_started"])
        self.transformed = bool(table["hermes_transform_tool_result"])
        self.observed = bool(table["hermes_post_tool_call"])
        self._generation = generation

    async def observe(
        self,
        name: str,
        values: Mapping[str, Any],
        runner: Runner,
        *,
        seconds: float | None = None,
        decider: Hook | None = None,
    ) -> None:
        """Call every implementation of an observer; what goes wrong is logged and changes nothing.

        With a decider, each one is told as `own` whether the decider is a hook of its own host or of a host above it.

        A cancellation or Ctrl-C that comes meanwhile waits until the last one has been called.
        """
        interrupted: BaseException | None = None
        for hook in self.of(name):
            if decider is not None:
                values = {**values, "own": self.height_of(decider) >= self.height_of(hook)}
            try:
                await hook.ask(values, runner, self.seconds if seconds is None else seconds)
            except Exception as error:  # foreign code: an observer must not change what it observes
                report(hook, error)
            except GeneratorExit:
                raise
            except BaseException as error:
                interrupted = interrupted or error
        if interrupted is not None:
            raise interrupted

    async def observe_to_the_end(self, name: str, values: Mapping[str, Any], runner: Runner) -> None:
        """The same while the caller is being cancelled: who waits for what has ended must hear of it."""
        if not self.of(name):
            return
        if runner.blocks:
            await self.observe(name, values, runner)
            return
        import anyio

        with anyio.CancelScope(shield=True):  # each observer has its own deadline
            await self.observe(name, values, runner)


def _with_those_above(name: str, own: list[Hook], above: Sequence[Hook]) -> list[Hook]:
    """A host's hooks and those of the hosts above. A plugin that both have loaded is asked once.

    Who approves for the host above is asked first: a host's own approvers get what those leave to others.
    """
    if name == "hermes_request_approval":
        functions = [hook.callee.function for hook in above]
        return [*above, *(hook for hook in own if hook.callee.function not in functions)]
    functions = [hook.callee.function for hook in own]
    return own + [hook for hook in above if hook.callee.function not in functions]


def report(hook: Hook, error: BaseException) -> None:
    """Log what a hook did wrong, once: it may be called a thousand times, and the load report has it, too."""
    trace = None if isinstance(error, Late) else error
    is_known = (hook.plugin, hook.name) in hook.failures
    hook.failures.setdefault((hook.plugin, hook.name), describe(error))
    level = DEBUG if is_known else WARNING
    log.log(level, "Hook %s of plugin %s failed: %s", hook.name, hook.plugin, describe(error), exc_info=trace)


def describe(error: BaseException) -> str:
    """An exception in one line."""
    if isinstance(error, Late | Escaped):
        return str(error)
    return describe_error(error)


def _picker(names: tuple[str, ...], plugin: str) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return what picks the arguments of a hook. Its context is its own: it reads the settings of its plugin."""
    if not names:
        return lambda _values: ()
    if names == ("call", "ctx"):  # what most policies ask for
        return lambda values: (call := values["call"], ToolContext(call, plugin))
    if "ctx" in names:
        return lambda values: tuple(
            [ToolContext(values[name].call, plugin) if name == "ctx" else values[name] for name in names]
        )
    if len(names) == 1:
        only = names[0]
        return lambda values: (values[only],)
    return itemgetter(*names)
