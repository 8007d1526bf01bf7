"""Hermes tools: a plugin framework that gives AI agents their tools.

Names are imported when they are first used, so a program that lists tools does not load the code that calls them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_core.calls.call import CallRecord as CallRecord
    from hermes_core.calls.call import Progress as Progress
    from hermes_core.calls.call import ToolCall as ToolCall
    from hermes_core.calls.context import ToolContext as ToolContext
    from hermes_core.calls.results import tool_error as tool_error
    from hermes_core.calls.results import tool_result as tool_result
    from hermes_core.calls.session import Session as Session
    from hermes_core.errors import ConfigError as ConfigError
    from hermes_core.errors import HermesError as HermesError
    from hermes_core.errors import PluginError as PluginError
    from hermes_core.errors import ToolDefinitionError as ToolDefinitionError
    from hermes_core.errors import ToolDeniedError as ToolDeniedError
    from hermes_core.errors import ToolError as ToolError
    from hermes_core.errors import ToolFailedError as ToolFailedError
    from hermes_core.errors import ToolInputError as ToolInputError
    from hermes_core.errors import ToolTimeoutError as ToolTimeoutError
    from hermes_core.errors import ToolUnavailableError as ToolUnavailableError
    from hermes_core.errors import UnknownToolsetError as UnknownToolsetError
    from hermes_core.findings import Allow as Allow
    from hermes_core.findings import ApprovalRequest as ApprovalRequest
    from hermes_core.findings import Ask as Ask
    from hermes_core.findings import Binding as Binding
    from hermes_core.findings import Decision as Decision
    from hermes_core.findings import Deny as Deny
    from hermes_core.findings import Finding as Finding
    from hermes_core.findings import Rewrite as Rewrite
    from hermes_core.findings import Waiver as Waiver
    from hermes_core.hookspecs import hookimpl as hookimpl
    from hermes_core.host import Hermes as Hermes
    from hermes_core.plugins.api_version import API_VERSION as API_VERSION
    from hermes_core.tools.tool import Tool as Tool
    from hermes_core.tools.tool import tool as tool
    from hermes_core.tools.tool_spec import ToolSpec as ToolSpec
    from hermes_core.tools.toolset import Toolset as Toolset

    __all__: list[str]
else:
    from hermes_core.lazy_names import lazy_names

    __all__, __getattr__, __dir__ = lazy_names()

__version__ = "1.0.0"
