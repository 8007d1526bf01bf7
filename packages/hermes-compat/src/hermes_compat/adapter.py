"""Lets a plugin written for Hermes Agent, a module with `register(ctx)`, stand among ours.

Its tools and its three tool hooks work here; whatever else it registers is noted, reported and left out.
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
"""The hooks of Hermes Agent that have a counterpart here."""

_STATUS = {"ok": "ok", "blocked": "blocked"}
Callback = Callable[..., Any]


def adapt_directory(path: object, name: str) -> UpstreamPlugin:
    """Import the package in a directory that holds `plugin.yaml`, and adapt it; see `adapt`."""
    module = f"hermes_plugin_directory_{name}".replace("-", "_")
    init = os.path.join(str(path), "__init__.py")
    spec = spec_from_file_location(module, init, submodule_search_locations=[str(path)])
    if spec is None or spec.loader is None:
        raise PluginError("it cannot be imported.", plugin=name, remedy=f"Look at {init}.")
    sys.modules[module] = found = module_from_spec(spec)
    try:
        spec.loader.exec_module(found)
    except BaseException:
        del sys.modules[module]
        raise
    return adapt(found, name)


def adapt(plugin: object, name: str) -> UpstreamPlugin:
    """Let a plugin register, and give the object that stands for it in a host.

    Args:
        plugin: The module that has a function `register`, or that function.
        name: What to call it.

    Raises:
        PluginError: it has no such function, or its hooks are async, which Hermes Agent never awaited.
    """
    register = plugin if inspect.isroutine(plugin) else getattr(plugin, "register", None)
    if not callable(register):
        raise PluginError(
            "it has no function register(ctx).", plugin=name, remedy="Point its entry point at the module that has one."
        )
    adapted = UpstreamPlugin(name)
    register(Context(adapted))
    adapted.settle()
    return adapted


class UpstreamPlugin:
    """A plugin of Hermes Agent in the shape of ours: hosts load it like any other.

    Attributes:
        name: What it is called.
        tools: The tools that it registered.
        unsupported: What it asked for and does not get here, one sentence each.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.tools: list[Tool] = []
        self.unsupported: list[str] = []
        self._callbacks: dict[str, list[Callback]] = {hook: [] for hook in HOOKS}
        self._settled = False

    def lacks(self, what: str) -> None:
        """Note something that has no counterpart here."""
        sentence = f"{what} is not supported here and was left out."
        if sentence not in self.unsupported:
            self.unsupported.append(sentence)
            log.warning("Plugin %s: %s", self.name, sentence)

    def add_callback(self, hook: str, callback: Callback) -> None:
        """Have a function called for one of the hooks that we have."""
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
        """Have a tool registered when the plugin is."""
        if self._settled:
            self.lacks(f"the tool {tool.name}, registered after loading,")
        else:
            self.tools.append(tool)

    def settle(self) -> None:
        """Take on the hooks that are needed, and no others: a hook that does nothing still costs every call."""
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
    """What `register(ctx)` is given. Asking for something that we do not have is noted and does no harm."""

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
        """Bring a tool."""
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
        """Have a function called at some moment."""
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
    """Stands for what a plugin may ask of Hermes Agent and we do not have: can be called, and is nothing."""

    def __call__(self, *_args: object, **_options: object) -> None:
        return None

    def __bool__(self) -> bool:
        return False

    def __getattr__(self, name: str) -> _Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


# -- the hooks ---------------------------------------------------------------------------------------------------


def _policy(plugin: str, callbacks: list[Callback]) -> Callable[[ToolCall], Deny | None]:
    """The first block denies. One that raises does too: the pipeline denies when a policy hook fails."""
    asking = [_by_name(callback) for callback in callbacks]

    def hermes_pre_tool_call(call: ToolCall) -> Deny | None:
        for ask in asking:
            answer = ask(_about(call))
            if isinstance(answer, Mapping) and answer.get("action") == "block":
                message = answer.get("message")
                return Deny(message if isinstance(message, str) and message else f"plugin {plugin} blocked it")
        return None

    return hermes_pre_tool_call


def _observer(plugin: str, callbacks: list[Callback]) -> Callable[[CallRecord], None]:
    telling = [_by_name(callback) for callback in callbacks]

    def hermes_post_tool_call(record: CallRecord) -> None:
        facts = {
            **_about(record.call),
            "result": record.result,
            "duration_ms": round(record.seconds * 1000),
            "status": _STATUS.get(record.status, "error"),
            "error_type": "plugin_block" if record.status == "blocked" else record.code,
            "error_message": None if record.status == "ok" else _error_in(record.result),
        }
        for tell in telling:
            _contained(plugin, "post_tool_call", tell, facts)

    return hermes_post_tool_call


def _transformer(plugin: str, callbacks: list[Callback]) -> Callable[[ToolCall, str], str | None]:
    """The first text that a callback returns replaces the result."""
    asking = [_by_name(callback) for callback in callbacks]

    def hermes_transform_tool_result(call: ToolCall, result: str) -> str | None:
        error = _error_in(result)
        facts = {
            **_about(call),
            "result": result,
            "status": "ok" if error is None else "error",
            "error_type": None if error is None else "tool_error",
            "error_message": error,
        }
        for ask in asking:
            answer = _contained(plugin, "transform_tool_result", ask, facts)
            if isinstance(answer, str):
                return answer
        return None

    return hermes_transform_tool_result


def _about(call: ToolCall) -> dict[str, Any]:
    """What every hook of Hermes Agent is told of a call; the arguments are a copy."""
    return {
        "tool_name": call.name,
        "args": thaw(call.args),
        "task_id": call.task_id,
        "session_id": call.session_id,
        "tool_call_id": call.id,
    }


def _by_name(callback: Callback) -> Callable[[Mapping[str, Any]], Any]:
    """Calls a function with those of the facts that it takes."""
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
    """The error that a result reports; None when it reports none."""
    if '"error"' not in result:
        return None
    try:
        parsed = json.loads(result)
    except (ValueError, RecursionError):
        return None
    error = parsed.get("error") if isinstance(parsed, dict) else None
    return str(error) if error else None
