"""What may stand in `hermes-plugin.json`."""

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
    """The fields of a manifest, then the schema itself."""
    properties = MANIFEST_SCHEMA["properties"]
    lists = [key for key, schema in properties.items() if schema.get("items", {}).get("type") == "object"]
    if lists != list(_PARTS):
        raise SystemExit(f"A manifest has the lists {lists}, docs/pages/manifest.py knows {list(_PARTS)}: mend _PARTS.")
    parts = [
        f"## {title}\n\nAn entry of `{key}`.\n\n{_fields(properties[key]['items'])}" for key, title in _PARTS.items()
    ]
    return "\n\n".join(
        [
            f"# The manifest\n\n`{FILE}` lies inside a plugin's package and says what the plugin brings, so that it "
            "need not be imported to be known. `hermes plugin manifest` writes it. [Ship a "
            "manifest](../how-to/ship-a-manifest.md) says how it is used.",
            "A field that has its default is left out. A field that a version does not know is ignored: a later one "
            "may have written it.",
            f"## The file\n\n{_fields(MANIFEST_SCHEMA)}",
            f"A manifest answers for the hooks {code(REGISTRATION_HOOKS)}, and "
            f"{code(hook for hook in LAZY_HOOKS if hook not in REGISTRATION_HOOKS)} is called by `hermes doctor` only. "
            "A plugin that lists any other hook is imported as soon as a host is loaded that could make calls.",
            *parts,
            "## The schema\n\nFor editors and other programs, as JSON Schema. In Python it is "
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
    """What a value must be, in words."""
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
