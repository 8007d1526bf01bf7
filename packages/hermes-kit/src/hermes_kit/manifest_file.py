"""Where the manifest of a plugin is to lie, whether it still says what the code says, and how it is written."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_core import PluginError
from hermes_core.inspection import FILE, differences, manifest_places, manifest_text, read_manifest
from hermes_files.atomic import write_atomic
from hermes_files.installed_packages import find_package


def manifest_file(plugin: str, plugins: Mapping[str, str]) -> Path:
    """The file that is, or is to be, the manifest of a plugin.

    It is `hermes-plugin.json` beside the code; where several plugins share a folder, the first by name has that one
    and the others have `hermes-plugin.NAME.json`.

    Args:
        plugin: The plugin.
        plugins: Every plugin of its distribution, with the module that its entry point names.

    Raises:
        PluginError: there is no folder for it.
    """
    if os.path.basename(plugin) != plugin:
        raise PluginError("no file can be named after it.", plugin=plugin, remedy="Rename its entry point.")
    there = existing_manifest(plugin, plugins[plugin])
    if there is not None:
        return there
    folder = _folder_of(plugin, plugins[plugin])
    first = folder / FILE
    holder = owner(first)
    if holder != plugin and holder in plugins:
        return folder / f"hermes-plugin.{plugin}.json"
    rivals = [name for name, module in plugins.items() if _wants(name, module, folder)]
    return first if plugin == min(rivals) else folder / f"hermes-plugin.{plugin}.json"


def existing_manifest(plugin: str, module: str) -> Path | None:
    """The file that says that it is the manifest of a plugin."""
    for folder in manifest_places(module):
        for name in (FILE, f"hermes-plugin.{plugin}.json"):
            file = Path(folder, name)
            if owner(file) == plugin:
                return file
    return None


def owner(file: Path) -> str | None:
    """The plugin that a manifest says it belongs to; None when there is none, or it cannot be read."""
    try:
        data = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    name = data.get("plugin") if isinstance(data, dict) else None
    return name if isinstance(name, str) else None


def _wants(plugin: str, module: str, folder: Path) -> bool:
    try:
        return existing_manifest(plugin, module) is None and _folder_of(plugin, module) == folder
    except PluginError:
        return False


def _folder_of(plugin: str, module: str) -> Path:
    places = manifest_places(module)
    if not places:
        top = module.split(".", maxsplit=1)[0]
        if find_package(top) is None:
            raise PluginError(f"there is no package {top!r} to import.", plugin=plugin, remedy="Install it.")
        raise PluginError(
            f"{top!r} is a single module, and a manifest needs a package with a folder to lie in.",
            plugin=plugin,
            remedy=f"Move {top}.py to {top}/__init__.py.",
        )
    # A namespace package has several places: the one that holds more of the module's path is the plugin's own.
    parts = module.split(".")
    folder = max(places, key=lambda place: _depth(place, parts))
    if not os.path.isdir(folder):
        raise PluginError(
            f"its package lies in an archive, {folder}, where nothing can be written.",
            plugin=plugin,
            remedy="Run this in the folder of its project.",
        )
    return Path(folder)


def _depth(place: str, parts: list[str]) -> int:
    names = place.split(os.sep)
    return next((count for count in range(len(parts), 0, -1) if names[-count:] == parts[:count]), 0)


def what_differs(plugin: str, file: Path, made: Mapping[str, Any]) -> list[str] | None:
    """Where a file says something else than the code, one sentence each; None when there is no file.

    Raises:
        OSError: it cannot be read.
    """
    try:
        text = file.read_bytes()
    except FileNotFoundError:
        return None
    if text.replace(b"\r\n", b"\n") == manifest_text(made).encode():
        return []
    try:
        manifest = read_manifest(plugin, text, str(file))
    except PluginError as error:
        return [error.reason]
    if manifest is None:
        return [f"it is that of the plugin {owner(file)!r}."]
    return differences(manifest, made) or ["it is laid out otherwise."]


def write_manifest(file: Path, made: Mapping[str, Any]) -> None:
    """Write a manifest, readable for whom the umask allows it, or as the file that it replaces.

    Raises:
        OSError: nothing was written.
    """
    target = file.resolve()
    try:
        mode = target.stat().st_mode & 0o777
    except FileNotFoundError:
        umask = os.umask(0o077)
        os.umask(umask)
        mode = 0o666 & ~umask
    write_atomic(target, manifest_text(made).encode(), mode=mode)
