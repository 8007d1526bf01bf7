"""The sections that the core reads itself, declared as plugins declare theirs, and the settings in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hermes_core.config.sections import SectionSpec
from hermes_core.config.settings import Settings
from hermes_core.errors import ConfigError

_DEFAULTS = Settings()
_LIST: dict[str, Any] = {"type": "array"}
_NAMES: dict[str, Any] = {"type": "array", "items": {"type": "string"}, "examples": [["dice"]]}
_PLUGIN: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "distribution": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}
_PLUGINS: dict[str, Any] = {
    "type": "array",
    "items": {"anyOf": [{"type": "string"}, _PLUGIN]},
    "examples": [["dice", {"name": "corp", "distribution": "corp-tools"}]],
}
_SECONDS: dict[str, Any] = {"type": "number", "exclusiveMinimum": 0, "examples": [60]}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 1}


def _section(name: str, description: str, **properties: Any) -> SectionSpec:
    return SectionSpec(name=name, schema={"type": "object", "description": description, "properties": properties})


def _setting(description: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**schema, "description": description, **more}


CORE_SECTIONS: tuple[SectionSpec, ...] = (
    _section(
        "plugins",
        "Which plugins are loaded.",
        enabled=_setting("Only these plugins are loaded; not set means all.", _PLUGINS),
        disabled=_setting("These plugins are never loaded.", _NAMES, default=[]),
        required=_setting(
            "Every call is denied unless these plugins work, such as one that holds a policy.", _PLUGINS, default=[]
        ),
        accept=_setting(
            "Plugins whose tools may join a toolset of another distribution, by toolset.",
            {"type": "object", "additionalProperties": _NAMES, "examples": [{"web": ["my_search"]}]},
            default={},
        ),
        import_seconds=_setting(
            "Seconds that the import of a plugin may take while a host starts.",
            _SECONDS,
            default=_DEFAULTS.plugins_import_seconds,
        ),
        upstream=_setting(
            "Whether installed plugins of other programs are loaded through an adapter.",
            {"type": "boolean"},
            default=_DEFAULTS.plugins_upstream,
        ),
    ),
    _section(
        "calls",
        "How long calls may take, and how deep they may be nested.",
        timeout=_setting("Seconds a call may take when its tool says nothing; not set means 300.", _SECONDS),
        hook_timeout=_setting("Seconds one hook may take.", _SECONDS, default=_DEFAULTS.hook_timeout),
        approval_timeout=_setting("Seconds to wait for an approval.", _SECONDS, default=_DEFAULTS.approval_timeout),
        max_depth=_setting("How many calls may run inside of each other.", _COUNT, default=_DEFAULTS.max_depth),
        max_abandoned=_setting(
            "How many calls of a tool may have been given up and still run before it is refused.",
            _COUNT,
            default=_DEFAULTS.max_abandoned,
        ),
    ),
    _section(
        "results",
        "What happens to long results.",
        reader_tool=_setting(
            "The tool that reads the rest of a result that was saved to a file.",
            {"type": "string", "pattern": r"\S"},
            default=_DEFAULTS.reader_tool,
        ),
    ),
    SectionSpec(
        name="toolsets",
        schema={
            "description": "Toolsets by name: {description, tools, includes, aliases}; a list only chooses some.",
            "type": ["object", "array"],
            "examples": [{"mine": {"tools": ["web_search"], "includes": ["file"]}}],
            "additionalProperties": {
                "type": ["object", "array"],
                "properties": {"description": {}, "tools": _LIST, "includes": _LIST, "aliases": _LIST},
                "additionalProperties": False,
            },
        },
    ),
    SectionSpec(
        name="toolset_distributions",
        schema={
            "type": "object",
            "description": "Distributions by name: how many percent of runs get a toolset.",
            "examples": [{"mine": {"web": 80, "file": 50}}],
            "additionalProperties": True,
        },
    ),
)


def settings_of(sections: Mapping[str, Any]) -> Settings:
    """Return the settings in sections that fit their schemas; what a section does not say has its default.

    Raises:
        ConfigError: two distributions are given for one plugin.
    """
    plugins, calls = sections.get("plugins", {}), sections.get("calls", {})
    distributions: dict[str, str] = {}
    said = {
        "plugins_enabled": _maybe(lambda entries: _plugins(entries, distributions), plugins.get("enabled")),
        "plugins_required": _plugins(plugins.get("required", ()), distributions),
        "plugins_disabled": tuple(plugins.get("disabled", ())),
        "plugins_distributions": distributions,
        "plugins_accept": {toolset: tuple(names) for toolset, names in plugins.get("accept", {}).items()},
        "plugins_import_seconds": _maybe(_as_seconds, plugins.get("import_seconds")),
        "plugins_upstream": plugins.get("upstream"),
        "toolsets": _toolsets(sections.get("toolsets")),
        "toolset_distributions": sections.get("toolset_distributions"),
        "call_timeout": _maybe(_as_seconds, calls.get("timeout")),
        "hook_timeout": _maybe(_as_seconds, calls.get("hook_timeout")),
        "approval_timeout": _maybe(_as_seconds, calls.get("approval_timeout")),
        "max_depth": calls.get("max_depth"),
        "max_abandoned": calls.get("max_abandoned"),
        "reader_tool": sections.get("results", {}).get("reader_tool"),
    }
    return Settings(**{name: value for name, value in said.items() if value is not None})


def _maybe(convert: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else convert(value)


def _as_seconds(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # more digits than a float has: for ever, then
        return float("inf")


def _plugins(entries: list[Any], distributions: dict[str, str]) -> tuple[str, ...]:
    """Read a list of plugins, each a name or `{name, distribution}`, and note the distributions."""
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
