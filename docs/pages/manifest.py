"""The fields of `hermes-plugin.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from docs.pages.pieces import code, table

from hermes_core.plugins.api_version import LAZY_HOOKS, REGISTRATION_HOOKS
from hermes_core.plugins.manifest import FILE
from hermes_kit.manifest_schema import MANIFEST_SCHEMA

_PARTS = {
    "tools": "A tool",
    "toolsets": "A toolset",
    "settings": "A section of settings",
    "commands": "A command",
}


def page() -> str:
    """Generate the page."""
    properties = MANIFEST_SCHEMA["properties"]
    lists = [key for key, schema in properties.items() if schema.get("items", {}).get("type") == "object"]
    if lists != list(_PARTS):
        raise SystemExit(f"A manifest has the lists {lists}, docs/pages/manifest.py knows {list(_PARTS)}: fix _PARTS.")
    parts = [
        f"## {title}\n\nAn entry of `{key}`.\n\n{_fields(properties[key]['items'])}" for key, title in _PARTS.items()
    ]
    return "\n\n".join(
        [
            f"# The manifest\n\n`{FILE}`, a file in a plugin's package, describes the plugin so that Hermes can list "
            "it without importing it. `hermes plugin manifest` generates it. [Ship a "
            "manifest](../how-to/ship-a-manifest.md) shows how to use it.",
            "Fields with their default value are omitted. Unknown fields are ignored, because a later version may have "
            "written them.",
            f"## The file\n\n{_fields(MANIFEST_SCHEMA)}",
            f"A manifest replaces the hooks {code(REGISTRATION_HOOKS)}, and only `hermes doctor` calls "
            f"{code(hook for hook in LAZY_HOOKS if hook not in REGISTRATION_HOOKS)}. A plugin that lists any other "
            "hook is imported when a host that can make calls is loaded.",
            *parts,
            "## The schema\n\nThis is the JSON Schema for editors and other programs. In Python, use "
            "`hermes_kit.manifest_schema.MANIFEST_SCHEMA`.",
            f"```json\n{json.dumps(MANIFEST_SCHEMA, indent=2)}\n```",
        ]
    )


def _fields(schema: Mapping[str, Any]) -> str:
    required = schema.get("required", ())
    rows = (
        (f"`{name}`", _kind(part), "yes" if name in required else "no", part["description"])
        for name, part in schema["properties"].items()
    )
    return table(["field", "value", "required", "meaning"], rows)


def _kind(schema: Mapping[str, Any]) -> str:
    """Describe in words what a value must be."""
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{word}`" for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    bounds = "".join(f" {bound}" for bound in _bounds(schema))
    if schema["type"] == "array":
        inner = schema["items"]
        return f"list of {_kind(inner).replace(' or ', ', ') if 'enum' in inner else _plural(inner)}"
    if schema["type"] == "object" and isinstance(more := schema.get("additionalProperties"), Mapping):
        return f"object of {_plural(more)}"
    return f"{schema['type']}{bounds}"


def _plural(schema: Mapping[str, Any]) -> str:
    if schema["type"] == "array":
        return f"lists of {_plural(schema['items'])}"
    return " ".join([f"{schema['type']}s", *_bounds(schema)])


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    if "exclusiveMinimum" in schema:
        yield f"above {schema['exclusiveMinimum']}"
    if "pattern" in schema:
        yield f"matching `{schema['pattern']}`"
    if schema.get("minLength"):
        yield "that is not empty"
