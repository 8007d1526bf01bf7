"""The names that tool files written for Hermes Agent import, served by a host and its pipeline.

To port such a file, change `from tools.registry import registry` to `from hermes_compat import registry`. This package
has one default registry, the only module-level state of the project, and `use(host)` binds it to the host of an
application. New tools do not need it: see `hermes_core.tool`.
"""

from types import ModuleType

from hermes_compat.calls import coerce_tool_args as coerce_tool_args
from hermes_compat.calls import get_tool_definitions as get_tool_definitions
from hermes_compat.calls import handle_function_call as handle_function_call
from hermes_compat.calls import tool_error as tool_error
from hermes_compat.calls import tool_result as tool_result
from hermes_compat.default import check_tool_availability as check_tool_availability
from hermes_compat.default import check_toolset_requirements as check_toolset_requirements
from hermes_compat.default import create_custom_toolset as create_custom_toolset
from hermes_compat.default import get_all_tool_names as get_all_tool_names
from hermes_compat.default import get_available_toolsets as get_available_toolsets
from hermes_compat.default import get_toolset_for_tool as get_toolset_for_tool
from hermes_compat.default import registry as registry
from hermes_compat.default import use as use
from hermes_compat.registry import ToolRegistry as ToolRegistry
from hermes_compat.toolsets import get_all_toolsets as get_all_toolsets
from hermes_compat.toolsets import get_toolset as get_toolset
from hermes_compat.toolsets import get_toolset_info as get_toolset_info
from hermes_compat.toolsets import get_toolset_names as get_toolset_names
from hermes_compat.toolsets import resolve_multiple_toolsets as resolve_multiple_toolsets
from hermes_compat.toolsets import resolve_toolset as resolve_toolset
from hermes_compat.toolsets import validate_toolset as validate_toolset

__version__ = "1.0.0"

__all__ = [name for name, value in sorted(globals().items()) if name[0] != "_" and not isinstance(value, ModuleType)]
__all__.remove("ModuleType")
