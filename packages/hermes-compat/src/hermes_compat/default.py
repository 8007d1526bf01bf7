"""The registry that a process shares, and the functions of Hermes Agent that use it."""

from __future__ import annotations

from hermes_compat.registry import ToolRegistry

registry = ToolRegistry()
"""Where tool files register when they are imported. No other package of the project reads it."""

use = registry.use
create_custom_toolset = registry.create_custom_toolset
get_all_tool_names = registry.get_all_tool_names
get_toolset_for_tool = registry.get_toolset_for_tool
get_available_toolsets = registry.get_available_toolsets
check_toolset_requirements = registry.check_toolset_requirements
check_tool_availability = registry.check_tool_availability
