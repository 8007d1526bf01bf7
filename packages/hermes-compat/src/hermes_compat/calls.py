"""The functions of old that list tools for a model and run what it asks for."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from typing import Any

from hermes_compat.default import registry
from hermes_core import tool_error, tool_result
from hermes_core.errors import did_you_mean
from hermes_schemas import nearest, repair_arguments

__all__ = ["coerce_tool_args", "get_tool_definitions", "handle_function_call", "tool_error", "tool_result"]

log = logging.getLogger("hermes")


def get_tool_definitions(
    enabled_toolsets: Iterable[str] | None = None,
    disabled_toolsets: Iterable[str] | None = None,
    quiet_mode: bool = False,
    skip_tool_search_assembly: bool = False,
) -> list[dict[str, Any]]:
    """The definitions of the available tools of some toolsets, sorted by name.

    Args:
        enabled_toolsets: What to take; None takes all, an empty list none. A name that nobody knows is logged.
        disabled_toolsets: What is taken away, always last.
        quiet_mode: False says on stderr what is left out and why.
        skip_tool_search_assembly: Whether nothing is hidden behind tool search, however long the list is.
    """
    enabled, disabled = _known(enabled_toolsets), _known(disabled_toolsets)
    found = registry.host.definitions(enabled, disabled, everything=skip_tool_search_assembly)
    if not quiet_mode:
        _announce(enabled, disabled, {each["function"]["name"] for each in found})
    return found


def _announce(enabled: Iterable[str] | None, disabled: Iterable[str] | None, shown: set[str]) -> None:
    """Print what was left out and why, on stderr: stdout is for results."""
    host = registry.host
    removed = {spec.name for spec in host.tools(disabled or (), available=False)}
    specs = [spec for spec in host.tools(enabled, available=False) if spec.name not in removed]
    available = {spec.name for spec in host.tools(enabled)}
    print(f"hermes: {len(shown)} tools", file=sys.stderr)
    hidden = [spec for spec in specs if spec.name in available - shown and not spec.in_every_scope]
    if hidden:
        print(f"hermes: {len(hidden)} more are hidden by plugins", file=sys.stderr)
    for spec in specs:
        if spec.name not in available:
            print(f"hermes: without {spec.name}: {host.why(spec.name).reason}", file=sys.stderr)


def handle_function_call(
    function_name: str,
    function_args: object,
    task_id: str | None = None,
    *,
    tool_call_id: str | None = None,
    session_id: str | None = None,
    user_task: str | None = None,
    enabled_toolsets: Iterable[str] | None = None,
    disabled_toolsets: Iterable[str] | None = None,
    **ids: Any,
) -> str:
    """Run what a model asked for, and answer with a JSON text.

    Args:
        function_name: The tool.
        function_args: Its arguments: an object, or the JSON text of one.
        task_id: Told to the handler and the hooks.
        tool_call_id: The id of the call, told to the handler and the hooks.
        session_id: The session that the call belongs to.
        user_task: Told to the handler.
        enabled_toolsets: The toolsets that the caller was given: a tool outside of them is not found.
        disabled_toolsets: The toolsets that were taken away from the caller.
        **ids: Further facts, told to a handler that takes them. Hooks cannot be skipped, whatever is said here.
    """
    info = {"task_id": task_id, "tool_call_id": tool_call_id, "session_id": session_id, "user_task": user_task, **ids}
    options = {"enabled": _known(enabled_toolsets), "disabled": _known(disabled_toolsets)}
    return registry.run(function_name, function_args, info, options)


def coerce_tool_args(tool_name: str, args: dict[str, Any]) -> dict[str, Any]:
    """Mend arguments that nearly fit a tool's schema, in place; those of an unknown tool stay as they are."""
    spec = registry.get_entry(tool_name)
    if spec is None or not isinstance(args, dict):
        return args
    mended = repair_arguments(spec.parameters, args, aliases=spec.argument_aliases).args
    if isinstance(mended, dict) and mended is not args:
        fresh = dict(mended)
        args.clear()
        args.update(fresh)
    return args


def _known(names: Iterable[str] | None) -> list[str] | None:
    """The toolsets that exist. Old callers name many that are not installed, which is worth a line and no failure."""
    if names is None:
        return None
    host = registry.host
    live = host.registry.snapshot
    found = []
    for name in [names] if isinstance(names, str) else names:
        if host.toolsets.is_known(name, live):
            found.append(name)
        else:
            near = did_you_mean(nearest(name, host.toolsets.known_names(live)))
            log.warning("There is no toolset %s; it is left out.%s", name, near)
    return found
