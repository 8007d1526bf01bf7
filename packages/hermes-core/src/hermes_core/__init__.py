"""Hermes tools: a plugin framework that gives AI agents their tools.

A name is imported from where it lives when it is first used: a program that lists tools need not load what calls them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_core.approval.finding import (
        Allow,
        ApprovalRequest,
        Ask,
        Binding,
        Decision,
        Deny,
        Finding,
        Rewrite,
        Waiver,
    )
    from hermes_core.calls.call import CallRecord, Progress, ToolCall
    from hermes_core.calls.context import ToolContext
    from hermes_core.calls.results import tool_error, tool_result
    from hermes_core.calls.session import Session
    from hermes_core.config.tool_session import ToolSession, refuse_inside
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
    from hermes_core.families import install_command
    from hermes_core.hookspecs import hookimpl
    from hermes_core.host import Hermes
    from hermes_core.plugins.api import API_VERSION
    from hermes_core.plugins.health import HealthCheck, HealthContext, HealthProblem
    from hermes_core.tools.spec import ToolSpec
    from hermes_core.tools.tool import Tool, tool
    from hermes_core.tools.toolset import Toolset

__version__ = "1.0.0"

_before_logging: list[Callable[[], None]] = []
"""What is to happen before the first thing is logged; see `hermes_core.logs`."""

__all__ = [
    "API_VERSION",
    "Allow",
    "ApprovalRequest",
    "Ask",
    "Binding",
    "CallRecord",
    "ConfigError",
    "Decision",
    "Deny",
    "Finding",
    "HealthCheck",
    "HealthContext",
    "HealthProblem",
    "Hermes",
    "HermesError",
    "PluginError",
    "Progress",
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
    "ToolSession",
    "ToolSpec",
    "ToolTimeoutError",
    "ToolUnavailableError",
    "Toolset",
    "UnknownToolError",
    "UnknownToolsetError",
    "Waiver",
    "hookimpl",
    "install_command",
    "refuse_inside",
    "tool",
    "tool_error",
    "tool_result",
]

_HOMES = {
    "API_VERSION": "hermes_core.plugins.api",
    "Allow": "hermes_core.approval.finding",
    "ApprovalRequest": "hermes_core.approval.finding",
    "Ask": "hermes_core.approval.finding",
    "Binding": "hermes_core.approval.finding",
    "CallRecord": "hermes_core.calls.call",
    "ConfigError": "hermes_core.errors",
    "Decision": "hermes_core.approval.finding",
    "Deny": "hermes_core.approval.finding",
    "Finding": "hermes_core.approval.finding",
    "HealthCheck": "hermes_core.plugins.health",
    "HealthContext": "hermes_core.plugins.health",
    "HealthProblem": "hermes_core.plugins.health",
    "Hermes": "hermes_core.host",
    "HermesError": "hermes_core.errors",
    "PluginError": "hermes_core.errors",
    "Progress": "hermes_core.calls.call",
    "Rewrite": "hermes_core.approval.finding",
    "Session": "hermes_core.calls.session",
    "Tool": "hermes_core.tools.tool",
    "ToolCall": "hermes_core.calls.call",
    "ToolContext": "hermes_core.calls.context",
    "ToolDefinitionError": "hermes_core.errors",
    "ToolDeniedError": "hermes_core.errors",
    "ToolError": "hermes_core.errors",
    "ToolFailedError": "hermes_core.errors",
    "ToolInputError": "hermes_core.errors",
    "ToolSession": "hermes_core.config.tool_session",
    "ToolSpec": "hermes_core.tools.spec",
    "ToolTimeoutError": "hermes_core.errors",
    "ToolUnavailableError": "hermes_core.errors",
    "Toolset": "hermes_core.tools.toolset",
    "UnknownToolError": "hermes_core.errors",
    "UnknownToolsetError": "hermes_core.errors",
    "Waiver": "hermes_core.approval.finding",
    "hookimpl": "hermes_core.hookspecs",
    "install_command": "hermes_core.families",
    "refuse_inside": "hermes_core.config.tool_session",
    "tool": "hermes_core.tools.tool",
    "tool_error": "hermes_core.calls.results",
    "tool_result": "hermes_core.calls.results",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
