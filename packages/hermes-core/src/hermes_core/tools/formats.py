"""The formats in which model providers and MCP clients expect definitions, and MCP's hints about effects."""

from __future__ import annotations

from collections.abc import Mapping

from hermes_core.errors import ConfigError

FORMATS = ("anthropic", "mcp", "openai", "responses")


def check_format(format: str) -> None:
    """Raise `ConfigError` for a format that definitions do not have."""
    if format not in FORMATS:
        raise ConfigError(f"{format!r} is not a format of definitions.", example=", ".join(FORMATS))


def render(function: Mapping[str, object], format: str, *, effects: frozenset[str] = frozenset()) -> dict[str, object]:
    """Return a neutral function (name, description, parameters) in a format. Only MCP knows effects."""
    check_format(format)
    parameters = function.get("parameters") or {"type": "object", "properties": {}}
    named: dict[str, object] = {"name": function.get("name", ""), "description": function.get("description", "")}
    if format == "openai":
        return {"type": "function", "function": {**named, "parameters": parameters}}
    if format == "responses":  # not strict: strict would make every optional parameter required
        return {"type": "function", **named, "parameters": parameters, "strict": False}
    if format == "anthropic":
        return {**named, "input_schema": parameters}
    annotations = annotations_from_effects(effects)
    return {**named, "inputSchema": parameters, **({"annotations": annotations} if annotations else {})}


def annotations_from_effects(effects: frozenset[str]) -> dict[str, bool]:
    """Return MCP's hints for a set of effects. No effects means none declared, so nothing is promised."""
    if not effects:
        return {}
    read_only = effects <= {"read", "network"}
    annotations = {
        "readOnlyHint": read_only,
        "destructiveHint": not effects.isdisjoint({"delete", "exec", "privileged"}),
        "openWorldHint": not effects.isdisjoint({"network", "message"}),
    }
    if read_only:
        annotations["idempotentHint"] = True
    return annotations


def effects_from_annotations(annotations: Mapping[str, object] | None) -> frozenset[str]:
    """Return the effects that an MCP tool admits to. What it leaves open counts as the worst, as MCP's defaults do."""
    hints = annotations if isinstance(annotations, Mapping) else {}
    effects = {"read"}
    if hints.get("readOnlyHint") is not True:
        effects = {"write"} if hints.get("destructiveHint") is False else {"write", "delete"}
    if hints.get("openWorldHint") is not False:
        effects.add("network")
    return frozenset(effects)
