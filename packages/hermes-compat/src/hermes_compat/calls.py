"""The functions of Hermes Agent that return definitions for a model and run its calls."""

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
    """Return the definitions of the available tools of some toolsets, sorted by name.

    Args:
        enabled_toolsets: The toolsets; None for all, an empty list for none. Unknown names are logged.
        disabled_toolsets: The toolsets to remove.
        quiet_mode: False prints on stderr what is left out and why.
        skip_tool_search_assembly: True never hides tools behind tool search.
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
    """Run the call of a model, and return JSON text.

    Args:
        function_name: The tool.
        function_args: Its arguments: an object, or the JSON text of one.
        task_id: Passed to the handler and the hooks.
        tool_call_id: The id of the call, passed to the handler and the hooks.
        session_id: The session of the call.
        user_task: Passed to the handler.
        enabled_toolsets: The toolsets of the caller: a tool outside of them is not found.
        disabled_toolsets: The toolsets that were removed for the caller.
        **ids: Further facts for a handler that accepts them. No option skips hooks.
    """
    info = {"task_id": task_id, "tool_call_id": tool_call_id, "session_id": session_id, "user_task": user_task, **ids}
    options = {"enabled": _known(enabled_toolsets), "disabled": _known(disabled_toolsets)}
    return registry.run(function_name, function_args, info, options)


def coerce_tool_args(tool_name: str, args: dict[str, Any]) -> dict[str, Any]:
    """Repair arguments that nearly fit a tool's schema, in place; those of an unknown tool stay the same."""
    spec = registry.get_entry(tool_name)
    if spec is None or not isinstance(args, dict):
        return args
    repaired = repair_arguments(spec.parameters, args, aliases=spec.argument_aliases).args
    if isinstance(repaired, dict) and repaired is not args:
        fresh = dict(repaired)
        args.clear()
        args.update(fresh)
    return args


def _known(names: Iterable[str] | None) -> list[str] | None:
    """Return the known toolsets. Old callers name many that are not installed, so unknown ones are only logged."""
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
            log.warning("There is no toolset %s; it is ignored.%s", name, near)
    return found
