"""Puts plugins into a host: what can stand beside the others is registered, the rest is refused and reported.

A plugin with a manifest is registered from it and imported when it is needed; the others are imported at once.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

from hermes_core.errors import PluginError, ToolDefinitionError, did_you_mean
from hermes_core.plugins import sources
from hermes_core.plugins.api import unfit
from hermes_core.plugins.candidate import APPLICATION, Candidate
from hermes_core.plugins.late import LatePlugins
from hermes_core.plugins.loaded import LoadedPlugin
from hermes_core.plugins.manifest import MANIFEST_REMEDY
from hermes_core.plugins.offer import Make, Offer, offer_of_code, offer_of_manifest
from hermes_core.plugins.placing import Hold, Place
from hermes_core.schemas.nearest import nearest

if TYPE_CHECKING:
    from hermes_core.config.settings import Settings
    from hermes_core.plugins.contribution import Contribution
    from hermes_core.plugins.lock.lockfile import Lock
    from hermes_core.plugins.manifest import Manifest
    from hermes_core.plugins.report import PluginRecord

_STALE = "Tell its author to run 'hermes plugin manifest', or install another version."
_TAKEN = "Rename it, or disable one of the plugins that claim it."
_NO_HOOK = "Mark its functions with @hermes_core.hookimpl; tools, ported ones too, come by the hook hermes_tools."

Problems = list[tuple[str, str]]
"""What is wrong with a plugin, one sentence each, and what to do about it."""


class Loader:
    """Loads plugins for one host, by the user's settings, and keeps the record of each."""

    def __init__(
        self, settings: Settings, *, home: str, plugins: LatePlugins, place: Place, lock: Lock | None = None
    ) -> None:
        self._settings = settings
        self._lock = lock
        self._home = home
        self._plugins = plugins
        self._place = place
        self._chosen: tuple[str, ...] | None = None
        self._only_looking = False
        self._loaded: list[LoadedPlugin] = []
        self._by_name: dict[str, LoadedPlugin] = {}

    @property
    def records(self) -> list[PluginRecord]:
        """What became of each plugin so far."""
        return [loaded.record for loaded in self._loaded]

    # -- all that there are ----------------------------------------------------------------------------------

    def load_installed(self, *, only_looking: bool = False) -> None:
        """Everything that is installed or lies ready, and that the user did not turn off.

        Args:
            only_looking: Whether plugins with call hooks wait, too, until `activate_hooks` is called.
        """
        self._only_looking = only_looking
        self._chosen = sources.chosen_for_this_run()
        for candidate in sources.find_installed():
            self.load(candidate)
        for candidate in sources.find_files(self._home):
            self.load(candidate)
        for candidate in sources.find_project_files(self._home):
            self.load(candidate)
        if self._settings.plugins_upstream:
            self._load_upstream()
        self._load_chosen()
        self._report_missing()

    def _load_upstream(self) -> None:
        """Plugins written for Hermes Agent; of one that was shipped for both, ours is the better."""
        from hermes_core.plugins.upstream import find_upstream_plugins

        for candidate in find_upstream_plugins():
            if candidate.name not in self._by_name:
                self.load(candidate)

    def _load_chosen(self) -> None:
        """What `HERMES_PLUGINS` names beside the plugins that were found."""
        known = {loaded.candidate.name for loaded in self._loaded}
        for candidate in sources.find_chosen([word for word in self._chosen or () if word not in known]):
            self.load(candidate)

    def _report_missing(self) -> None:
        """A plugin that the user asked for but that is not there is a problem worth a line."""
        wanted: dict[str, tuple[str, str]] = {}
        for name in self._settings.plugins_enabled or ():
            wanted[name] = ("config.yaml", "take it out of plugins.enabled")
        for word in self._chosen or ():
            if not sources.is_file_word(word) and not sources.is_module_word(word):
                wanted[word] = (sources.VARIABLE, f"take it out of {sources.VARIABLE}")
        known = {loaded.candidate.name for loaded in self._loaded}
        for name, (where, remedy) in wanted.items():
            if name not in known:
                near = did_you_mean(nearest(name, known, 1))
                self._note(
                    Candidate(name=name, origin="config", load=lambda: None),
                    status="failed",
                    problems=(f"it is enabled in {where} but not installed.{near}",),
                    remedy=f"Install the distribution that ships it, or {remedy}.",
                )

    # -- one plugin ------------------------------------------------------------------------------------------

    def load(self, candidate: Candidate) -> LoadedPlugin:
        """Give one plugin its place, and note what became of it."""
        disabled = self._turned_off(candidate)
        if disabled:
            return self._note(candidate, status="disabled", remedy=disabled)
        if candidate.refusal is not None:
            untrusted = candidate.origin == sources.PROJECT_FILE
            reason, remedy = candidate.refusal
            return self._note(
                candidate, status="untrusted" if untrusted else "failed", problems=(reason,), remedy=remedy
            )
        if candidate.name == APPLICATION:
            problem = f"no plugin can be called {APPLICATION!r}: that is where the program's own tools come from."
            return self._note(candidate, status="failed", problems=(problem,), remedy="Give it another name.")
        if candidate.name in self._by_name:
            holder = self._by_name[candidate.name].candidate
            whose = f" (from {holder.distribution})" if holder.distribution else f" ({holder.origin})"
            return self._note(
                candidate,
                status="failed",
                problems=(f"a plugin of this name is there already{whose}.",),
                remedy="Rename one of them, or uninstall one.",
            )
        problems: Problems = []
        manifest = self._manifest_of(candidate, problems)
        misfit = unfit(manifest.api if manifest else candidate.api, candidate.distribution or candidate.name)
        if misfit is not None and manifest is None:
            return self._note(candidate, status="failed", problems=misfit[:1], remedy=misfit[1])
        loaded = self._enter(candidate)
        loaded.manifest = manifest
        if manifest is not None:
            try:
                offer = offer_of_manifest(manifest, functools.partial(self._late, loaded))
            except ToolDefinitionError as error:
                if misfit is not None:
                    self._fail(loaded, PluginError(misfit[0], plugin=candidate.name, remedy=misfit[1]), [], 0.0)
                    return loaded
                problems.append((f"its manifest {manifest.file} cannot be used: {error}", MANIFEST_REMEDY))
                loaded.manifest = None
            else:
                if misfit is not None:  # what it promised is listed, and says why it cannot be had
                    self._place_offer(loaded, offer, [], quietly=True)
                    self._fail(loaded, PluginError(misfit[0], plugin=candidate.name, remedy=misfit[1]), [], 0.0)
                    return loaded
                waits = self._only_looking or not manifest.call_hooks
                self._place_offer(loaded, offer, problems, quietly=not waits, hooks=tuple(manifest.hooks))
                if waits:
                    return loaded
                problems = []  # the code is looked at anew
        self._import(loaded, problems)
        return loaded

    def _turned_off(self, candidate: Candidate) -> str | None:
        """What the user would have to change for the plugin to be loaded; None when it is not turned off."""
        if candidate.origin in ("application", sources.ONE_RUN):
            return None
        return sources.turned_off(candidate.name, self._settings, self._chosen)

    def _manifest_of(self, candidate: Candidate, problems: Problems) -> Manifest | None:
        try:
            return candidate.manifest() if candidate.manifest is not None else None
        except PluginError as error:
            problems.append((error.reason, error.remedy or ""))
            return None

    # -- giving places ---------------------------------------------------------------------------------------

    def _enter(self, candidate: Candidate) -> LoadedPlugin:
        loaded = LoadedPlugin(candidate)
        self._loaded.append(loaded)
        self._by_name[candidate.name] = loaded
        return loaded

    def _note(self, candidate: Candidate, **facts: Any) -> LoadedPlugin:
        """Put a plugin that gets no place on the record."""
        noted = LoadedPlugin(candidate, facts)
        self._loaded.append(noted)
        if facts["status"] == "failed":
            warn("Plugin %r: %s", candidate.name, " ".join(facts["problems"]))
        return noted

    def _place_offer(
        self, loaded: LoadedPlugin, offer: Offer, problems: Problems, *, quietly: bool = False, **facts: Any
    ) -> None:
        """Register what a plugin offers; what cannot stand beside the others is refused and reported."""
        candidate = loaded.candidate
        placed = self._place.put(candidate.name, offer, loaded.placed, self._hold(loaded))
        loaded.placed = placed
        if placed.held:
            held = f"hermes.lock does not know {_listed(placed.held)} as it is now: quarantined."
            problems.append((held, "See 'hermes lock diff', then 'hermes lock accept NAME'."))
        problems += [(problem, _TAKEN) for problem in placed.problems]
        for problem, _ in problems if not quietly else ():
            warn("Plugin %s: %s", candidate.name, problem)
        loaded.facts = {
            "status": "partial" if problems else "loaded",
            "tools": tuple(sorted(placed.tools)),
            **_in_words(problems),
            "quarantined": tuple(sorted(placed.held)),
            **facts,
        }

    def _hold(self, loaded: LoadedPlugin) -> Hold | None:
        if self._lock is None:
            return None
        from hermes_core.plugins.quarantine import holder

        return holder(self._lock, loaded.candidate, loaded.placed)

    def _late(self, loaded: LoadedPlugin, point: str, name: str) -> Make:
        """Makes a provider of a plugin that is not imported yet."""

        def make() -> object:
            self.activate(loaded.candidate.name)
            made = loaded.brought.providers.get(point, {}) if loaded.brought else {}
            if name not in made:
                why = loaded.record.problems[-1] if loaded.record.problems else "it is not in its code."
                raise PluginError(
                    f"it has no provider {name!r} for {point!r}: {why}",
                    plugin=loaded.candidate.name,
                    remedy=loaded.record.remedy or _STALE,
                )
            return made[name]()

        return make

    # -- importing -------------------------------------------------------------------------------------------

    def activate(self, name: str, tool: str | None = None) -> LoadedPlugin | None:
        """Import a plugin that stands there by its manifest alone; None when there is no such plugin.

        For one tool only the module that declares it is imported, where the manifest names that module.
        """
        loaded = self._by_name.get(name)
        if loaded is None:  # it was turned off, or is of no use: its record says so
            return next((noted for noted in self._loaded if noted.candidate.name == name), None)
        with loaded.lock:
            waits = not loaded.facts.get("imported") and loaded.facts.get("status") != "failed"
            if waits and (tool is None or not self._import_tool(loaded, tool)):
                self._import(loaded, [])
        return loaded

    def _import_tool(self, loaded: LoadedPlugin, name: str) -> bool:
        """Import one tool by its manifest entry; False when the whole plugin must be imported to know what is wrong."""
        manifest = loaded.manifest
        entries = manifest.tools if manifest is not None else ()
        entry = next((entry for entry in entries if entry["name"] == name), {})
        package = entry.get("source", "").partition(".")[0]
        if manifest is None or not package or package not in manifest.file.split(os.sep):
            return False
        from hermes_core.plugins.importing import load_tool
        from hermes_core.plugins.manifest_making import describe_tool

        try:
            tool = load_tool(loaded.candidate, entry["source"])
        except PluginError:
            return False
        said = {key: value for key, value in entry.items() if key != "source"}
        if describe_tool(tool) != said or name not in loaded.placed.tools:
            return False
        self._place.put_tool(loaded.candidate.name, tool, loaded.placed, self._hold(loaded))
        return True

    def activate_hooks(self, hook: str | None = None) -> None:
        """Import the plugins that implement a call hook, or a certain one: from now on they are asked."""
        for loaded in list(self._by_name.values()):
            hooks = loaded.manifest.call_hooks if loaded.manifest is not None else ()
            if hooks and (hook is None or hook in hooks):
                self.activate(loaded.candidate.name)

    def drop(self, name: str) -> None:
        """Take a plugin out again, with everything that it has; its record stays."""
        loaded = self._by_name.pop(name, None)
        if loaded is not None:
            loaded.placed = self._place.put(name, Offer(), loaded.placed)
            self._plugins.now.remove(name)

    def names(self) -> tuple[str, ...]:
        """The plugins that have a place."""
        return tuple(self._by_name)

    def command(self, name: str) -> Any:
        """The command of a plugin, which is imported for it.

        Raises:
            PluginError: the plugin cannot be imported, or has no such command.
        """
        commands = self._place.commands
        if name not in commands:
            near = did_you_mean(nearest(name, commands))
            raise PluginError(f"none has a command {name!r}.{near}", remedy="See 'hermes --help'.")
        plugin = commands[name][0]
        loaded = self.activate(plugin)
        found = loaded.brought.commands.get(name) if loaded and loaded.brought else None
        if found is None:
            record = loaded.record if loaded else None
            problems = " ".join(record.problems) if record else ""
            raise PluginError(
                problems or f"its command {name!r} is in its manifest, but not in its code.",
                plugin=plugin,
                remedy=(record.remedy if record else "") or _STALE,
            )
        return found

    def _import(self, loaded: LoadedPlugin, problems: Problems) -> None:
        """Import a plugin, and let its code take the place of what its manifest said."""
        from hermes_core.plugins.importing import timed_load

        candidate = loaded.candidate
        result, seconds = timed_load(candidate)
        if not isinstance(result, PluginError):
            try:
                misfit = unfit(result.api, candidate.distribution or candidate.name)
                if misfit is not None:
                    raise PluginError(misfit[0], plugin=candidate.name, remedy=misfit[1])
                self._plugins.now.accept(result.plugin, candidate.name)
            except PluginError as error:
                result = error
            except Exception as error:  # foreign code: an attribute may be a property that raises this time
                from hermes_core.plugins.explaining import explain

                result = explain(candidate, error)
        if isinstance(result, PluginError):
            self._fail(loaded, result, problems, seconds)
            return
        problems += self._differences(loaded, result)
        if not result.implementations:
            problems.append(("it implements no hook, so it brings nothing.", _NO_HOOK))
        loaded.brought = result
        self._place_offer(
            loaded,
            offer_of_code(result),
            problems,
            imported=True,
            seconds=seconds,
            hooks=tuple(dict.fromkeys(implementation.hook for implementation in result.implementations)),
            notes=tuple(getattr(result.plugin, "unsupported", ())),
        )

    def _differences(self, loaded: LoadedPlugin, brought: Contribution) -> Problems:
        """Where a plugin's manifest says something else than its code."""
        if loaded.manifest is None:
            return []
        from hermes_core.plugins.manifest_making import differences, make_manifest

        stale = differences(loaded.manifest, make_manifest(loaded.candidate.name, brought))
        return [(f"its manifest {loaded.manifest.file} is stale: {' '.join(stale)}", _STALE)] if stale else []

    def _fail(self, loaded: LoadedPlugin, error: PluginError, problems: Problems, seconds: float) -> None:
        """Say what is wrong with a plugin; the tools that its manifest promised say so, too."""
        name = loaded.candidate.name
        warn("%s", error, cause=error.__cause__)
        reason = f"its plugin {name!r} cannot be loaded: {error.reason.rstrip('.')}"
        self._place.block(loaded.placed, reason, error.remedy or "")
        if loaded.placed.is_empty():  # nothing of it stands anywhere: another plugin may have the name
            self._by_name.pop(name, None)
        problems.append((error.reason, error.remedy or ""))
        loaded.facts = {"status": "failed", "seconds": seconds, **_in_words(problems)}


def _in_words(problems: Problems) -> dict[str, Any]:
    """Problems and remedies as the report shows them; a remedy that helps against several is said once."""
    remedies = dict.fromkeys(remedy for _, remedy in problems if remedy)
    return {"problems": tuple(problem for problem, _ in problems), "remedy": " ".join(remedies)}


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name) for name in sorted(names))


def warn(message: str, *values: object, cause: BaseException | None = None) -> None:
    """Log a warning; most runs have nothing to warn of."""
    from hermes_core.logs import log

    log.warning(message, *values, exc_info=cause)
