"""The schema of a section of `config.yaml`, and the core's own sections."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from hermes_core.config.core_settings import Settings
from hermes_core.errors import ConfigError, PluginError
from hermes_schemas.schema_parts import Outline, Schema, mark_secrets

Keys = tuple[str, ...]  # the path of a setting within its section


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionSpec(Outline):
    """One section of `config.yaml` that `owner` reads: its name and its JSON Schema.

    A property with `"writeOnly": true` is a secret: it is never shown, and is stored in `.env`. `"x-env"` lists one or
    more variables that set a property, in addition to `HERMES_SECTION__KEY`.
    """

    name: str
    schema: Schema
    owner: str = "hermes-core"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name or set(self.name) & set(". \n\t\"'[]:#"):
            raise PluginError(f"{self.name!r} is not a name for a section of config.yaml.", plugin=self.owner)
        if not isinstance(self.schema, Mapping):
            raise PluginError(f"the schema of section {self.name!r} is not an object.", plugin=self.owner)

    @classmethod
    def from_model(cls, name: str, model: type, *, owner: str = "hermes-core") -> Self:
        """Describe a dataclass or pydantic model as a section; `SecretStr` and `{"secret": True}` mark secrets."""
        from pydantic import TypeAdapter
        from pydantic.errors import PydanticUserError

        try:
            schema = TypeAdapter(model).json_schema(mode="validation")
        except PydanticUserError as error:
            raise PluginError(f"section {name!r} cannot be described: {error.message}", plugin=owner) from error
        return cls(name=name, schema=mark_secrets(schema), owner=owner)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, owner: str) -> Self:
        """Read a section from a manifest. Raises `PluginError` if it is invalid."""
        return cls(name=data.get("name", ""), schema=data.get("schema", {}), owner=owner)

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "schema": copy.deepcopy(dict(self.schema))}

    def variables(self, path: Keys) -> tuple[str, ...]:
        """Return the environment variables of a setting in order of precedence."""
        own = "HERMES_" + "__".join(key.upper().replace("-", "_") for key in (self.name, *path))
        named = (self.find(path) or {}).get("x-env", ())
        names = named if isinstance(named, (list, tuple)) else (named,)
        return (own, *(name for name in names if isinstance(name, str) and name))

    def stored_variable(self, path: Keys) -> str:
        """Return the variable in `.env` that stores a secret: one from the schema, if there is any."""
        return self.variables(path)[:2][-1]


# -- the sections of the core ------------------------------------------------------------------------------------

_DEFAULTS = Settings()
_LIST = {"type": "array"}
_NAMES = {"type": "array", "items": {"type": "string"}, "examples": [["dice"]]}
_PLUGIN = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "distribution": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}
_PLUGINS = {
    "type": "array",
    "items": {"anyOf": [{"type": "string"}, _PLUGIN]},
    "examples": [["dice", {"name": "corp", "distribution": "corp-tools"}]],
}
_ACCEPT = {"type": "object", "additionalProperties": _NAMES, "examples": [{"web": ["my_search"]}]}
_SECONDS = {"type": "number", "exclusiveMinimum": 0, "examples": [60]}
_COUNT = {"type": "integer", "minimum": 1}
_TOOLSET = {
    "type": ["object", "array"],
    "properties": {"description": {}, "tools": _LIST, "includes": _LIST, "aliases": _LIST},
    "additionalProperties": False,
}


def _section(name: str, description: str, **settings: tuple[Schema, str]) -> SectionSpec:
    """Declare a section of settings, each with a schema and a description. The defaults are those of `Settings`."""
    properties = {}
    for key, (schema, text) in settings.items():
        default = getattr(_DEFAULTS, _field_of(name, key))
        given = {} if default is None else {"default": _plain_default(default)}
        properties[key] = {**schema, "description": text, **given}
    return SectionSpec(name=name, schema={"type": "object", "description": description, "properties": properties})


def _field_of(section: str, key: str) -> str:
    return key if key in Settings._fields else f"{section}_{key}"


def _plain_default(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value


CORE_SECTIONS: tuple[SectionSpec, ...] = (
    _section(
        "plugins",
        "Which plugins are loaded.",
        enabled=(_PLUGINS, "Only these plugins are loaded; not set means all."),
        disabled=(_NAMES, "These plugins are never loaded."),
        required=(_PLUGINS, "Every call is denied unless these plugins work, such as one that holds a policy."),
        accept=(_ACCEPT, "Plugins whose tools may join a toolset of another distribution, by toolset."),
        import_seconds=(_SECONDS, "Seconds that the import of a plugin may take while a host starts."),
        upstream=({"type": "boolean"}, "Whether installed plugins of other programs are loaded through an adapter."),
    ),
    _section(
        "calls",
        "How long calls may take, and how deep they may be nested.",
        timeout=(_SECONDS, "Seconds a call may take when its tool says nothing; not set means 300."),
        hook_timeout=(_SECONDS, "Seconds one hook may take."),
        approval_timeout=(_SECONDS, "Seconds to wait for an approval."),
        max_depth=(_COUNT, "How many calls may run inside of each other."),
        max_abandoned=(_COUNT, "How many calls of a tool may have been given up and still run before it is refused."),
    ),
    _section(
        "results",
        "What happens to long results.",
        reader_tool=(
            {"type": "string", "pattern": r"\S"},
            "The tool that reads the rest of a result that was saved to a file.",
        ),
    ),
    SectionSpec(
        name="toolsets",
        schema={
            "description": "Toolsets by name: {description, tools, includes, aliases}; a list only chooses some.",
            "type": ["object", "array"],
            "examples": [{"mine": {"tools": ["web_search"], "includes": ["file"]}}],
            "additionalProperties": _TOOLSET,
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
    """Return the settings from sections of the core that fit their schemas."""
    values: dict[str, Any] = {"plugins_distributions": _find_distributions(sections.get("plugins", {}))}
    for name, section in sections.items():
        for key, value in ({name: section} if name in Settings._fields else section).items():
            if value is not None:
                field = _field_of(name, key)
                values[field] = _READERS[field](value) if field in _READERS else value
    return Settings(**values)


def _find_distributions(plugins: Mapping[str, Any]) -> dict[str, str]:
    distributions: dict[str, str] = {}
    for entry in (*(plugins.get("enabled") or ()), *(plugins.get("required") or ())):
        given = entry.get("distribution") if isinstance(entry, Mapping) else None
        if given is not None and (first := distributions.setdefault(entry["name"], given)) != given:
            raise ConfigError(f"gives the name {entry['name']!r} to {first!r} and {given!r}.", key="plugins")
    return distributions


def _plugin_names(entries: Iterable[Any]) -> tuple[str, ...]:
    return tuple(entry if isinstance(entry, str) else entry["name"] for entry in entries)


def _as_seconds(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # more digits than a float has
        return float("inf")


def _read_toolsets(value: Any) -> Mapping[str, Any]:
    """Return the declared toolsets. A list selects toolsets for an agent and declares none."""
    if not isinstance(value, Mapping):
        return {}
    return {name: {"tools": entry} if isinstance(entry, list) else entry for name, entry in value.items()}


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "plugins_enabled": _plugin_names,
    "plugins_required": _plugin_names,
    "plugins_disabled": tuple,
    "plugins_accept": lambda accepted: {toolset: tuple(names) for toolset, names in accepted.items()},
    "plugins_import_seconds": _as_seconds,
    "timeout": _as_seconds,
    "hook_timeout": _as_seconds,
    "approval_timeout": _as_seconds,
    "toolsets": _read_toolsets,
}
