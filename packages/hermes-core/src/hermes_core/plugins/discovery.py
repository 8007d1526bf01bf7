"""Finds the enabled plugins without importing any."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from hermes_core.errors import PluginError, did_you_mean
from hermes_core.plugins import plugin_sources
from hermes_core.plugins.api_version import find_misfit
from hermes_core.plugins.name_ownership import Refusal, find_refusals
from hermes_core.plugins.plugin_records import ONE_RUN, Candidate
from hermes_schemas import nearest

if TYPE_CHECKING:
    from hermes_core.config.core_settings import Settings


class Discovery:
    """The plugins that the application does not provide itself. Those that are `refused` may not use their name."""

    def __init__(self, settings: Settings, home: str) -> None:
        self._settings = settings
        self._home = home
        self._chosen: tuple[str, ...] | None = None
        self._replaced: Collection[str] = ()
        self.refused: dict[Candidate, Refusal] = {}

    def find(self, replaced: Collection[str]) -> list[Candidate]:
        """Find all plugins except those that the application replaces, and decide who may use contested names."""
        self._replaced = replaced
        self._chosen = plugin_sources.chosen_for_this_run()
        found = plugin_sources.find_all(self._home, self._chosen, adapted=self._settings.plugins_upstream)
        self.refused = find_refusals(filter(self.is_wanted, found), self._settings.plugins_distributions)
        return found

    def find_missing(self, known: Collection[Candidate]) -> Iterator[tuple[Candidate, tuple[str, str]]]:
        """Find the enabled plugins that are not installed, each with a remedy."""
        wanted: dict[str, tuple[str, str]] = {}
        for name in self._settings.plugins_enabled or ():
            wanted[name] = ("config.yaml", "take it out of plugins.enabled")
        for word in self._chosen or ():
            if not plugin_sources.is_file_word(word) and not plugin_sources.is_module_word(word):
                wanted[word] = (ONE_RUN, f"take it out of {ONE_RUN}")
        names = {each.name for each in known if each not in self.refused or not self.refused[each].decided}
        for name, (where, remedy) in wanted.items():
            if name not in names:
                owner = self._settings.plugins_distributions.get(name, "the distribution that ships it")
                problem = f"it is enabled in {where} but not installed.{did_you_mean(nearest(name, names, 1))}"
                missing = Candidate(name=name, origin="config", load=lambda: None)
                yield missing, (problem, f"Install {owner}, or {remedy}.")

    def is_wanted(self, candidate: Candidate) -> bool:
        """Return True if a plugin is neither disabled nor refused."""
        return not self.turned_off(candidate) and candidate.refusal is None and candidate not in self.refused

    def turned_off(self, candidate: Candidate) -> str | None:
        """Explain how to enable a disabled plugin; None if it is enabled. `HERMES_PLUGINS` overrides the settings."""
        name, settings = candidate.name, self._settings
        if candidate.origin == ONE_RUN:
            return None
        if name in self._replaced:
            return "The application provides a plugin of this name itself."
        if self._chosen is not None:
            return None if name in self._chosen else f"Name it in {ONE_RUN} to load it in this run."
        if name in settings.plugins_disabled:
            return "Change plugins.disabled in config.yaml to load it."
        if settings.plugins_enabled is not None and name not in settings.plugins_enabled:
            return "Change plugins.enabled in config.yaml to load it."
        return None


def list_commands(settings: Settings, home: str) -> tuple[dict[str, str], list[str]]:
    """Return the commands of the enabled plugins with their summaries, and the plugins without a manifest."""
    rules = Discovery(settings, home)
    commands: dict[str, str] = {}
    silent: list[str] = []
    for candidate in rules.find(()):
        if not rules.is_wanted(candidate):
            continue
        try:
            manifest = candidate.manifest() if candidate.manifest is not None else None
        except PluginError:  # the host reports it, and uses the code instead
            manifest = None
        if manifest is None:
            silent.append(candidate.name)
        elif find_misfit(manifest.api, candidate.name) is None:
            for entry in manifest.commands:
                commands.setdefault(entry["name"], str(entry.get("help", "")))
    return commands, silent
