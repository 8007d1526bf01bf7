"""The manifest file of a plugin: its location, its differences from the code, and how it is written."""

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
    """Return the existing or future manifest file of a plugin.

    It is `hermes-plugin.json` beside the code. If several plugins share a directory, the first by name has that file,
    and the others have `hermes-plugin.NAME.json`.

    Args:
        plugin: The plugin.
        plugins: Every plugin of its distribution, with the module of its entry point.

    Raises:
        PluginError: there is no directory for it.
    """
    if os.path.basename(plugin) != plugin:
        raise PluginError("its name cannot be a file name.", plugin=plugin, remedy="Rename its entry point.")
    existing = existing_manifest(plugin, plugins[plugin])
    if existing is not None:
        return existing
    folder = _folder_of(plugin, plugins[plugin])
    first = folder / FILE
    holder = owner(first)
    if holder != plugin and holder in plugins:
        return folder / f"hermes-plugin.{plugin}.json"
    rivals = [name for name, module in plugins.items() if _competes(name, module, folder)]
    return first if plugin == min(rivals) else folder / f"hermes-plugin.{plugin}.json"


def existing_manifest(plugin: str, module: str) -> Path | None:
    """Return the file that is the manifest of a plugin, if there is one."""
    for folder in manifest_places(module):
        for name in (FILE, f"hermes-plugin.{plugin}.json"):
            file = Path(folder, name)
            if owner(file) == plugin:
                return file
    return None


def owner(file: Path) -> str | None:
    """Return the plugin that a manifest belongs to; None if there is none, or it cannot be read."""
    try:
        data = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    name = data.get("plugin") if isinstance(data, dict) else None
    return name if isinstance(name, str) else None


def _competes(plugin: str, module: str, folder: Path) -> bool:
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
            f"{top!r} is a single module, and a manifest needs a package with a directory.",
            plugin=plugin,
            remedy=f"Move {top}.py to {top}/__init__.py.",
        )
    # A namespace package has several directories: the plugin's own has most of the module's path.
    parts = module.split(".")
    folder = max(places, key=lambda place: _depth(place, parts))
    if not os.path.isdir(folder):
        raise PluginError(
            f"its package is in an archive, {folder}, which cannot be written.",
            plugin=plugin,
            remedy="Run this in the directory of its project.",
        )
    return Path(folder)


def _depth(place: str, parts: list[str]) -> int:
    names = place.split(os.sep)
    return next((count for count in range(len(parts), 0, -1) if names[-count:] == parts[:count]), 0)


def find_differences(plugin: str, file: Path, made: Mapping[str, Any]) -> list[str] | None:
    """Return the differences between a file and the code, one sentence each; None if there is no file.

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
        return [f"it belongs to the plugin {owner(file)!r}."]
    return differences(manifest, made) or ["it is formatted differently."]


def write_manifest(file: Path, made: Mapping[str, Any]) -> None:
    """Write a manifest, with the permissions of the file that it replaces, or those of the umask.

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
