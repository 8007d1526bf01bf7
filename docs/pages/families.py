"""What each package of the checkout brings, for the core to name it where it is not installed."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

PACKAGES = Path(__file__).parents[2] / "packages"
FILE = PACKAGES / "hermes-core/src/hermes_core/families.json"


def text() -> str:
    """Return the text of `families.json`, made of the manifests and the dependencies of the packages."""
    projects = {file.parent: tomllib.loads(file.read_text("utf-8")) for file in PACKAGES.glob("*/pyproject.toml")}
    found = {project["project"]["name"]: _family(folder, project) for folder, project in sorted(projects.items())}
    core = found["hermes-core"]["requires"] = [name for name in found["hermes-core"]["requires"] if name in found]
    for name, family in found.items():  # the core and its libraries are there before any of the others
        if name != "hermes-core":
            family["requires"] = sorted({*family["requires"]} & found.keys() - {"hermes-core", *core})
    return json.dumps(found, indent=2) + "\n"


def _family(folder: Path, project: dict[str, Any]) -> dict[str, list[str]]:
    manifests = [json.loads(file.read_text("utf-8")) for file in folder.glob("src/**/hermes-plugin.json")]
    tools = [tool for manifest in manifests for tool in manifest.get("tools", ())]
    needed = {line.partition(">")[0].partition("[")[0].strip() for line in project["project"]["dependencies"]}
    return {
        "requires": sorted(needed),
        "tools": sorted(tool["name"] for tool in tools),
        "toolsets": sorted(
            {tool["toolset"] for tool in tools}
            | {toolset["name"] for manifest in manifests for toolset in manifest.get("toolsets", ())}
        ),
        "commands": sorted(command["name"] for manifest in manifests for command in manifest.get("commands", ())),
        "adapts": _adapted(project),
    }


def _adapted(project: dict[str, Any]) -> list[str]:
    """What a package adapts, and the group itself for those who look for any adapter."""
    group = "hermes.plugin_adapters"
    found = project["project"].get("entry-points", {}).get(group, {})
    return sorted([*found, group]) if found else []
