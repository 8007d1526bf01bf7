"""The providers that come with the family: names and how to make them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

from hermes_tools_web.providers.protocol import EXTRACT, SEARCH

_SEARCH = ("brave", "ddgs", "exa", "firecrawl", "parallel", "searxng", "tavily")
_EXTRACT = ("direct", "exa", "firecrawl", "parallel", "tavily")


def provider_factories() -> dict[str, dict[str, Callable[[], object]]]:
    """What makes each provider at its first use, by extension point and name; nothing of them is imported before."""
    return {
        SEARCH: {name: partial(_make, name) for name in _SEARCH},
        EXTRACT: {name: partial(_make, name) for name in _EXTRACT},
    }


def _make(name: str) -> object:
    made: object = import_module(f"hermes_tools_web.providers.{name}").make()
    return made
