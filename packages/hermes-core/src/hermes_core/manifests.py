"""PUBLIC: read and generate `hermes-plugin.json`, the file by which a plugin is known without being imported."""

from __future__ import annotations

from hermes_core.plugins.manifest import FILE, Manifest, manifest_finder, manifest_places, read_manifest
from hermes_core.plugins.manifest_making import describe_tool, differences, make_manifest, manifest_text

__all__ = [
    "FILE",
    "Manifest",
    "describe_tool",
    "differences",
    "make_manifest",
    "manifest_finder",
    "manifest_places",
    "manifest_text",
    "read_manifest",
]
