"""The one registry that a process shares, and the functions of old that speak for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_compat.registry import ToolRegistry

if TYPE_CHECKING:
    from hermes_core import Hermes

registry = ToolRegistry()
"""Where tool files register while they are imported. Nothing in the project but this package reads it."""


def use(host: Hermes) -> None:
    """Bind the default registry to an application's host; what was registered already comes along."""
    registry.use(host)


def get_all_tool_names() -> list[str]:
    """Every tool, sorted."""
    return registry.get_all_tool_names()


def get_toolset_for_tool(tool_name: str) -> str | None:
    """The toolset that a tool belongs to."""
    return registry.get_toolset_for_tool(tool_name)


def get_available_toolsets() -> dict[str, dict[str, Any]]:
    """Every toolset that has a tool: whether it is available, its tools, and what they require."""
    return registry.get_available_toolsets()


def check_toolset_requirements() -> dict[str, bool]:
    """Every toolset that has a tool, and whether its check passes."""
    return registry.check_toolset_requirements()


def check_tool_availability(quiet: bool = False) -> tuple[list[str], list[dict[str, Any]]]:
    """The toolsets that are available, and what is missing for the others."""
    return registry.check_tool_availability(quiet)
