"""Loads plugins written for Hermes Agent: modules with a function `register(ctx)`.

Their tools and their three tool hooks work; everything else they register is reported and ignored.
"""

from __future__ import annotations

import inspect
import json
import logging
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING, Any

from hermes_compat.declaration import Check, accepted_names, declare, thaw
from hermes_core import Deny, PluginError, Tool, hookimpl
from hermes_core.errors import describe_error

if TYPE_CHECKING:
    from hermes_core import CallRecord, ToolCall

log = logging.getLogger("hermes")
HOOKS = ("pre_tool_call", "post_tool_call", "transform_tool_result")
"""The supported hooks of Hermes Agent."""

_STATUS = {"ok": "ok", "blocked": "blocked"}
Callback = Callable[..., Any]


def adapt_directory(path: object, name: str) -> UpstreamPlugin:
    """Import the package in a directory with `plugin.yaml`, and adapt it; see `adapt`."""
    module = f"hermes_plugin_directory_{name}".replace("-", "_")
    init = os.path.join(str(path), "__init__.py")
    spec = spec_from_file_location(module, init, submodule_search_locations=[str(path)])
    if spec is None or spec.loader is None:
        raise PluginError("it cannot be imported.", plugin=name, remedy=f"Check {init}.")
    sys.modules[module] = found = module_from_spec(spec)
    try:
        spec.loader.exec_module(found)
    except BaseException:
        del sys.modules[module]
        raise
    return adapt(found, name)


def adapt(plugin: object, name: str) -> UpstreamPlugin:
    """Let a plugin register, and return the object that represents it in a host.

    Args:
        plugin: The module with the function `register`, or that function.
        name: The name of the plugin.

    Raises:
        PluginError: it has no such function, or its hooks are async, which Hermes Agent never awaited.
    """
    register = plugin if inspect.isroutine(plugin) else getattr(plugin, "register", None)
    if not callable(register):
        raise PluginError(
            "it has no function register(ctx).",
            plugin=name,
            remedy="Point its entry point to the right module.",
        )
    adapted = UpstreamPlugin(name)
    register(Context(adapted))
    adapted.settle()
    return adapted


class UpstreamPlugin:
    """A plugin of Hermes Agent that hosts load like any other.

    Attributes:
        name: Its name.
        tools: The tools that it registered.
        unsupported: The unsupported features that it asked for, one sentence each.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.tools: list[Tool] = []
        self.unsupported: list[str] = []
        self._callbacks: dict[str, list[Callback]] = {hook: [] for hook in HOOKS}
        self._settled = False

    def lacks(self, what: str) -> None:
        """Record an unsupported feature."""
        sentence = f"{what} is not supported here and was ignored."
        if sentence not in self.unsupported:
            self.unsupported.append(sentence)
            log.warning("Plugin %s: %s", self.name, sentence)

    def add_callback(self, hook: str, callback: Callback) -> None:
        """Add a function for one of the supported hooks."""
        if inspect.iscoroutinefunction(callback):
            raise PluginError(
                f"its {hook} hook is async; such a hook is called but never awaited.",
                plugin=self.name,
                remedy="Write it as a plain function.",
            )
        if self._settled:
            self.lacks(f"the hook {hook}, registered after loading,")
        else:
            self._callbacks[hook].append(callback)

    def add_tool(self, tool: Tool) -> None:
        """Add a tool."""
        if self._settled:
            self.lacks(f"the tool {tool.name}, registered after loading,")
        else:
            self.tools.append(tool)

    def settle(self) -> None:
        """Set the hooks that are needed, and no others: a hook that does nothing still costs every call."""
        self._settled = True
        callbacks = self._callbacks
        hooks: dict[str, Callable[..., object]] = {}
        if self.tools:
            hooks["hermes_tools"] = lambda: tuple(self.tools)
        if callbacks["pre_tool_call"]:
            hooks["hermes_pre_tool_call"] = _policy(self.name, callbacks["pre_tool_call"])
        if callbacks["post_tool_call"]:
            hooks["hermes_post_tool_call"] = _observer(self.name, callbacks["post_tool_call"])
        if callbacks["transform_tool_result"]:
            hooks["hermes_transform_tool_result"] = _transformer(self.name, callbacks["transform_tool_result"])
        for hook, function in hooks.items():
            setattr(self, hook, hookimpl(function))


class Context:
    """The argument of `register(ctx)`. Unsupported features are recorded and do nothing."""

    def __init__(self, plugin: UpstreamPlugin) -> None:
        self._plugin = plugin

    def register_tool(
        self,
        name: str,
        toolset: str,
        schema: Mapping[str, Any],
        handler: Callback,
        check_fn: Check | None = None,
        requires_env: Iterable[str] | None = None,
        is_async: bool = False,
        description: str = "",
        emoji: str = "",
        **others: Any,
    ) -> None:
        """Register a tool."""
        for option, value in others.items():
            if value:
                self._plugin.lacks(f"{option}={value!r} of register_tool({name!r})")
        self._plugin.add_tool(
            declare(
                name,
                toolset,
                schema,
                handler,
                check_fn=check_fn,
                requires_env=requires_env,
                is_async=is_async,
                description=description,
                emoji=emoji,
            )
        )

    def register_hook(self, hook_name: str, callback: Callback) -> None:
        """Register a function for a hook."""
        if hook_name in HOOKS:
            self._plugin.add_callback(hook_name, callback)
        else:
            self._plugin.lacks(f"the hook {hook_name}")

    def __getattr__(self, name: str) -> _Absent:
        if name.startswith("_"):
            raise AttributeError(name)
        self._plugin.lacks(f"ctx.{name}")
        return _Absent()


class _Absent:
    """Replaces an unsupported feature of Hermes Agent: it can be called, and is false."""

    def __call__(self, *_args: object, **_options: object) -> None:
        return None

    def __bool__(self) -> bool:
        return False

    def __getattr__(self, name: str) -> _Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def _policy(plugin: str, callbacks: list[Callback]) -> Callable[[ToolCall], Deny | None]:
    """Return a hook that denies when a callback blocks. If one raises, the pipeline denies the call."""
    askers = [_by_name(callback) for callback in callbacks]

    def hermes_pre_tool_call(call: ToolCall) -> Deny | None:
        for ask in askers:
            answer = ask(_about(call))
            if isinstance(answer, Mapping) and answer.get("action") == "block":
                message = answer.get("message")
                return Deny(message if isinstance(message, str) and message else f"plugin {plugin} blocked it")
        return None

    return hermes_pre_tool_call


def _observer(plugin: str, callbacks: list[Callback]) -> Callable[[CallRecord], None]:
    observers = [_by_name(callback) for callback in callbacks]

    def hermes_post_tool_call(record: CallRecord) -> None:
        facts = {
            **_about(record.call),
            "result": record.result,
            "duration_ms": round(record.seconds * 1000),
            "status": _STATUS.get(record.status, "error"),
            "error_type": "plugin_block" if record.status == "blocked" else record.code,
            "error_message": None if record.status == "ok" else _error_in(record.result),
        }
        for observe in observers:
            _contained(plugin, "post_tool_call", observe, facts)

    return hermes_post_tool_call


def _transformer(plugin: str, callbacks: list[Callback]) -> Callable[[ToolCall, str], str | None]:
    """Return a hook that replaces the result with the first text that a callback returns."""
    askers = [_by_name(callback) for callback in callbacks]

    def hermes_transform_tool_result(call: ToolCall, result: str) -> str | None:
        error = _error_in(result)
        facts = {
            **_about(call),
            "result": result,
            "status": "ok" if error is None else "error",
            "error_type": None if error is None else "tool_error",
            "error_message": error,
        }
        for ask in askers:
            answer = _contained(plugin, "transform_tool_result", ask, facts)
            if isinstance(answer, str):
                return answer
        return None

    return hermes_transform_tool_result


def _about(call: ToolCall) -> dict[str, Any]:
    return {
        "tool_name": call.name,
        "args": thaw(call.args),
        "task_id": call.task_id,
        "session_id": call.session_id,
        "tool_call_id": call.id,
    }


def _by_name(callback: Callback) -> Callable[[Mapping[str, Any]], Any]:
    accepted = accepted_names(callback)
    if accepted is None:
        return lambda facts: callback(**facts)
    return lambda facts: callback(**{name: value for name, value in facts.items() if name in accepted})


def _contained(plugin: str, hook: str, call: Callable[[Mapping[str, Any]], Any], facts: Mapping[str, Any]) -> Any:
    try:
        return call(facts)
    except (Exception, SystemExit) as error:  # foreign code: the next callback is still called
        log.warning("Hook %s of plugin %s failed: %s", hook, plugin, describe_error(error), exc_info=error)
        return None


def _error_in(result: str) -> str | None:
    if '"error"' not in result:
        return None
    try:
        parsed = json.loads(result)
    except (ValueError, RecursionError):
        return None
    error = parsed.get("error") if isinstance(parsed, dict) else None
    return str(error) if error else None
