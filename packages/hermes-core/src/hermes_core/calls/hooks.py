"""Calls the hooks of a call: in order, sync or async, each under a deadline and isolated from the others."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from logging import DEBUG, WARNING
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from hermes_core.calls.call import get_current_call, set_current_call
from hermes_core.calls.context import ToolContext
from hermes_core.calls.deadlines import DeadlineError
from hermes_core.calls.runner import PROVEN, Callee, Runner, is_plain
from hermes_core.calls.worker_threads import Escaped
from hermes_core.config.tool_session import tool_session
from hermes_core.errors import describe_error
from hermes_core.logs import log
from hermes_core.plugins.api_version import LAZY_HOOKS
from hermes_core.plugins.manager import HOOKS, Implementation, Plugins

if TYPE_CHECKING:
    from hermes_core.calls.call import CallRecord, ToolCall
    from hermes_core.calls.dispatcher import Dispatcher
    from hermes_core.calls.runner import LazyBridge

WAIVE = "hermes_waive_findings"
APPROVE = "hermes_request_approval"
CALL_HOOKS = tuple(hook for hook in HOOKS if hook not in LAZY_HOOKS)

_INHERITED = frozenset(CALL_HOOKS) - {"hermes_session_start", "hermes_session_end", "hermes_adjust_definitions"}
"""The hooks that also get the calls of child hosts. Sessions and definitions belong to each host."""

_NOTHING: dict[str, Any] = {}


class Hook:
    """One plugin's implementation of one hook; `owner` are the hooks of the plugin's host."""

    __slots__ = ("callee", "name", "owner", "pick", "plugin", "takes")

    def __init__(self, implementation: Implementation, owner: Hooks) -> None:
        function = implementation.function
        # An approver waits for a person: it has the deadline of approvals, and always runs in a thread.
        patient = implementation.hook == APPROVE
        self.owner = owner
        self.name = implementation.hook
        self.plugin = implementation.plugin
        self.callee = Callee(
            function,
            is_async=inspect.iscoroutinefunction(function),
            exact=owner.exact or patient,
            patient=patient,
            grace=not patient,
            bridge=owner.bridge,
            name=None if patient else f"{self.plugin}.{self.name}",
        )
        self.takes = implementation.argnames
        self.pick = _picker(implementation.argnames, implementation.plugin, owner)

    def ask(self, values: Mapping[str, Any], runner: Runner, seconds: float) -> Any:
        """Call the hook with the arguments that it accepts; return the answer, or an awaitable."""
        callee = self.callee
        if callee.quick >= PROVEN and runner.in_place():
            answer = callee.in_place(self.pick(values), _NOTHING, seconds)
            return answer if answer is None or is_plain(answer) else runner.hear(answer, seconds)
        return runner.run(callee, self.pick(values), _NOTHING, seconds)

    def report(self, error: BaseException) -> None:
        """Log a failure as a warning, once per hook. The load report shows it, too."""
        failures, key = self.owner.plugins.failures, (self.plugin, self.name)
        level = DEBUG if key in failures else WARNING
        failures.setdefault(key, describe(error))
        trace = None if isinstance(error, DeadlineError) else error
        log.log(level, "Hook %s of plugin %s failed: %s", self.name, self.plugin, describe(error), exc_info=trace)


class ToolAssessor(Hook):
    """A tool's own assessment of its calls, called like a plugin's assessor."""

    __slots__ = ()

    def __init__(self, callee: Callee, owner: Hooks) -> None:
        self.callee = callee
        self.owner = owner
        self.name = "hermes_assess_call"
        self.plugin = ""
        self.pick = lambda values: (values["call"].args, ToolContext(values["call"]))

    def report(self, error: BaseException) -> None:
        """Do nothing: the finding reports the error."""


class Hooks:
    """The call hooks of one host, compiled again when its plugins change.

    Args:
        plugins: The host's plugins.
        seconds: The deadline of each hook.
        host: The host.
        exact: Whether the deadline was configured: then each sync hook runs in a thread to enforce it.
        bridge: The loop that runs async hooks for sync callers.
        above: The hooks of the parent host, which also judge and observe calls of this host.

    Attributes:
        hosts: These hooks and those of the parent hosts, the outermost last.
        answered: The calls that approvers of this host have allowed for longer.
    """

    def __init__(
        self,
        plugins: Plugins,
        seconds: float,
        *,
        host: Dispatcher,
        exact: bool,
        bridge: LazyBridge,
        above: Hooks | None = None,
    ) -> None:
        self.host = host
        self.plugins = plugins
        self.seconds = seconds
        self.exact = exact
        self.bridge = bridge
        self._above = above
        self.hosts: tuple[Hooks, ...] = (self, *(above.hosts if above is not None else ()))
        self.answered: dict[tuple[object, ...], None] = {}
        self._generation = -1
        self._table: dict[str, tuple[Hook, ...]] = {}
        self.policies: tuple[Hook, ...] = ()
        self.assessors: tuple[Hook, ...] = ()
        self.observers: tuple[Hook, ...] = ()
        self.started = self.transformed = False

    @property
    def generation(self) -> int:
        """A number that grows with each change, here and in parent hosts."""
        return self.plugins.generation + (self._above.generation if self._above is not None else 0)

    def compiled(self) -> Hooks:
        """Return these hooks, updated after changes of plugins."""
        if self._generation != (self.plugins.generation if self._above is None else self.generation):
            self._compile()
        return self

    def of(self, name: str) -> tuple[Hook, ...]:
        """Return the implementations of a hook in call order, those of this host first."""
        return self.compiled()._table[name]

    def _compile(self) -> None:
        generation = self.generation
        known = {(h.name, h.plugin, h.callee.function): h for hooks in self._table.values() for h in hooks}
        trusted = self.plugins.installed if tool_session() is not None else None
        table = {}
        for name in CALL_HOOKS:
            hooks: list[Hook] = []
            for each in self.plugins.implementations(name):
                if name == WAIVE and trusted is not None and each.plugin not in trusted:
                    continue  # a program started by a tool cannot waive findings with its own plugins
                made = known.get((name, each.plugin, each.function))
                hooks.append(made if made is not None and made.owner is self else Hook(each, self))
            if self._above is not None and name in _INHERITED:
                hooks = _merge(name, hooks, self._above.of(name))
            table[name] = tuple(hooks)
        self._table = table
        self.policies, self.assessors = table["hermes_pre_tool_call"], table["hermes_assess_call"]
        self.started = bool(table["hermes_tool_call_started"])
        self.transformed = bool(table["hermes_transform_tool_result"])
        self.observers = table["hermes_post_tool_call"]
        self._generation = generation

    def use_table(self, plugins: Plugins) -> None:
        """Replace the plugins, and run fast hooks in place as most hosts do."""
        self.plugins = plugins
        self._table, self._generation, self.exact = {}, -1, False

    async def replace(
        self, name: str, key: str, values: dict[str, Any], runner: Runner, accept: Callable[[Any, Any], Any]
    ) -> Any:
        """Let each implementation replace the argument `key`; `accept` gets an answer and the previous value."""
        for hook in self.of(name):
            try:
                answer = hook.ask(values, runner, hook.owner.seconds)
                if not is_plain(answer):
                    answer = await answer
                if answer is not None:
                    values = {**values, key: accept(answer, values[key])}
            except Exception as error:  # foreign code: a failed change changes nothing
                hook.report(error)
        return values[key]

    def observe_end(self, record: CallRecord, runner: Runner, begun: float) -> Awaitable[None] | None:
        """Call the observers of a finished call; return an awaitable if one of them may have to wait."""
        observers, call = self.observers, record.call
        around = get_current_call()
        set_current_call((call, around))
        try:
            for hook in observers:
                callee, answer = hook.callee, None
                try:
                    if callee.quick >= PROVEN and runner.in_place():
                        seconds = hook.owner.seconds
                        answer = callee.in_place((record,) if hook.takes else (), _NOTHING, seconds, begun)
                        if answer is None or is_plain(answer):
                            begun = 0.0
                            continue
                        answer = runner.hear(answer, seconds)
                except BaseException as error:  # foreign code
                    answer = _raised(error)
                rest = observers[observers.index(hook) :]
                return self.observe(rest, {"record": record}, runner, call=call, first=answer)
        finally:
            set_current_call(around)
        return None

    async def observe(
        self,
        hooks: tuple[Hook, ...],
        values: Mapping[str, Any],
        runner: Runner,
        *,
        call: ToolCall | None = None,
        seconds: float | None = None,
        decider: Hook | None = None,
        first: Awaitable[Any] | None = None,
    ) -> None:
        """Call all implementations of an observer. Failures are logged and change nothing.

        A cancellation or Ctrl-C is raised after the last one was called. Calls made by observers of a `call` count as
        nested in it. With a `decider`, the approver that decided, each observer gets `own`: whether its own host or a
        parent of it decided. `first` is the answer of the first observer, if it was called already.
        """
        interrupted: BaseException | None = None
        around = get_current_call()
        if call is not None:
            set_current_call((call, around))
        try:
            for hook in hooks:
                if decider is not None:
                    own = self.hosts.index(decider.owner) >= self.hosts.index(hook.owner)
                    values = {**values, "own": own}
                try:
                    answer, first = first or hook.ask(values, runner, seconds or hook.owner.seconds), None
                    if answer is not None and not is_plain(answer):
                        await answer
                except Exception as error:  # foreign code: an observer must not change what it observes
                    hook.report(error)
                except GeneratorExit:
                    raise
                except BaseException as error:
                    interrupted = interrupted or error
        finally:
            set_current_call(around)
        if interrupted is not None:
            raise interrupted

    async def observe_to_the_end(
        self, hooks: tuple[Hook, ...], values: Mapping[str, Any], runner: Runner, *, call: ToolCall | None = None
    ) -> None:
        """Call all implementations of an observer while the caller is being cancelled."""
        if runner.blocks or not hooks:
            await self.observe(hooks, values, runner, call=call)
            return
        import anyio

        with anyio.CancelScope(shield=True):  # each observer has its own deadline
            await self.observe(hooks, values, runner, call=call)


async def _raised(error: BaseException) -> None:
    raise error


def _merge(name: str, own: list[Hook], above: tuple[Hook, ...]) -> list[Hook]:
    """Combine hooks with those of parent hosts. A plugin that both have loaded is called once, for the parent.

    For approvals, hooks of parents come first, because a host's own approvers decide only what those leave open.
    """
    first, second = (above, own) if name in (APPROVE, WAIVE) else (own, above)
    functions = [hook.callee.function for hook in first]
    shared = {functions.index(hook.callee.function): hook for hook in above if hook.callee.function in functions}
    return [
        *(shared.get(position, hook) for position, hook in enumerate(first)),
        *(hook for hook in second if hook.callee.function not in functions),
    ]


def describe(error: BaseException) -> str:
    """Return an exception in one line."""
    return str(error) if isinstance(error, DeadlineError | Escaped) else describe_error(error)


def _picker(names: tuple[str, ...], plugin: str, owner: Hooks) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return a function that selects a hook's arguments. `ctx` belongs to the hook's own plugin and host."""
    if names == ("call", "ctx"):  # what most policies use
        return lambda values: (call := values["call"], ToolContext(call, plugin, owner.host))
    if "ctx" in names:
        return lambda values: tuple(
            [ToolContext(values["call"], plugin, owner.host) if name == "ctx" else values[name] for name in names]
        )
    if len(names) == 1:
        only = names[0]
        return lambda values: (values[only],)
    return itemgetter(*names) if names else lambda _values: ()
