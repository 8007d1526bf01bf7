"""Puts plugins into a host: what can stand beside the others is registered, the rest is refused and reported."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from hermes_core.config.settings import Settings
from hermes_core.errors import HermesError, PluginError, ToolConflictError, ToolDefinitionError
from hermes_core.plugins.discovery import Candidate, Contribution, find_entry_points, timed_load
from hermes_core.plugins.manager import Plugins
from hermes_core.plugins.report import PluginRecord
from hermes_core.tools.registry import Registry
from hermes_core.tools.toolset import ToolsetCatalog

_log = logging.getLogger("hermes")


class Loader:
    """Loads plugins for one host, by the user's settings, and keeps the record of each."""

    def __init__(
        self,
        settings: Settings,
        *,
        plugins: Plugins,
        registry: Registry,
        catalog: ToolsetCatalog,
        add_provider: Callable[[str, str, Any], bool],
    ) -> None:
        self.records: list[PluginRecord] = []
        self._settings = settings
        self._plugins = plugins
        self._registry = registry
        self._catalog = catalog
        self._add_provider = add_provider

    def load_installed(self) -> None:
        """Everything that is installed and that the user did not turn off."""
        for candidate in find_entry_points():
            self.load(candidate)
        if self._settings.plugins_upstream:
            self.load_upstream()
        self.report_missing()

    def load(self, candidate: Candidate) -> PluginRecord:
        """Load one plugin and note what became of it."""
        facts: dict[str, Any] = {
            "name": candidate.name,
            "origin": candidate.origin,
            "distribution": candidate.distribution,
            "version": candidate.version,
        }
        enabled, disabled = self._settings.plugins_enabled, self._settings.plugins_disabled
        if candidate.origin != "application" and (
            candidate.name in disabled or (enabled is not None and candidate.name not in enabled)
        ):
            key = "plugins.disabled" if candidate.name in disabled else "plugins.enabled"
            record = PluginRecord(**facts, status="disabled", remedy=f"Change {key} in config.yaml to load it.")
            self.records.append(record)
            return record
        loaded, seconds = timed_load(candidate)
        if not isinstance(loaded, PluginError):
            try:
                self._plugins.accept(loaded.plugin, candidate.name)
            except PluginError as error:
                loaded = error
        if isinstance(loaded, PluginError):
            record = PluginRecord(
                **facts, status="failed", seconds=seconds, problems=(loaded.reason,), remedy=loaded.remedy or ""
            )
            _log.warning("%s", loaded, exc_info=loaded.__cause__)
        else:
            record = self._adopt(loaded, facts, seconds)
        self.records.append(record)
        return record

    def load_upstream(self) -> None:
        """Plugins written for Hermes Agent; of one that was shipped for both, ours is the better."""
        from hermes_core.plugins.upstream import find_upstream_plugins

        for candidate in find_upstream_plugins():
            if all(record.name != candidate.name for record in self.records):
                self.load(candidate)

    def _adopt(self, loaded: Contribution, facts: dict[str, Any], seconds: float) -> PluginRecord:
        """Register what a plugin brings; what cannot stand beside the others is refused and reported."""
        problems: list[str] = []
        brought: dict[str, None] = {}
        for tool in loaded.tools:
            # Within a toolset a later registration replaces; but one plugin must not replace another's tools.
            taken = [name for name in (tool.name, *tool.aliases) if self._registry.toolset_of(name) == tool.toolset]
            if taken:
                problems.append(f"tool {taken[0]!r} of toolset {tool.toolset!r} is there already.")
                continue
            try:
                self._registry.register(tool)
                brought[tool.name] = None
            except (ToolConflictError, ToolDefinitionError) as error:
                problems.append(error.reason)
        for toolset in loaded.toolsets:
            try:
                self._catalog.add(toolset)
            except HermesError as error:
                problems.append(str(error))
        for point, named in loaded.providers.items():
            for name, make in named.items():
                if not self._add_provider(point, name, make):
                    problems.append(f"provider {name!r} of {point!r} is there already.")
        for problem in problems:
            _log.warning("Plugin %s: %s", facts["name"], problem)
        return PluginRecord(
            **facts,
            status="partial" if problems else "loaded",
            tools=tuple(sorted(brought)),
            hooks=tuple(dict.fromkeys(implementation.hook for implementation in loaded.implementations)),
            seconds=seconds,
            problems=tuple(problems),
            remedy="Rename it, or disable one of the plugins that claim it." if problems else "",
            notes=tuple(getattr(loaded.plugin, "unsupported", ())),
        )

    def report_missing(self) -> None:
        """A plugin that the user enabled but that is not installed is a problem worth a line."""
        found = {record.name for record in self.records}
        for name in self._settings.plugins_enabled or ():
            if name not in found:
                self.records.append(
                    PluginRecord(
                        name=name,
                        origin="config",
                        status="failed",
                        problems=("it is enabled in config.yaml but not installed.",),
                        remedy="Install the distribution that ships it, or take it out of plugins.enabled.",
                    )
                )
