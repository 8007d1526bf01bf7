"""The built-in sources, which third parties extend with the hook `hermes_providers`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from hermes_tools_skills.providers.protocol import EXTENSION_POINT

_CLASSES = {
    "github": "github:GitHub",
    "claude": "claude_marketplaces:ClaudeMarketplaces",
    "clawhub": "clawhub:ClawHub",
    "lobehub": "lobehub:LobeHub",
    "wellknown": "well_known:WellKnown",
    "url": "url:Url",
    "git": "git:Git",
    "directory": "directory:Directory",
}


def provider_factories() -> dict[str, dict[str, Callable[[], object]]]:
    """Return a function for each source that imports and creates it."""
    return {EXTENSION_POINT: {name: _factory(path) for name, path in _CLASSES.items()}}


def _factory(path: str) -> Callable[[], object]:
    def create() -> object:
        module, _, name = path.partition(":")
        made: object = getattr(import_module(f"hermes_tools_skills.providers.{module}"), name)()
        return made

    return create
