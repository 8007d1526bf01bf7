"""The built-in providers, imported on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

from hermes_tools_web.providers.protocol import EXTRACT, SEARCH

_CLASSES = {
    "brave": "BraveProvider",
    "ddgs": "DdgsProvider",
    "direct": "DirectProvider",
    "exa": "ExaProvider",
    "firecrawl": "FirecrawlProvider",
    "parallel": "ParallelProvider",
    "searxng": "SearxngProvider",
    "tavily": "TavilyProvider",
}
ONLY_SEARCH = frozenset({"brave", "ddgs", "searxng"})
ONLY_EXTRACT = frozenset({"direct"})


def provider_factories() -> dict[str, dict[str, Callable[[], object]]]:
    """Return the factories of the providers, by extension point and name."""
    return {
        SEARCH: {name: partial(_make, name) for name in _CLASSES if name not in ONLY_EXTRACT},
        EXTRACT: {name: partial(_make, name) for name in _CLASSES if name not in ONLY_SEARCH},
    }


def _make(name: str) -> object:
    made: object = getattr(import_module(f"hermes_tools_web.providers.{name}"), _CLASSES[name])()
    return made
