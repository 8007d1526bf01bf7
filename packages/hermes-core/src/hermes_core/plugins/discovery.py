"""Finds the plugins that the user wants, and the rules for what they may use of the host."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from hermes_core.errors import PluginError, did_you_mean
from hermes_core.plugins import sources
from hermes_core.plugins.api import find_misfit
from hermes_core.plugins.candidate import ONE_RUN, Candidate, HeldBack
from hermes_core.plugins.names import Refusal, ToolsetOwners, find_refusals, is_ours
from hermes_schemas import nearest

if TYPE_CHECKING:
    from hermes_core.config.settings import Settings
    from hermes_core.plugins.loader import LoadedPlugin
    from hermes_core.plugins.lock import Lock
    from hermes_core.tools.tool import Tool
    from hermes_core.tools.toolset import Toolset


class Discovery:
    """The plugins that the application does not bring itself.

    Attributes:
        refused: Those that do not get the name that they claim.
        owners: Which distribution a toolset belongs to.
    """

    is_ours = staticmethod(is_ours)

    def __init__(
        self,
        settings: Settings,
        home: str,
        find_toolset: Callable[[str], Toolset | None] = lambda _: None,
        lock: Lock | None = None,
    ) -> None:
        self._settings = settings
        self._home = home
        self._lock = lock
        self._chosen: tuple[str, ...] | None = None
        self._replaced: Collection[str] = ()
        self.refused: dict[Candidate, Refusal] = {}
        self.owners = ToolsetOwners(find_toolset, settings.plugins_accept)

    def find(self, replaced: Collection[str]) -> list[Candidate]:
        """Find every plugin but those that the application replaces, and decide who gets a name that several claim."""
        self._replaced = replaced
        self._chosen = sources.chosen_for_this_run()
        found = sources.find_all(self._home, self._chosen, adapted=self._settings.plugins_upstream)
        wanted = [each for each in found if not self.turned_off(each) and each.refusal is None]
        self.refused = find_refusals(wanted, self._settings.plugins_distributions)
        self.owners.expect(each for each in wanted if each not in self.refused)
        return found

    def judge(self, loaded: LoadedPlugin) -> None:
        """Decide what becomes of a plugin that must not be loaded."""
        candidate = loaded.candidate
        if remedy := self.turned_off(candidate):
            loaded.decide(status="disabled", remedy=remedy)
        elif candidate.refusal is not None:
            status = "untrusted" if candidate.origin == sources.PROJECT_FILE else "failed"
            loaded.decide([candidate.refusal], status=status)
        elif (refused := self.refused.get(candidate)) is not None:
            if refused.decided:
                loaded.decide(status="disabled", remedy=refused.remedy)
            else:
                loaded.decide([(refused.reason, refused.remedy)], status="failed")

    def hold(self, candidate: Candidate, tool: Tool, before: Tool | None) -> HeldBack | None:
        """Explain why a tool must not run; `before` is the one of the manifest, when this is the one of the code."""
        if self._lock is not None and candidate.origin in sources.LOCKED:
            from hermes_core.plugins.lock import hold

            if held := hold(self._lock, candidate, tool, before):
                return held
        return self.owners.refuse(candidate, tool.toolset)

    def find_missing(self, known: Collection[Candidate]) -> Iterator[tuple[Candidate, tuple[str, str]]]:
        """Find the plugins that the user asked for and that are not there, each with what to do."""
        wanted: dict[str, tuple[str, str]] = {}
        for name in self._settings.plugins_enabled or ():
            wanted[name] = ("config.yaml", "take it out of plugins.enabled")
        for word in self._chosen or ():
            if not sources.is_file_word(word) and not sources.is_module_word(word):
                wanted[word] = (ONE_RUN, f"take it out of {ONE_RUN}")
        names = {each.name for each in known if each not in self.refused or not self.refused[each].decided}
        for name, (where, remedy) in wanted.items():
            if name not in names:
                owner = self._settings.plugins_distributions.get(name, "the distribution that ships it")
                problem = f"it is enabled in {where} but not installed.{did_you_mean(nearest(name, names, 1))}"
                missing = Candidate(name=name, origin="config", load=lambda: None)
                yield missing, (problem, f"Install {owner}, or {remedy}.")

    def turned_off(self, candidate: Candidate) -> str | None:
        """Return what the user would have to change for a plugin to be loaded; None when it is not turned off."""
        if candidate.origin == ONE_RUN:
            return None
        if candidate.name in self._replaced:
            return "The application brings a plugin of this name itself."
        return sources.turned_off(candidate.name, self._settings, self._chosen)


def list_commands(settings: Settings, home: str) -> tuple[dict[str, str], list[str]]:
    """List the commands of the plugins that would be loaded, by their manifests alone: no plugin is imported.

    Returns:
        Command name to the line that `hermes --help` shows, and the plugins that have no manifest to say theirs.
    """
    rules = Discovery(settings, home)
    commands: dict[str, str] = {}
    silent: list[str] = []
    for candidate in rules.find(()):
        if rules.turned_off(candidate) or candidate.refusal is not None or candidate in rules.refused:
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
