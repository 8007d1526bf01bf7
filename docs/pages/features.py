"""The plugins that are not tool families: their tools, settings and commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module

from docs.pages.family import commands_of, manifest_of, settings_of, tools_of

FEATURES = {
    "hermes_approval": ("hermes-approval", "approve-calls.md"),
    "hermes_approval.audit": ("the audit log of hermes-approval", "approve-calls.md"),
    "hermes_search": ("hermes-search", "use-tool-search.md"),
    "hermes_kit": ("hermes-kit", "write-a-plugin.md"),
    "hermes_guard": ("hermes-guard", "guard-commands.md"),
}
"""The packages with a manifest, and for each a name and a guide."""
_HEADING = re.compile(r"^#+ ", re.MULTILINE)


def page() -> str:
    """Generate the page."""
    lead = "This page describes the tools, settings and commands of the plugins that are not tool families."
    return "\n\n".join([f"# Features\n\n{lead}", *(part for package in FEATURES for part in _feature(package))])


def _feature(package: str) -> Iterator[str]:
    title, guide = FEATURES[package]
    manifest = manifest_of(package)
    yield f"## {title[:1].upper() + title[1:] if ' ' in title else title}\n\nSee [the guide](../how-to/{guide})."
    parts = list(tools_of(manifest)) if manifest.get("tools") else []
    if manifest.get("settings"):
        parts.append(settings_of(manifest, "These are sections of `config.yaml`."))
    parts += commands_of(import_module(f"{package}.plugin").hermes_commands())
    yield from (_HEADING.sub(lambda found: f"#{found[0]}", part) for part in parts)
