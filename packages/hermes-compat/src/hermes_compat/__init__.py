"""The names that tool files written for Hermes Agent import, served by a host and its one pipeline.

A file that says `from tools.registry import registry` is ported by changing that line to
`from hermes_compat import registry`. This package keeps one default registry, the only module-level state of
the project, and `use(host)` binds it to the host of an application. New tools do not need it: see `hermes_core.tool`.
"""

from hermes_compat.calls import (
    coerce_tool_args,
    get_tool_definitions,
    handle_function_call,
    tool_error,
    tool_result,
)
from hermes_compat.default import (
    check_tool_availability,
    check_toolset_requirements,
    get_all_tool_names,
    get_available_toolsets,
    get_toolset_for_tool,
    registry,
    use,
)
from hermes_compat.registry import ToolRegistry
from hermes_compat.toolsets import (
    create_custom_toolset,
    get_all_toolsets,
    get_toolset,
    get_toolset_info,
    get_toolset_names,
    resolve_multiple_toolsets,
    resolve_toolset,
    validate_toolset,
)

__version__ = "1.0.0"

__all__ = [
    "ToolRegistry",
    "check_tool_availability",
    "check_toolset_requirements",
    "coerce_tool_args",
    "create_custom_toolset",
    "get_all_tool_names",
    "get_all_toolsets",
    "get_available_toolsets",
    "get_tool_definitions",
    "get_toolset",
    "get_toolset_for_tool",
    "get_toolset_info",
    "get_toolset_names",
    "handle_function_call",
    "registry",
    "resolve_multiple_toolsets",
    "resolve_toolset",
    "tool_error",
    "tool_result",
    "use",
    "validate_toolset",
]
