"""Finds the plugins that the user wants, and the rules for what they may use of the host."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from hermes_core.errors import did_you_mean
from hermes_core.plugins import sources
from hermes_core.plugins.candidate import ONE_RUN, Candidate
from hermes_core.plugins.names import Refusal, ToolsetOwners, find_refusals, is_ours
from hermes_core.plugins.registration import HeldBack
from hermes_schemas import nearest

if TYPE_CHECKING:
    from hermes_core.config.settings import Settings
    from hermes_core.plugins.loader import LoadedPlugin
    from hermes_core.plugins.lock.lockfile import Lock
    from hermes_core.tools.tool import Tool
    from hermes_core.tools.toolset import ToolsetCatalog


class Discovery:
    """The plugins that the application does not bring itself.

    Attributes:
        refused: Those that do not get the name that they claim.
        owners: Which distribution a toolset belongs to.
    """

    is_ours = staticmethod(is_ours)

    def __init__(self, settings: Settings, home: str, catalog: ToolsetCatalog, lock: Lock | None) -> None:
        self._settings = settings
        self._home = home
        self._lock = lock
        self._chosen: tuple[str, ...] | None = None
        self._replaced: Collection[str] = ()
        self.refused: dict[Candidate, Refusal] = {}
        self.owners = ToolsetOwners(catalog, settings.plugins_accept)

    def find(self, replaced: Collection[str]) -> list[Candidate]:
        """Find every plugin, and decide which distribution gets a name that several claim.

        Args:
            replaced: Plugins that the application brings itself, in the place of those that are installed.
        """
        self._replaced = replaced
        self._chosen = sources.chosen_for_this_run()
        found = sources.find_all(self._home, self._chosen, adapted=self._settings.plugins_upstream)
        wanted = [each for each in found if not self._turned_off(each) and each.refusal is None]
        self.refused = find_refusals(wanted, self._settings.plugins_distributions)
        self.owners.expect(each for each in wanted if each not in self.refused)
        return found

    def judge(self, loaded: LoadedPlugin) -> None:
        """Decide what becomes of a plugin that must not be loaded."""
        candidate = loaded.candidate
        if remedy := self._turned_off(candidate):
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
        """Explain why a tool must not run; None when it may.

        Args:
            candidate: Its plugin.
            tool: The tool.
            before: The tool that the manifest offered, when this is the one of the code.
        """
        if self._lock is not None and candidate.origin in sources.LOCKED:
            from hermes_core.plugins.lock.lockfile import hold

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

    def _turned_off(self, candidate: Candidate) -> str | None:
        """Return what the user would have to change for a plugin to be loaded; None when it is not turned off."""
        if candidate.origin == ONE_RUN:
            return None
        if candidate.name in self._replaced:
            return "The application brings a plugin of this name itself."
        return sources.turned_off(candidate.name, self._settings, self._chosen)
