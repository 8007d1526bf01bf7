"""Loads a plugin without a host, from whatever an author has at hand."""

from __future__ import annotations

from hermes_core.inspection import APPLICATION, Candidate, Contribution, load
from hermes_core.inspection import load_object as load_reference


def find_object(plugin: object) -> object:
    """Return the plugin object of an object, a class, a module, or the value of an entry point."""
    found = load_reference(plugin) if isinstance(plugin, str) else plugin
    return found() if isinstance(found, type) else found


def load_object(plugin: object, name: str) -> Contribution:
    """Load what `find_object` finds, and return what it contributes.

    Raises:
        PluginError: it cannot be loaded.
    """
    return load(Candidate(name=name, origin=APPLICATION, load=lambda: find_object(plugin)))
