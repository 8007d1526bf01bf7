"""Loads installed plugins according to their manifests, the settings and the lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from hermes_core.errors import PluginError, ToolDefinitionError
from hermes_core.plugins import plugin_sources
from hermes_core.plugins.api_version import find_misfit
from hermes_core.plugins.discovery import Discovery
from hermes_core.plugins.name_ownership import Refusal, ToolsetOwners, is_ours
from hermes_core.plugins.plugin_records import Candidate, HeldBack
from hermes_core.plugins.registration import Hold, Make, Offer, RefuseToolset, Registrar

if TYPE_CHECKING:
    from hermes_core.config.core_settings import Settings
    from hermes_core.plugins.loader import LoadedPlugin
    from hermes_core.plugins.lock import Lock
    from hermes_core.plugins.plugin_import import Loaded
    from hermes_core.tools.tool import Tool


class InstalledPlugins(Discovery):
    """Decides about installed plugins before any of their code runs. `ahead` has the results of imports to register."""

    def __init__(
        self,
        settings: Settings,
        home: str,
        lock: Lock | None,
        registrar: Registrar,
        activate: Callable[[str], LoadedPlugin | None],
    ) -> None:
        super().__init__(settings, home)
        self._lock = lock
        self._registrar = registrar
        self._activate = activate
        self.ahead: dict[Candidate, Loaded] = {}
        self.owners = ToolsetOwners(registrar.catalog.get, settings.plugins_accept)

    def find(self, replaced: Collection[str]) -> list[Candidate]:
        """Find all plugins like `Discovery`, and reserve the toolsets with their names."""
        found = super().find(replaced)
        self.owners.expect(each for each in found if self.is_wanted(each))
        return found

    def judge(self, loaded: LoadedPlugin) -> None:
        """Write the record of a plugin that must not be loaded."""
        candidate = loaded.candidate
        refusal = self.refused.get(candidate)
        if remedy := self.turned_off(candidate):
            loaded.decide(status="disabled", remedy=remedy)
        elif candidate.refusal is not None:
            status = "untrusted" if candidate.origin == plugin_sources.PROJECT_FILE else "failed"
            loaded.decide([candidate.refusal], status=status)
        elif refusal is not None and refusal.decided:
            loaded.decide(status="disabled", remedy=refusal.remedy)
        elif refusal is not None:
            loaded.decide([(refusal.reason, refusal.remedy)], status="failed")

    def list_refused(self, loaded: LoadedPlugin, refusal: Refusal) -> None:
        """List the tools of a refused plugin, so that each can explain why it is unavailable."""
        if loaded.offer is not None and not refusal.decided:
            reason = f"its plugin is not loaded: {refusal.reason.rstrip('.')}"
            tools = tuple(tool.but(blocked=(reason, refusal.remedy)) for tool in loaded.offer.tools)
            loaded.registered = self._registrar.put(loaded.candidate.name, Offer(tools=tools))

    def read_manifest(self, loaded: LoadedPlugin) -> None:
        """Read the manifest of a plugin, and check its API version."""
        candidate = loaded.candidate
        try:
            manifest = candidate.manifest() if candidate.manifest is not None else None
        except PluginError as error:
            loaded.problems.append((error.reason, error.remedy or ""))
            manifest = None
        misfit = find_misfit(manifest.api if manifest else candidate.api, candidate.distribution or candidate.name)
        if misfit is not None:
            loaded.error = PluginError(misfit[0], plugin=candidate.name, remedy=misfit[1])
        if manifest is None:
            return
        loaded.policy_hooks = manifest.policy_hooks
        try:
            loaded.offer = manifest.offer(partial(self._provider, loaded))
            loaded.manifest = manifest
        except ToolDefinitionError as error:
            from hermes_core.plugins.manifest import MANIFEST_REMEDY

            loaded.problems.append((f"its manifest {manifest.file} cannot be used: {error}", MANIFEST_REMEDY))

    def _provider(self, loaded: LoadedPlugin, point: str, name: str) -> Make:
        """Return the function that creates a provider of a plugin that is not imported yet."""

        def make() -> object:
            self._activate(loaded.candidate.name)
            made = loaded.contribution.providers.get(point, {}) if loaded.contribution else {}
            if name not in made:
                why = next(reversed(loaded.record.problems), "it is not in its code.")
                raise loaded.missing(f"it has no provider {name!r} for {point!r}: {why}")
            return made[name]()

        return make

    def rules(self, loaded: LoadedPlugin) -> tuple[Hold, RefuseToolset]:
        """Return functions that hold back the plugin's tools and refuse its toolsets."""
        hold = partial(self._hold, loaded.candidate, dict(loaded.registered.tools))
        return hold, partial(self.owners.refuse, loaded.candidate)

    def _hold(self, candidate: Candidate, promised: dict[str, Tool], tool: Tool) -> HeldBack | None:
        """Explain why a tool must not run. `promised` has the tools of the manifest, if this one is from the code."""
        if self._lock is not None and candidate.origin in plugin_sources.LOCKED:
            from hermes_core.plugins.lock import hold

            if held := hold(self._lock, candidate, tool, promised.get(tool.name)):
                return held
        return self.owners.refuse(candidate, tool.toolset)

    def import_ahead(
        self, plugins: Sequence[LoadedPlugin], seconds: float | None = None, *, commands: bool = False
    ) -> None:
        """Import plugins in parallel before each is registered. Our own are fast and are imported one by one."""
        foreign = [each for each in plugins if not is_ours(each.candidate)]
        if foreign:
            from hermes_core.plugins.plugin_import import LOAD_SECONDS, load_all

            asked = {each.candidate: commands or each.manifest is None for each in foreign}
            self.ahead |= load_all(asked, LOAD_SECONDS if seconds is None else seconds)

    def import_tool(self, loaded: LoadedPlugin, name: str) -> bool:
        """Import one tool by its manifest entry; return False if the whole plugin must be imported."""
        manifest = loaded.manifest
        if manifest is None:
            return False
        entry = next((entry for entry in manifest.tools if entry["name"] == name), {})
        package = entry.get("source", "").partition(".")[0]
        if not package or package not in manifest.file.split(os.sep):
            return False
        from hermes_core.plugins.generated_manifest import describe_tool
        from hermes_core.plugins.plugin_import import load_tool

        try:
            by_source = {each["source"]: each for each in manifest.tools if "source" in each}
            tool = load_tool(loaded.candidate, entry["source"], by_source)
        except PluginError:
            return False
        promised = {key: value for key, value in entry.items() if key != "source"}
        if describe_tool(tool) != promised or name not in loaded.registered.tools:
            return False
        self._registrar.put_tool(loaded.candidate.name, tool, loaded.registered, self.rules(loaded)[0])
        return True
