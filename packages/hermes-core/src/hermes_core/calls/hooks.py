"""Calls the hooks of a call: in order, sync or async, each under a deadline, none able to harm the others."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

from hermes_core.calls.deadlines import Late
from hermes_core.calls.runner import PROVEN, Callee, Runner
from hermes_core.calls.workers import Escaped
from hermes_core.errors import describe_error
from hermes_core.logs import log
from hermes_core.plugins.manager import HOOKS, Implementation, Plugins
from hermes_core.plugins.manifest import REGISTRATION_HOOKS

CALL_HOOKS = tuple(hook for hook in HOOKS if hook not in REGISTRATION_HOOKS)


LATER = object()
"""What `Hook.now` answers when the hook has to be awaited."""


class Hook:
    """One plugin's implementation of one hook, ready to be called."""

    __slots__ = ("callee", "name", "pick", "plugin")

    def __init__(self, implementation: Implementation) -> None:
        function = implementation.function
        self.name = implementation.hook
        self.plugin = implementation.plugin
        self.callee = Callee(function, is_async=inspect.iscoroutinefunction(function))
        self.pick = _picker(implementation.argnames)

    def now(self, values: Mapping[str, Any], seconds: float) -> Any:
        """The answer of a hook that has proven to be quick, without the detour over a coroutine; else `LATER`."""
        callee = self.callee
        return callee.in_place(self.pick(values), {}, seconds) if callee.quick >= PROVEN else LATER

    async def ask(self, values: Mapping[str, Any], runner: Runner, seconds: float) -> Any:
        """Call it with the arguments it wants. Raises `Late`, or what it raised."""
        return await runner.run(self.callee, self.pick(values), {}, seconds)


class Hooks:
    """The call hooks of one host, compiled again whenever its plugins change."""

    def __init__(self, plugins: Plugins, seconds: float) -> None:
        self._plugins = plugins
        self.seconds = seconds
        self._generation = -1
        self._table: dict[str, tuple[Hook, ...]] = {}
        self.judged = self.transformed = self.observed = False
        """Whether any plugin judges calls, changes results, or watches: most hosts skip most stages."""

    def compiled(self) -> Hooks:
        """These hooks, up to date with the plugins."""
        if self._generation != self._plugins.generation:
            self._compile()
        return self

    def of(self, name: str) -> tuple[Hook, ...]:
        """The implementations of a hook, in the order of their calls."""
        if self._generation != self._plugins.generation:
            self._compile()
        return self._table[name]

    def _compile(self) -> None:
        generation = self._plugins.generation
        known = {(h.name, h.plugin, h.callee.function): h for hooks in self._table.values() for h in hooks}
        table = {}
        for name in CALL_HOOKS:
            hooks = []
            for implementation in self._plugins.implementations(name):
                key = (name, implementation.plugin, implementation.function)
                hooks.append(known.get(key) or Hook(implementation))
            table[name] = tuple(hooks)
        self._table = table
        self.judged = bool(table["hermes_pre_tool_call"] or table["hermes_assess_call"])
        self.transformed = bool(table["hermes_transform_tool_result"])
        self.observed = bool(table["hermes_post_tool_call"])
        self._generation = generation

    async def observe(self, name: str, values: Mapping[str, Any], runner: Runner) -> None:
        """Call every implementation of an observer; what goes wrong is logged and changes nothing.

        A cancellation or Ctrl-C that comes meanwhile waits until the last one has been called.
        """
        interrupted: BaseException | None = None
        for hook in self.of(name):
            try:
                await hook.ask(values, runner, self.seconds)
            except (Exception, SystemExit) as error:  # foreign code: an observer must not change what it observes
                report(hook, error)
            except GeneratorExit:
                raise
            except BaseException as error:
                interrupted = interrupted or error
        if interrupted is not None:
            raise interrupted


def report(hook: Hook, error: BaseException) -> None:
    """Log what a hook did wrong."""
    trace = None if isinstance(error, Late) else error
    log.warning("Hook %s of plugin %s failed: %s", hook.name, hook.plugin, describe(error), exc_info=trace)


def describe(error: BaseException) -> str:
    """An exception in one line."""
    if isinstance(error, Late | Escaped):
        return str(error)
    return describe_error(error)


def _picker(names: tuple[str, ...]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    if not names:
        return lambda _values: ()
    if len(names) == 1:
        only = names[0]
        return lambda values: (values[only],)
    return itemgetter(*names)
