"""Finds the plugin that a test or a review is about, however it was named."""

from __future__ import annotations

import inspect


def find_plugin(plugin: object) -> object:
    """The plugin object behind an object, a class, a module, or the value of an entry point."""
    if isinstance(plugin, str):
        from importlib.metadata import EntryPoint

        plugin = EntryPoint(name=plugin, value=plugin, group="hermes.plugins").load()
    return plugin() if inspect.isclass(plugin) else plugin
