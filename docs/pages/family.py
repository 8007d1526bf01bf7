"""The parts that all pages of families share: tools with their parameters, settings and commands."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any

import click
from docs.pages.commands import described
from docs.pages.pieces import code, table


def manifest_of(package: str) -> dict[str, Any]:
    """Read the manifest of a family."""
    found = json.loads(files(package).joinpath("hermes-plugin.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def tools_of(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Generate the section about tools."""
    yield "## Tools"
    yield from (_tool(each) for each in manifest["tools"])


def settings_of(manifest: Mapping[str, Any], lead: str) -> str:
    """Generate the section about settings, with an introduction."""
    rows = (row for each in manifest["settings"] for row in _settings(each["schema"], each["name"]))
    return f"## Settings\n\n{lead}\n\n" + table(["key", "meaning", "default"], rows)


def commands_of(commands: Iterable[click.Command]) -> Iterator[str]:
    """Generate the section about commands."""
    yield "## Commands"
    for each in commands:
        yield from described(each, click.Context(each, info_name=f"hermes {each.name}"), level=3)


def _tool(spec: Mapping[str, Any]) -> str:
    required = spec["parameters"].get("required", ())
    rows = []
    for name, schema in spec["parameters"]["properties"].items():
        default = "required" if name in required else f"`{json.dumps(schema.get('default'))}`"
        rows.append((f"`{name}`", _type(schema), default, schema.get("description", "")))
    effects = code(spec.get("effects", ()))
    lead = f"### {spec['name']}\n\n{spec['description']}\n\nToolset `{spec['toolset']}`; effects {effects}."
    return f"{lead}\n\n" + table(["parameter", "type", "default", "meaning"], rows)


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(f"`{choice}`" for choice in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"] if option.get("type") != "null")
    inner = f" of {_type(schema['items'])}" if "items" in schema else ""
    return f"{schema.get('type', 'any')}{inner}"


def _settings(schema: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str, str]]:
    for name, declared in schema.get("properties", {}).items():
        part = _resolved(declared, schema)
        if "properties" in part:
            yield from _settings({**part, "$defs": schema.get("$defs", {})}, f"{prefix}.{name}")
        else:
            yield f"`{prefix}.{name}`", _meaning(part), f"`{json.dumps(part.get('default'))}`"


def _meaning(part: Mapping[str, Any]) -> str:
    variable = f" Also `{part['x-env']}`." if "x-env" in part else ""
    return f"{part.get('description', '')}{variable}"


def _resolved(part: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    target = part.get("$ref", "").rpartition("/")[2]
    return schema.get("$defs", {}).get(target, part) if target else part
