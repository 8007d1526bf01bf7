"""Finds the plugins that the user wants, without importing any."""

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
    """The plugins that the application does not bring itself.

    Attributes:
        refused: Those that do not get the name that they claim.
    """

    def __init__(self, settings: Settings, home: str) -> None:
        self._settings = settings
        self._home = home
        self._chosen: tuple[str, ...] | None = None
        self._replaced: Collection[str] = ()
        self.refused: dict[Candidate, Refusal] = {}

    def find(self, replaced: Collection[str]) -> list[Candidate]:
        """Find every plugin but those that the application replaces, and decide who gets a name that several claim."""
        self._replaced = replaced
        self._chosen = plugin_sources.chosen_for_this_run()
        found = plugin_sources.find_all(self._home, self._chosen, adapted=self._settings.plugins_upstream)
        self.refused = find_refusals(filter(self.is_wanted, found), self._settings.plugins_distributions)
        return found

    def find_missing(self, known: Collection[Candidate]) -> Iterator[tuple[Candidate, tuple[str, str]]]:
        """Find the plugins that the user asked for and that are not there, each with what to do."""
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
        """Return True when a plugin is to be loaded: nothing turns it off or refuses it."""
        return not self.turned_off(candidate) and candidate.refusal is None and candidate not in self.refused

    def turned_off(self, candidate: Candidate) -> str | None:
        """Return what the user would have to change for a plugin to be loaded; None when it is not turned off.

        What `HERMES_PLUGINS` names wins over the settings.
        """
        name, settings = candidate.name, self._settings
        if candidate.origin == ONE_RUN:
            return None
        if name in self._replaced:
            return "The application brings a plugin of this name itself."
        if self._chosen is not None:
            return None if name in self._chosen else f"Name it in {ONE_RUN} to load it in this run."
        if name in settings.plugins_disabled:
            return "Change plugins.disabled in config.yaml to load it."
        if settings.plugins_enabled is not None and name not in settings.plugins_enabled:
            return "Change plugins.enabled in config.yaml to load it."
        return None


def list_commands(settings: Settings, home: str) -> tuple[dict[str, str], list[str]]:
    """List the commands of the plugins that would be loaded, by their manifests alone: no plugin is imported.

    Returns:
        Command name to the line that `hermes --help` shows, and the plugins that have no manifest to say theirs.
    """
    rules = Discovery(settings, home)
    commands: dict[str, str] = {}
    silent: list[str] = []
    for candidate in rules.find(()):
        if not rules.is_wanted(candidate):
            continue
        try:
            manifest = candidate.manifest() if candidate.manifest is not None else None
        except PluginError:  # the host reports it; the code then speaks for itself
            manifest = None
        if manifest is None:
            silent.append(candidate.name)
        elif find_misfit(manifest.api, candidate.name) is None:
            for entry in manifest.commands:
                commands.setdefault(entry["name"], str(entry.get("help", "")))
    return commands, silent
