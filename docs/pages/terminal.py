"""The terminal family, from its manifest: tools with their parameters, environments, settings and commands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.resources import files
from typing import Any

import click
from docs.pages.commands import described
from docs.pages.pieces import code, table

from hermes_tools_terminal import hermes_commands
from hermes_tools_terminal.environments.catalog import OURS


def page() -> str:
    """Everything that the family brings."""
    manifest = json.loads(files("hermes_tools_terminal").joinpath("hermes-plugin.json").read_text(encoding="utf-8"))
    sections = [
        "# The terminal family\n\nWhat `hermes-tools-terminal` brings. How to use it is in "
        "[Run commands in safe places](../how-to/run-commands.md), [Work with files](../how-to/work-with-files.md) and "
        "[Let scripts call tools](../how-to/run-scripts.md), why it works as it does in "
        "[The terminal](../explanation/terminal.md) and [Files](../explanation/files.md).",
        "## Tools",
        *(_tool(each) for each in manifest["tools"]),
        "## Environments\n\n" + table(["`terminal.env`", "what it is"], _environments()),
        "## Settings\n\nSections of `config.yaml`; `terminal` says where all tools of the family work.\n\n"
        + table(["key", "meaning", "default"], _all_settings(manifest)),
        "## Commands",
        *(part for each in hermes_commands() for part in described(each, _context(each), level=3)),
    ]
    return "\n\n".join(sections)


def _all_settings(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for section in manifest["settings"]:
        yield from _settings(section["schema"], section["name"])


def _context(command: click.Command) -> click.Context:
    return click.Context(command, info_name=f"hermes {command.name}")


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


def _environments() -> Iterator[tuple[str, str]]:
    for kind in OURS:
        module = import_module(f"hermes_tools_terminal.environments.{kind}")
        lead = (module.__doc__ or "").strip().split("\n\n")[0]
        yield f"`{kind}`", lead


def _settings(schema: Mapping[str, Any], prefix: str = "terminal") -> Iterator[tuple[str, str, str]]:
    for name, given in schema.get("properties", {}).items():
        part = _resolved(given, schema)
        if "properties" in part:
            yield from _settings({**part, "$defs": schema.get("$defs", {})}, f"{prefix}.{name}")
        else:
            yield f"`{prefix}.{name}`", part.get("description", ""), f"`{json.dumps(part.get('default'))}`"


def _resolved(part: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    target = part.get("$ref", "").rpartition("/")[2]
    return schema.get("$defs", {}).get(target, part) if target else part
