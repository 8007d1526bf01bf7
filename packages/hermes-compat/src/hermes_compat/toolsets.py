"""The functions of old about toolsets. Where a host raises for an unknown name, these answer with nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hermes_compat.default import registry

_MCP = "mcp-"
_EVERYTHING = ("all", "*")


def get_toolset(name: str) -> dict[str, Any] | None:
    """A toolset's description, tools and includes, with what is registered under its name; None when unknown."""
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
    """Whether there is a toolset of this name; `all` and `*` count."""
    return name in _EVERYTHING or get_toolset(name) is not None


def resolve_toolset(name: str) -> list[str]:
    """The tools that a toolset stands for, includes followed to the end, sorted; none for an unknown one."""
    return resolve_multiple_toolsets([name])


def resolve_multiple_toolsets(toolset_names: Iterable[str]) -> list[str]:
    """The tools that several toolsets stand for, sorted; unknown ones add none."""
    host = registry.host
    known = [name for name in toolset_names if validate_toolset(name)]
    return sorted(host.toolsets.resolve(known, host.registry.snapshot, gone_ok=True))


def get_toolset_names() -> list[str]:
    """Every toolset, sorted; that of an MCP server by the server's own name."""
    host = registry.host
    live = host.registry.snapshot
    servers = {toolset: alias for alias, toolset in live.toolset_aliases.items() if toolset.startswith(_MCP)}
    return sorted({servers.get(name, name) for name in host.toolsets.known_names(live)})


def get_all_toolsets() -> dict[str, dict[str, Any]]:
    """Every toolset by name, as `get_toolset` shows it."""
    return {name: found for name in get_toolset_names() if (found := get_toolset(name)) is not None}


def get_toolset_info(name: str) -> dict[str, Any] | None:
    """A toolset with everything that it stands for; None when unknown."""
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


def create_custom_toolset(
    name: str, description: str, tools: Iterable[str] | None = None, includes: Iterable[str] | None = None
) -> None:
    """Add a toolset for as long as the process lives."""
    registry.create_custom_toolset(name, description, tools, includes)
