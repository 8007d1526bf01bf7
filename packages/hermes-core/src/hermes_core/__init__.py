"""Hermes tools: a plugin framework that gives AI agents their tools."""

from hermes_core.approval.finding import Allow, ApprovalRequest, Ask, Decision, Deny, Finding, Rewrite
from hermes_core.calls.call import CallRecord, ToolCall
from hermes_core.calls.context import ToolContext
from hermes_core.calls.results import tool_error, tool_result
from hermes_core.calls.sanitize import sanitize_error
from hermes_core.calls.session import Session
from hermes_core.errors import (
    ConfigError,
    HermesError,
    PluginError,
    ToolDefinitionError,
    ToolDeniedError,
    ToolError,
    ToolFailedError,
    ToolInputError,
    ToolTimeoutError,
    ToolUnavailableError,
    UnknownToolError,
    UnknownToolsetError,
)
from hermes_core.hookspecs import hookimpl
from hermes_core.host import Hermes
from hermes_core.plugins.manager import API_VERSION
from hermes_core.schemas.repair import Repair, Repaired, repair_arguments
from hermes_core.tools.spec import ToolSpec
from hermes_core.tools.tool import Tool, tool
from hermes_core.tools.toolset import Toolset

__all__ = [
    "API_VERSION",
    "Allow",
    "ApprovalRequest",
    "Ask",
    "CallRecord",
    "ConfigError",
    "Decision",
    "Deny",
    "Finding",
    "Hermes",
    "HermesError",
    "PluginError",
    "Repair",
    "Repaired",
    "Rewrite",
    "Session",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolDefinitionError",
    "ToolDeniedError",
    "ToolError",
    "ToolFailedError",
    "ToolInputError",
    "ToolSpec",
    "ToolTimeoutError",
    "ToolUnavailableError",
    "Toolset",
    "UnknownToolError",
    "UnknownToolsetError",
    "hookimpl",
    "repair_arguments",
    "sanitize_error",
    "tool",
    "tool_error",
    "tool_result",
]
