"""What the core itself lets users decide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from hermes_core.errors import ConfigError

SECTIONS = frozenset({"calls", "plugins", "results", "toolset_distributions", "toolsets"})
"""The sections of `config.yaml` that the core reads itself."""

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
        plugins_upstream: Whether installed plugins of other programs are loaded through an adapter.
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


def settings_of(sections: Mapping[str, Any]) -> Settings:
    """Return the settings in sections that fit their schemas; what a section does not say has its default.

    Raises:
        ConfigError: two distributions are given for one plugin.
    """
    plugins, calls = sections.get("plugins", {}), sections.get("calls", {})
    distributions: dict[str, str] = {}
    said = {
        "plugins_enabled": _plugins(plugins.get("enabled"), distributions),
        "plugins_required": _plugins(plugins.get("required"), distributions),
        "plugins_disabled": _maybe(tuple, plugins.get("disabled")),
        "plugins_distributions": distributions,
        "plugins_accept": {toolset: tuple(names) for toolset, names in plugins.get("accept", {}).items()},
        "plugins_import_seconds": _maybe(_seconds, plugins.get("import_seconds")),
        "plugins_upstream": plugins.get("upstream"),
        "toolsets": _toolsets(sections.get("toolsets")),
        "toolset_distributions": sections.get("toolset_distributions"),
        "call_timeout": _maybe(_seconds, calls.get("timeout")),
        "hook_timeout": _maybe(_seconds, calls.get("hook_timeout")),
        "approval_timeout": _maybe(_seconds, calls.get("approval_timeout")),
        "max_depth": calls.get("max_depth"),
        "max_abandoned": calls.get("max_abandoned"),
        "reader_tool": sections.get("results", {}).get("reader_tool"),
    }
    return Settings(**{name: value for name, value in said.items() if value is not None})


def _maybe(make: Any, value: Any) -> Any:
    return None if value is None else make(value)


def _seconds(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # more digits than a float has: for ever, then
        return float("inf")


def _plugins(entries: Iterable[Any] | None, distributions: dict[str, str]) -> tuple[str, ...] | None:
    """Read a list of plugins, each a name or `{name, distribution}`, and note the distributions."""
    if entries is None:
        return None
    named = [{"name": entry} if isinstance(entry, str) else entry for entry in entries]
    for entry in named:
        name, distribution = entry["name"], entry.get("distribution")
        if distribution is not None and distributions.setdefault(name, distribution) != distribution:
            both = f"{distributions[name]!r} and {distribution!r}"
            raise ConfigError(f"gives the name {name!r} to {both}.", key="plugins")
    return tuple(entry["name"] for entry in named)


def _toolsets(value: Any) -> dict[str, Any] | None:
    """Return the declared toolsets. A list is a choice of toolsets for an agent, and declares none."""
    if not isinstance(value, Mapping):
        return None
    return {name: {"tools": entry} if isinstance(entry, list) else entry for name, entry in value.items()}


def checked_seconds(seconds: Any) -> float | None:
    """Return a value that can be a deadline, or None.

    Raises:
        ConfigError: it cannot.
    """
    if seconds is None or (isinstance(seconds, int | float) and not isinstance(seconds, bool) and seconds > 0):
        return seconds
    raise ConfigError(f"timeout is {seconds!r}, not a number of seconds above 0.", example="timeout=30")
