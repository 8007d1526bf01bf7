"""The state of tool search in one host: its settings, the size of each list, and the index of each scope."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_core.errors import ToolUnavailableError
from hermes_search.bridge_tools import BRIDGE, BRIDGE_CHARS, BRIDGE_NAMES, TOOLSET
from hermes_search.definition_sizes import Definition, SizeCache
from hermes_search.settings import ToolSearchConfig

if TYPE_CHECKING:
    from hermes_core import ToolContext
    from hermes_search.catalog import Catalog
    from hermes_search.definition_sizes import Sizes

POINT, NAME = "tool_search", "state"
"""The extension point of the state: a provider is made once for each host."""

_MAX_LISTS = 64
_MAX_TOOLS = 50_000
_MAX_CATALOGS = 50
"""Limits of the caches: several scopes of a large host, or many of a small one."""
_MAX_ENTRIES = 10_000
"""How many of the newest calls in the audit log count."""


class _Listing:
    """One list of definitions, and the short list for models."""

    __slots__ = ("definitions", "plain", "short", "sizes")

    def __init__(self, definitions: Sequence[Definition], ctx: ToolContext, sizes: SizeCache) -> None:
        self.definitions = definitions
        bridge = {each["name"] for each in definitions if each["name"] in BRIDGE_NAMES and _is_ours(each["name"], ctx)}
        self.plain: Sequence[Definition] = definitions
        if bridge:
            self.plain = tuple(each for each in definitions if each["name"] not in bridge)
        self.sizes: Sizes = sizes.measure(self.plain, lambda name: may_hide(name, ctx), BRIDGE_CHARS)
        self.short: Sequence[Definition] | None = None
        if len(bridge) == len(BRIDGE_NAMES) and self.sizes.hideable:
            hidden = frozenset(self.sizes.hideable)
            self.short = (*(each for each in self.plain if each["name"] not in hidden), *BRIDGE)


class SearchState:
    """The state of one host."""

    def __init__(self) -> None:
        self._settings: ToolSearchConfig | None = None
        self._sizes = SizeCache()
        self._listings: dict[int, _Listing] = {}
        self._catalogs: list[Catalog] = []
        self._usage: Mapping[str, float] | None = None

    def settings(self, ctx: ToolContext) -> ToolSearchConfig:
        """Return the section `tools`, read once; invalid values produce a warning and fall back to the default."""
        if self._settings is None:
            self._settings = read_settings(ctx)
        return self._settings

    def adjust(
        self, definitions: Sequence[Definition], context_length: int | None, *, everything: bool, ctx: ToolContext
    ) -> Sequence[Definition]:
        """Return what a model is shown: all definitions, or those that are never hidden and the bridge tools."""
        listing = self._listings.get(id(definitions))
        if listing is None or listing.definitions is not definitions:
            listing = _Listing(definitions, ctx, self._sizes)
            if len(self._listings) >= _MAX_LISTS:
                self._listings.clear()
            self._listings[id(definitions)] = listing
        if everything or listing.short is None:
            return listing.plain
        from hermes_search.assembly import hides

        return listing.short if hides(self.settings(ctx), listing.sizes, context_length) else listing.plain

    def catalog(self, ctx: ToolContext) -> Catalog:
        """Return the catalog of the caller's current scope."""
        from hermes_search.catalog import Catalog

        functions = [each["function"] for each in ctx.definitions()]
        specs = [ctx.spec(function["name"]) for function in functions]
        for known in reversed(self._catalogs):
            if known.specs == specs and known.functions == functions:
                return known
        made = Catalog(functions, specs, usage=self._usage_of(ctx))
        catalogs, budget = [made], _MAX_TOOLS - len(functions)
        for known in reversed(self._catalogs):
            budget -= len(known.functions) + _MAX_TOOLS // _MAX_CATALOGS
            if budget >= 0:
                catalogs.append(known)
        self._catalogs = catalogs[::-1]
        return made

    def _usage_of(self, ctx: ToolContext) -> Mapping[str, float]:
        """Return how often tools were called, read once; empty unless `usage_prior` is set."""
        if self._usage is None:
            self._usage = read_usage(ctx.home) if self.settings(ctx).usage_prior else {}
        return self._usage


def state_of(ctx: ToolContext) -> SearchState:
    """Return the state of the host that a context belongs to."""
    found = ctx.providers(POINT).get(NAME)
    return found if isinstance(found, SearchState) else SearchState()


def may_hide(name: str, ctx: ToolContext) -> bool:
    """Return True for a known tool that is not always loaded."""
    spec = ctx.spec(name)
    return spec is not None and not spec.always_load


def _is_ours(name: str, ctx: ToolContext) -> bool:
    """Return False if another plugin or the application has a tool with that name."""
    spec = ctx.spec(name)
    return spec is not None and spec.toolset == TOOLSET and spec.in_every_scope


def read_settings(ctx: ToolContext) -> ToolSearchConfig:
    """Read the section `tools`, or the defaults when it cannot be used."""
    try:
        return settings_of(ctx.settings("tools"))
    except ToolUnavailableError as error:
        logging.getLogger("hermes").warning("%s; tool search uses its defaults.", error)
        return ToolSearchConfig()


def settings_of(section: Mapping[str, Any]) -> ToolSearchConfig:
    """Return the settings in a section that the core has already checked."""
    return ToolSearchConfig.of_section(section)


def read_usage(home: Path) -> Mapping[str, float]:
    """Return how often each tool was called with success, in the newest calls of the audit log."""
    found: Counter[str] = Counter()
    try:
        lines = (home / "audit.jsonl").read_bytes().splitlines()[-_MAX_ENTRIES:]
    except FileNotFoundError:
        return {}
    except OSError as error:  # a search must not fail because of the log
        logging.getLogger("hermes").warning("The audit log cannot be read, so tool search does without it: %s", error)
        return {}
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:  # a line that was cut off
            continue
        if isinstance(entry, dict) and entry.get("status") == "ok" and isinstance(entry.get("tool"), str):
            found[entry["tool"]] += 1
    return found
