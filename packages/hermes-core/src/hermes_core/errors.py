"""PUBLIC: every exception of the project, grouped by who must act on it.

HermesError
├── PluginError               the plugin's author: load, conflict, version; carries plugin and distribution
│   └── ToolConflictError     two toolsets claim one tool name
├── ToolDefinitionError       the tool's author: raised when declared, never during a call
├── ConfigError               the user: file, line, key, an example of a valid value
│   └── UnknownToolsetError   a toolset that nothing declares
├── HostError                 the application: a host used in a way that cannot work
│   ├── HostClosedError
│   ├── SessionClosedError
│   └── BridgeError
└── ToolError                 the model: becomes a result, never escapes the pipeline
    ├── UnknownToolError
    ├── ToolInputError
    ├── ToolUnavailableError
    ├── ToolDeniedError
    ├── ToolTimeoutError
    ├── ToolCancelledError
    └── ToolFailedError
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import json


def did_you_mean(near: Sequence[str]) -> str:
    """Return a sentence that suggests similar names, or nothing."""
    return f" Did you mean {', '.join(map(repr, near))}?" if near else ""


def describe_json_error(error: json.JSONDecodeError) -> str:
    """Explain why and where a text is not valid JSON, and whether its end is missing."""
    where = f"line {error.lineno}, column {error.colno}"
    if error.msg.startswith("Unterminated string"):
        return f"unterminated JSON: the string that starts at {where} is not closed"
    if error.pos >= len(error.doc.rstrip()):
        return f"unterminated JSON: it ends too early, at {where}"
    return f"invalid JSON: {error.msg} ({where})"


def describe_error(error: BaseException) -> str:
    """Return an exception of foreign code in one line, even if its own `__str__` fails."""
    try:
        return f"{type(error).__name__}: {error}".rstrip(": ")
    except BaseException:  # its own __str__ failed
        return type(error).__name__


class HermesError(Exception):
    """Base class of all errors that Hermes tools raises on purpose."""

    code: ClassVar[str] = "error"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the attributes, because subclasses compose their message from other arguments."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class PluginError(HermesError):
    """Raised when a plugin cannot be loaded or registers something invalid."""

    code = "plugin_error"

    def __init__(
        self, reason: str, *, plugin: str | None = None, distribution: str | None = None, remedy: str | None = None
    ) -> None:
        self.reason = reason
        self.plugin = plugin
        self.distribution = distribution
        self.remedy = remedy
        where = (f"Plugin {plugin!r}" if plugin else "A plugin") + (f" (from {distribution})" if distribution else "")
        super().__init__(f"{where}: {reason}" + (f" {remedy}" if remedy else ""))


class ToolConflictError(PluginError):
    """Raised when a tool of another toolset has the same name."""

    code = "tool_conflict"

    def __init__(
        self, name: str, *, toolset: str, holder: str, plugin: str | None = None, remedy: str | None = None
    ) -> None:
        self.name = name
        self.toolset = toolset
        self.holder = holder
        super().__init__(
            f"tool {name!r} of toolset {toolset!r} would shadow the tool of that name in toolset {holder!r}.",
            plugin=plugin,
            remedy=remedy or "Rename it, disable one of the two plugins, or register it with override=True.",
        )


class ToolDefinitionError(HermesError):
    """Raised when the declaration of a tool or toolset is invalid."""

    code = "tool_definition"

    def __init__(self, tool: str, reason: str, *, parameter: str | None = None, remedy: str | None = None) -> None:
        self.tool = tool
        self.parameter = parameter
        self.reason = reason
        self.remedy = remedy
        where = f"Tool {tool!r}" + (f", parameter {parameter!r}" if parameter else "")
        super().__init__(f"{where}: {reason}" + (f" {remedy}" if remedy else ""))


class ConfigError(HermesError):
    """Raised when a setting or an option of the user is invalid."""

    code = "config_error"

    def __init__(
        self,
        reason: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        key: str | None = None,
        example: str | None = None,
    ) -> None:
        self.reason = reason
        self.file = file
        self.line = line
        self.column = column
        self.key = key
        self.example = example
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        text = ": ".join(part for part in (place, key, reason) if part)
        super().__init__(text + (f" Example: {example}" if example else ""))


class UnknownToolsetError(ConfigError):
    """Raised when no plugin, preset or setting declares a requested toolset."""

    code = "unknown_toolset"

    def __init__(
        self, name: str, near: Iterable[str] = (), *, included_by: str | None = None, remedy: str = ""
    ) -> None:
        self.name = name
        self.near = tuple(near)
        self.included_by = included_by
        source = f" (included by toolset {included_by!r})" if included_by else ""
        super().__init__(f"Unknown toolset {name!r}{source}.{did_you_mean(self.near)} {remedy}".rstrip())


class HostError(HermesError):
    """Base class of errors about the use of a host."""

    code = "host_error"


class HostClosedError(HostError):
    """Raised when a closed host is used."""

    code = "host_closed"

    def __init__(self, doing: str) -> None:
        super().__init__(f"This Hermes host is closed, so it cannot {doing}. Make a new one with Hermes.load().")


class SessionClosedError(HostError):
    """Raised when a session that has ended is used."""

    code = "session_closed"

    def __init__(self, id: str, doing: str) -> None:
        super().__init__(f"The session {id} has ended, so it cannot {doing}. Open another with hermes.session().")


class BridgeError(HostError):
    """Raised when sync code on the host's own event loop would wait for that loop."""

    code = "bridge_reentry"

    def __init__(self, doing: str) -> None:
        super().__init__(
            f"{doing} was called from the host's own event loop, which would wait for itself forever. "
            "Inside an async tool or hook use `await ctx.acall(...)` instead."
        )


class ToolError(HermesError):
    """Base class of errors for the model. If a handler raises one, it becomes the result of the call."""

    code = "tool_error"
    quotes_code = False
    """Whether the message quotes text that a model works on, in which only certain secrets may be hidden."""

    def __init__(self, message: str, *, hint: str | None = None, **extra: object) -> None:
        self.message = message
        self.hint = hint
        self.extra = extra
        super().__init__(message)


class UnknownToolError(ToolError):
    """Raised when no tool of that name is within the caller's scope."""

    code = "unknown_tool"

    def __init__(self, name: str, near: Iterable[str] = (), *, hint: str | None = None) -> None:
        self.name = name
        self.near = tuple(near)
        hint = did_you_mean(self.near).strip() or hint or "Call only tools that are in your list of tools."
        super().__init__(f"Unknown tool: {name}", hint=hint)


class ToolInputError(ToolError):
    """Raised when arguments do not fit the tool's schema, even after repair."""

    code = "invalid_arguments"


class ToolUnavailableError(ToolError):
    """Raised when a tool cannot run because a key, program, extra or service is missing."""

    code = "unavailable"


class ToolDeniedError(ToolError):
    """Raised when policy, a finding or an approver denies a call."""

    code = "denied"


class ToolTimeoutError(ToolError):
    """Raised when a call, a hook or an approval missed its deadline."""

    code = "timeout"


class ToolCancelledError(ToolError):
    """Raised when a call was cancelled before it finished."""

    code = "cancelled"


class ToolFailedError(ToolError):
    """Raised when a handler or a stage of the pipeline failed unexpectedly."""

    code = "failed"
