"""The contents of each package, so that the core can name packages that are not installed."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

PACKAGES = Path(__file__).parents[2] / "packages"
FILE = PACKAGES / "hermes-core/src/hermes_core/families.json"


def text() -> str:
    """Generate `families.json` from the manifests and the dependencies of the packages."""
    projects = {file.parent: tomllib.loads(file.read_text("utf-8")) for file in PACKAGES.glob("*/pyproject.toml")}
    found = {project["project"]["name"]: _family(folder, project) for folder, project in sorted(projects.items())}
    core = found["hermes-core"]["requires"] = [name for name in found["hermes-core"]["requires"] if name in found]
    for name, family in found.items():  # the core and its libraries are installed first
        if name != "hermes-core":
            family["requires"] = sorted({*family["requires"]} & found.keys() - {"hermes-core", *core})
        installed = {name, "hermes-core", *core, *family["requires"]}
        extras = {extra: sorted({*needed} & found.keys() - installed) for extra, needed in family["extras"].items()}
        family["extras"] = {extra: needed for extra, needed in extras.items() if needed}
    return json.dumps(found, indent=2) + "\n"


def _family(folder: Path, project: dict[str, Any]) -> dict[str, Any]:
    manifests = [json.loads(file.read_text("utf-8")) for file in folder.glob("src/**/hermes-plugin.json")]
    tools = [tool for manifest in manifests for tool in manifest.get("tools", ())]
    extras = project["project"].get("optional-dependencies", {})
    return {
        "requires": _names(project["project"]["dependencies"]),
        "extras": {extra: _names(lines) for extra, lines in sorted(extras.items())},
        "tools": sorted(tool["name"] for tool in tools),
        "toolsets": sorted(
            {tool["toolset"] for tool in tools}
            | {toolset["name"] for manifest in manifests for toolset in manifest.get("toolsets", ())}
        ),
        "commands": sorted(command["name"] for manifest in manifests for command in manifest.get("commands", ())),
        "adapts": _adapted(project),
    }


def _names(requirements: list[str]) -> list[str]:
    return sorted({line.partition(">")[0].partition("[")[0].strip() for line in requirements})


def _adapted(project: dict[str, Any]) -> list[str]:
    """List what a package adapts, and the entry-point group itself, to find packages with any adapter."""
    group = "hermes.plugin_adapters"
    found = project["project"].get("entry-points", {}).get(group, {})
    return sorted([*found, group]) if found else []
