"""The toolset functions of Hermes Agent. Where a host raises for an unknown name, these return nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hermes_compat.default import registry

_MCP = "mcp-"
_EVERYTHING = ("all", "*")


def get_toolset(name: str) -> dict[str, Any] | None:
    """Return a toolset's description, tools and includes, with the tools registered for it; None if unknown."""
    host = registry.host
    live = host.registry.snapshot
    entry = host.toolsets.get(name)
    if entry is None and name not in live.by_toolset:
        name = live.toolset_aliases.get(name, name)
        entry = host.toolsets.get(name)
    registered = sorted(live.by_toolset.get(entry.name if entry else name, ()))
    if entry is None and not registered:
        return None
    tools = list(dict.fromkeys((*(entry.tools if entry else ()), *registered)))
    return {
        "description": entry.description if entry else "",
        "tools": tools,
        "includes": list(entry.includes if entry else ()),
    }


def validate_toolset(name: str) -> bool:
    """Return True if there is a toolset with this name; `all` and `*` count."""
    return name in _EVERYTHING or get_toolset(name) is not None


def resolve_toolset(name: str) -> list[str]:
    """Return the tools of a toolset and its includes, sorted; none for an unknown one."""
    return resolve_multiple_toolsets([name])


def resolve_multiple_toolsets(toolset_names: Iterable[str]) -> list[str]:
    """Return the tools of several toolsets, sorted; unknown ones add none."""
    host = registry.host
    known = [name for name in toolset_names if validate_toolset(name)]
    return sorted(host.toolsets.resolve(known, host.registry.snapshot, gone_ok=True))


def get_toolset_names() -> list[str]:
    """Return every toolset, sorted; that of an MCP server by the server's name."""
    host = registry.host
    live = host.registry.snapshot
    servers = {toolset: alias for alias, toolset in live.toolset_aliases.items() if toolset.startswith(_MCP)}
    return sorted({servers.get(name, name) for name in host.toolsets.known_names(live)})


def get_all_toolsets() -> dict[str, dict[str, Any]]:
    """Return every toolset by name, as `get_toolset` does."""
    return {name: found for name in get_toolset_names() if (found := get_toolset(name)) is not None}


def get_toolset_info(name: str) -> dict[str, Any] | None:
    """Return a toolset with all tools it resolves to; None if unknown."""
    found = get_toolset(name)
    if found is None:
        return None
    resolved = resolve_toolset(name)
    return {
        "name": name,
        "description": found["description"],
        "direct_tools": found["tools"],
        "includes": found["includes"],
        "resolved_tools": resolved,
        "tool_count": len(resolved),
        "is_composite": bool(found["includes"]),
    }
