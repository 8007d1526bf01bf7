"""What the core itself lets users decide."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

DEFAULT_TIMEOUT = 300.0
DEFAULT_HOOK_TIMEOUT = 10.0
DEFAULT_APPROVAL_TIMEOUT = 300.0
DEFAULT_MAX_DEPTH = 32
DEFAULT_MAX_ABANDONED = 4
DEFAULT_IMPORT_SECONDS = 2.0
"""A plugin is imported twice while a host starts, once in a process of its own: a start stays below five seconds."""


class Settings(NamedTuple):
    """What the core reads from `config.yaml`.

    Attributes:
        plugins_enabled: Only these plugins are loaded; None means all that are installed.
        plugins_disabled: These plugins are never loaded.
        plugins_required: Every call is denied unless these plugins work.
        plugins_distributions: The distribution that may use the name of a plugin, by `{name, distribution}` in
            `plugins.required` or `plugins.enabled`.
        plugins_accept: The plugins whose tools may join a toolset of another distribution, by toolset.
        plugins_import_seconds: Seconds that the import of a plugin may take while a host starts.
        plugins_upstream: Whether plugins written for Hermes Agent are loaded, too.
        toolsets: Toolsets by name: `{description, tools, includes}`.
        toolset_distributions: Distributions by name: `{toolset: percent}`.
        call_timeout: Seconds a call may take when its tool says nothing; None means the default of 300.
        hook_timeout: Seconds one hook may take.
        approval_timeout: Seconds that an approval is waited for.
        max_depth: How many calls may run inside of each other.
        max_abandoned: How many calls of a tool may have been given up and still run before it is refused.
        reader_tool: The tool that a spilled result is read on with.
    """

    plugins_enabled: tuple[str, ...] | None = None
    plugins_disabled: tuple[str, ...] = ()
    plugins_required: tuple[str, ...] = ()
    plugins_distributions: Mapping[str, str] = MappingProxyType({})
    plugins_accept: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    plugins_import_seconds: float = DEFAULT_IMPORT_SECONDS
    plugins_upstream: bool = False
    toolsets: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    toolset_distributions: Mapping[str, Any] = MappingProxyType({})
    call_timeout: float | None = None
    hook_timeout: float = DEFAULT_HOOK_TIMEOUT
    approval_timeout: float = DEFAULT_APPROVAL_TIMEOUT
    max_depth: int = DEFAULT_MAX_DEPTH
    max_abandoned: int = DEFAULT_MAX_ABANDONED
    reader_tool: str = "read_file"
