"""Generates a manifest from the code of a plugin, and compares manifests."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from hermes_core.plugins.api_version import default_range
from hermes_core.plugins.manager import HOOKS
from hermes_core.plugins.manifest import FORMAT, Manifest
from hermes_core.tools.declaration import CODE_FIELDS
from hermes_core.tools.lazy_tool import UNLIMITED
from hermes_core.tools.tool_spec import SPEC_FIELDS, ToolSpec
from hermes_schemas.readonly import thawed

if TYPE_CHECKING:
    from hermes_core.plugins.contributions import Contribution
    from hermes_core.tools.tool import Tool
    from hermes_core.tools.toolset import Toolset

_BARE = ToolSpec(name="", toolset="", parameters={})


def make_manifest(plugin: str, brought: Contribution) -> dict[str, Any]:
    """Return the manifest of a plugin as JSON."""
    made: dict[str, Any] = {
        "manifest": FORMAT,
        "plugin": plugin,
        "api": brought.api or default_range(),
        "hooks": [hook for hook in HOOKS if hook in brought.hooks],
        "tools": [describe_tool(each) | _source(each, brought.plugin) for each in _sorted(brought.tools)],
        "toolsets": [_describe_toolset(each) for each in _sorted(brought.toolsets)],
        "settings": [brought.sections[name].as_dict() for name in sorted(brought.sections)],
        "commands": [{"name": name, "help": line} for name, line in sorted(brought.help_lines.items())],
        "providers": {point: sorted(named) for point, named in sorted(brought.providers.items())},
    }
    plain: dict[str, Any] = json.loads(json.dumps({key: part for key, part in made.items() if part not in ([], {})}))
    return plain


def _sorted(named: Iterable[Any]) -> list[Any]:
    return sorted(named, key=lambda each: str(each.name))


def manifest_text(made: Mapping[str, Any]) -> str:
    """Format a manifest for its file: readable in a review, and the same on every machine."""
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def describe_tool(tool: Tool) -> dict[str, Any]:
    """Return a tool's entry in a manifest: everything that is not the default, and which parts are code."""
    entry: dict[str, Any] = {}
    for field in SPEC_FIELDS:
        value = getattr(tool, field)
        if value != getattr(_BARE, field) or field in ("name", "toolset", "parameters"):
            entry[field] = _plain(value)
    code = [field for field in CODE_FIELDS if getattr(tool, field) is not None]
    if code:
        entry["code"] = code
    return entry


def _source(tool: Tool, plugin: object) -> dict[str, str]:
    package = plugin.__name__.partition(".")[0] if isinstance(plugin, ModuleType) else ""
    name = getattr(tool.handler, "__module__", None) or ""
    if not name.startswith(f"{package}.") or not package or name == getattr(plugin, "__name__", ""):
        return {}
    module = sys.modules.get(name)
    found = next((attribute for attribute, value in vars(module).items() if value is tool), None) if module else None
    return {"source": f"{name}:{found}"} if found else {}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return thawed(dict(value))
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [need if isinstance(need, str) else f"{need.__module__}.{need.__qualname__}" for need in value]
    return UNLIMITED if value == math.inf else value


def _describe_toolset(toolset: Toolset) -> dict[str, Any]:
    parts = {key: getattr(toolset, key) for key in ("name", "description", "tools", "includes", "aliases")}
    return {key: part if isinstance(part, str) else list(part) for key, part in parts.items() if part}


def differences(manifest: Manifest, made: Mapping[str, Any], *, commands: bool = True) -> list[str]:
    """Describe the differences between a manifest and the code, one sentence each."""
    found: list[str] = []
    if manifest.api != made["api"]:
        found.append(f"it declares API {manifest.api!r}, but the code {made['api']!r}.")
    for kind in ("tools", "toolsets", "settings", *(("commands",) if commands else ())):
        found += _compared(kind.removesuffix("s"), getattr(manifest, kind), made.get(kind, ()))
    said, real = set(manifest.hooks), set(made.get("hooks", ()))
    found += [f"hook {hook} is not in it." for hook in sorted(real - said)]
    found += [f"hook {hook} is in it, but not in the code." for hook in sorted(said - real)]
    if {point: sorted(names) for point, names in manifest.providers.items()} != made.get("providers", {}):
        found.append("it lists other providers than the code.")
    return found


def _compared(kind: str, said: Sequence[Mapping[str, Any]], real: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    kind = "section" if kind == "setting" else kind
    before = {entry["name"]: entry for entry in said}
    after = {entry["name"]: entry for entry in real}
    for name in sorted(before.keys() | after.keys()):
        if name not in before:
            yield f"{kind} {name!r} is not in it."
            continue
        if name not in after:
            yield f"{kind} {name!r} is in it, but not in the code."
            continue
        keys = sorted((before[name].keys() | after[name].keys()) - ({"source"} - before[name].keys()))
        parts = [key for key in keys if before[name].get(key) != after[name].get(key)]
        if parts:
            yield f"{kind} {name!r} differs in its {' and '.join(parts)}."
