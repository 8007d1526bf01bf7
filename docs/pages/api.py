"""The Python API: the exports of `hermes_core` except the errors, and its public modules for plugins."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from docs.pages.docstrings import member, members, prose, signature, wrapped

import hermes_core
from hermes_core import HermesError, Tool, ToolSpec

_SECTIONS = {
    "host": "The host",
    "tools": "Tools",
    "calls": "Calls",
    "findings": "Policy",
    "plugins": "Plugins",
    "hookspecs": "Plugins",
}

_OTHER_MODULES = {
    "hermes_core.health": ("HealthCheck", "HealthContext", "HealthProblem"),
    "hermes_core.settings": ("ToolSession", "refuse_inside"),
    "hermes_core.families": ("install_command",),
}
"""What plugins may import besides the façade."""


def page() -> str:
    """Generate the page."""
    grouped: dict[str, list[str]] = {title: [] for title in _SECTIONS.values()}
    for name in hermes_core.__all__:
        value = getattr(hermes_core, name)
        if isinstance(value, type) and issubclass(value, HermesError):
            continue
        module = "plugins" if name in ("API_VERSION", "hookimpl") else value.__module__.split(".")[1]
        grouped[_SECTIONS[module]].append(_described(name, value))
    sections = [f"## {title}\n\n" + "\n\n".join(parts) for title, parts in grouped.items()]
    for module, names in _OTHER_MODULES.items():
        parts = [_described(name, getattr(import_module(module), name)) for name in names]
        sections.append(f"## {module}\n\n" + "\n\n".join(parts))
    lead = (
        "# Python API\n\nImport these names from `hermes_core`, or from the module in the heading. Other pages "
        "describe the [exceptions](errors.md) and the [fields of a tool](tool-fields.md)."
    )
    return "\n\n".join([lead, *sections])


def _described(name: str, value: Any) -> str:
    if name == "API_VERSION":
        return (
            f"### {name}\n\n`{value!r}`. The version of the hooks and of the public modules. It changes when a change "
            "can affect plugins."
        )
    if name == "hookimpl":
        return (
            f"### {name}\n\nMarks a function or method as an implementation of the [hook](hooks.md) with the same name."
        )
    shown = "(*, name, toolset, parameters, ...)" if value in (Tool, ToolSpec) else signature(value)
    parts = [f"### {name}\n\n```text\n{wrapped(name + shown)}\n```", prose(value)]
    if isinstance(value, type):
        parts += [member(name, key, value) for key in members(value)]
    return "\n\n".join(parts)
