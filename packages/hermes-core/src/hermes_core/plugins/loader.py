"""Puts plugins into a host: what can stand beside the others is registered, the rest is refused and reported.

A plugin with a manifest is registered from it and imported when it is needed; the others are imported at once.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hermes_core.errors import PluginError, did_you_mean
from hermes_core.plugins import names, sources
from hermes_core.plugins.api import unfit
from hermes_core.plugins.candidate import APPLICATION, Candidate
from hermes_core.plugins.lazy import LazyPlugins
from hermes_core.plugins.loaded import LoadedPlugin
from hermes_core.plugins.offer import Make, Offer, offer_of_code
from hermes_core.plugins.registration import Hold, Registrar
from hermes_core.plugins.toolset_owners import ToolsetOwners
from hermes_schemas import nearest

if TYPE_CHECKING:
    from click import Command

    from hermes_core.config.settings import Settings
    from hermes_core.plugin_context import PluginContext
    from hermes_core.plugins.contribution import Contribution
    from hermes_core.plugins.importing import Loaded
    from hermes_core.plugins.lock.lockfile import Lock
    from hermes_core.plugins.report import PluginRecord
    from hermes_core.tools.tool import Tool

_STALE = "Tell its author to run 'hermes plugin manifest', or install another version."
_TAKEN = "Rename it, or disable one of the plugins that claim it."
_NO_HOOK = "Mark its functions with @hermes_core.hookimpl; tools, ported ones too, come by the hook hermes_tools."

Problems = list[tuple[str, str]]
"""What is wrong with a plugin, one sentence each, and what to do about it."""


class Loader:
    """Loads plugins for one host, by the user's settings, and keeps the record of each."""

    def __init__(
        self, settings: Settings, *, home: str, plugins: LazyPlugins, place: Registrar, lock: Lock | None = None
    ) -> None:
        self._settings = settings
        self._lock = lock
        self._home = home
        self._plugins = plugins
        self._place = place
        self._chosen: tuple[str, ...] | None = None
        self._only_looking = False
        self._replaced: frozenset[str] = frozenset()
        self._refused: dict[Candidate, names.Refusal] = {}
        self._ahead: dict[Candidate, Loaded] = {}
        self._owners = ToolsetOwners(place.catalog, settings.plugins_accept)
        self._loaded: list[LoadedPlugin] = []
        self._by_name: dict[str, LoadedPlugin] = {}
        self._factories: dict[str, Any] = {}
        self._context: PluginContext | None = None

    @property
    def records(self) -> list[PluginRecord]:
        """What became of each plugin so far."""
        failures = self._plugins.now.failures if self._plugins.made else {}
        return [loaded.record.with_failures(failures) for loaded in self._loaded]

    # -- all that there are ----------------------------------------------------------------------------------

    def load_installed(
        self, *, only_looking: bool = False, imports: bool = True, replaced: Collection[str] = ()
    ) -> None:
        """Everything that is installed or lies ready, and that the user did not turn off.

        Args:
            replaced: Plugins that the application brings itself, in the place of those that are installed.
            only_looking: Whether plugins with call hooks wait, too, until `activate_hooks` is called.
            imports: Whether plugins without a manifest are imported; they are left out otherwise.
        """
        self._only_looking = only_looking
        self._chosen = sources.chosen_for_this_run()
        self._replaced = frozenset(replaced)
        found = sources.find_all(self._home, self._chosen, adapted=self._settings.plugins_upstream)
        wanted = [each for each in found if not self._turned_off(each) and each.refusal is None]
        self._refused = names.find_refusals(wanted, self._settings.plugins_distributions)
        self._owners.expect(each for each in wanted if each not in self._refused)
        prepared = [self._prepare(candidate) for candidate in found]
        if not imports:
            prepared = [each for each in prepared if each.manifest is not None or each.facts]
        self._import_ahead(
            [each for each in prepared if self._must_import(each)], self._settings.plugins_import_seconds
        )
        for each in prepared:
            self._settle(each)
        for each in prepared:
            if each.candidate in self._refused:
                self._list_refused(each)
        self._report_missing()

    def _report_missing(self) -> None:
        """A plugin that the user asked for but that is not there is a problem worth a line."""
        wanted: dict[str, tuple[str, str]] = {}
        for name in self._settings.plugins_enabled or ():
            wanted[name] = ("config.yaml", "take it out of plugins.enabled")
        for word in self._chosen or ():
            if not sources.is_file_word(word) and not sources.is_module_word(word):
                wanted[word] = (sources.VARIABLE, f"take it out of {sources.VARIABLE}")
        known = {each.candidate.name for each in self._loaded if not self._is_decided(each.candidate)}
        for name, (where, remedy) in wanted.items():
            if name not in known:
                owner = self._settings.plugins_distributions.get(name, "the distribution that ships it")
                near = did_you_mean(nearest(name, known, 1))
                self._note(
                    Candidate(name=name, origin="config", load=lambda: None),
                    status="failed",
                    problems=(f"it is enabled in {where} but not installed.{near}",),
                    remedy=f"Install {owner}, or {remedy}.",
                )

    def _is_decided(self, candidate: Candidate) -> bool:
        """Whether the settings give the name of a plugin to another distribution."""
        refused = self._refused.get(candidate)
        return refused is not None and refused.decided

    # -- one plugin ------------------------------------------------------------------------------------------

    def load(self, candidate: Candidate) -> LoadedPlugin:
        """Give one plugin its place, and note what became of it."""
        return self._settle(self._prepare(candidate))

    def _prepare(self, candidate: Candidate) -> LoadedPlugin:
        """Find out what can be known of a plugin without running its code."""
        loaded = LoadedPlugin(candidate, self._refusal(candidate))
        if not loaded.facts or candidate in self._refused:
            loaded.read_manifest(functools.partial(self._late, loaded))
        return loaded

    def _refusal(self, candidate: Candidate) -> dict[str, Any]:
        """What the report says of a plugin that must not be loaded; nothing when it may be."""
        disabled = self._turned_off(candidate)
        if disabled:
            return {"status": "disabled", "remedy": disabled}
        if candidate.refusal is not None:
            status = "untrusted" if candidate.origin == sources.PROJECT_FILE else "failed"
            return {"status": status, "problems": candidate.refusal[:1], "remedy": candidate.refusal[1]}
        if candidate in self._refused:
            refused = self._refused[candidate]
            if refused.decided:
                return {"status": "disabled", "remedy": refused.remedy}
            return {"status": "failed", "problems": (refused.reason,), "remedy": refused.remedy}
        if candidate.name == APPLICATION:
            problem = f"no plugin can be called {APPLICATION!r}: that is where the program's own tools come from."
            return {"status": "failed", "problems": (problem,), "remedy": "Give it another name."}
        return {}

    def _must_import(self, loaded: LoadedPlugin) -> bool:
        """Whether the code of a plugin is needed before there is a call."""
        if loaded.facts or loaded.error is not None:
            return False
        return loaded.manifest is None or bool(loaded.manifest.call_hooks and not self._only_looking)

    def _settle(self, loaded: LoadedPlugin) -> LoadedPlugin:
        """Give a plugin its place, or put on the record why it gets none."""
        candidate = loaded.candidate
        holder = self._by_name.get(candidate.name)
        if not loaded.facts and holder is not None:
            problem = f"a plugin of this name is there already (from {names.describe(holder.candidate)})."
            loaded.facts = {
                "status": "failed",
                "problems": (problem,),
                "remedy": "Rename one of them, or uninstall one.",
            }
        if loaded.facts:
            return self._record(loaded)
        imports = self._must_import(loaded)
        self._enter(loaded)
        if loaded.error is not None:
            if loaded.offer is not None:  # what it promised is listed, and says why it cannot be had
                self._place_offer(loaded, loaded.offer, [], quietly=True)
            self._fail(loaded, loaded.error, [], 0.0)
            return loaded
        if loaded.manifest is not None and loaded.offer is not None:
            hooks = tuple(loaded.manifest.hooks)
            self._place_offer(loaded, loaded.offer, loaded.problems, quietly=imports, hooks=hooks)
            loaded.problems = []  # the code is looked at anew
        if imports:
            self._import(loaded, loaded.problems)
        return loaded

    def _turned_off(self, candidate: Candidate) -> str | None:
        """What the user would have to change for the plugin to be loaded; None when it is not turned off."""
        if candidate.origin in ("application", sources.ONE_RUN):
            return None
        if candidate.name in self._replaced:
            return "The application brings a plugin of this name itself."
        return sources.turned_off(candidate.name, self._settings, self._chosen)

    def _list_refused(self, loaded: LoadedPlugin) -> None:
        """List the tools of a plugin that did not get its name, so that each can say why it cannot be had."""
        refused = self._refused[loaded.candidate]
        if loaded.offer is not None and not refused.decided:
            tools = Offer()
            tools.tools = tuple(
                tool.but(blocked=(f"its plugin is not loaded: {refused.reason.rstrip('.')}", refused.remedy))
                for tool in loaded.offer.tools
            )
            loaded.placed = self._place.put(loaded.candidate.name, tools)
        if refused.ambiguous:
            self._deny_without(loaded, refused.reason)

    def _deny_without(self, loaded: LoadedPlugin, reason: str) -> None:
        """Deny every call from now on, if a plugin that cannot be used holds a policy or is required."""
        candidate = loaded.candidate
        is_required = candidate.name in self._settings.plugins_required
        if candidate.origin == APPLICATION or loaded.facts.get("denies"):
            return
        from hermes_core.plugins.policy_plugins import HOW_TO_GO_ON, MissingPolicy, names_policy_hook

        if not is_required and not loaded.policy_hooks and (loaded.manifest or not names_policy_hook(candidate)):
            return
        what = "is required" if is_required else "holds a policy"
        missing = f"the plugin {candidate.name!r} {what} and cannot be used: {reason.rstrip('.')}. {HOW_TO_GO_ON}"
        known = self._plugins.now.names()
        name = candidate.name if candidate.name not in known else f"{candidate.name} (missing)"
        if name not in known:
            self._plugins.now.accept(MissingPolicy(missing), name)
        remedy = " ".join(filter(None, (loaded.facts.get("remedy"), HOW_TO_GO_ON)))
        loaded.facts |= {"denies": True, "remedy": remedy}

    # -- giving places ---------------------------------------------------------------------------------------

    def _enter(self, loaded: LoadedPlugin) -> None:
        self._loaded.append(loaded)
        self._by_name[loaded.candidate.name] = loaded

    def _note(self, candidate: Candidate, **facts: Any) -> LoadedPlugin:
        """Put a plugin that gets no place on the record."""
        return self._record(LoadedPlugin(candidate, facts))

    def _record(self, loaded: LoadedPlugin) -> LoadedPlugin:
        self._loaded.append(loaded)
        if loaded.facts["status"] == "failed":
            warn("Plugin %r: %s", loaded.candidate.name, " ".join(loaded.facts["problems"]))
        return loaded

    def _place_offer(
        self, loaded: LoadedPlugin, offer: Offer, problems: Problems, *, quietly: bool = False, **facts: Any
    ) -> None:
        """Register what a plugin offers; what cannot stand beside the others is refused and reported."""
        candidate = loaded.candidate
        loaded.unaccepted.clear()
        refuse_toolset = functools.partial(self._owners.refusal, candidate)
        placed = self._place.put(candidate.name, offer, loaded.placed, self._hold(loaded), refuse_toolset)
        loaded.placed = placed
        quarantined = [name for name in placed.held if name not in loaded.unaccepted]
        if quarantined:
            held = f"hermes.lock does not know {_listed(quarantined)} as it is now: quarantined."
            problems.append((held, "See 'hermes lock diff', then 'hermes lock accept NAME'."))
        for name in sorted(loaded.unaccepted):
            reason, remedy = refuse_toolset(placed.tools[name].toolset) or ("", "")
            problems.append((f"tool {name!r} is held back: {reason}.", remedy))
        problems += [(problem, _TAKEN) for problem in placed.problems]
        for problem, _ in problems if not quietly else ():
            warn("Plugin %s: %s", candidate.name, problem)
        loaded.facts = {
            "status": "partial" if problems else "loaded",
            "tools": tuple(sorted(placed.tools)),
            **_in_words(problems),
            "quarantined": tuple(sorted(quarantined)),
            "unaccepted": tuple(sorted(loaded.unaccepted)),
            **facts,
        }

    def _hold(self, loaded: LoadedPlugin) -> Hold:
        """What says of each tool of a plugin why it must not run: the lock, and whose its toolset is."""
        locked = None
        if self._lock is not None:
            from hermes_core.plugins.lock.quarantine import holder

            locked = holder(self._lock, loaded.candidate, loaded.placed)

        def hold(tool: Tool) -> tuple[str, str] | None:
            reason = locked(tool) if locked is not None else None
            if reason is None and (reason := self._owners.refusal(loaded.candidate, tool.toolset)):
                loaded.unaccepted.add(tool.name)
            return reason

        return hold

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

    def activate(self, name: str, tool: str | None = None, *, commands: bool = False) -> LoadedPlugin | None:
        """Import a plugin that stands there by its manifest alone; None when there is no such plugin.

        For one tool only the module that declares it is imported, where the manifest names that module. For its
        commands a plugin is asked when they are needed: most calls need no command line.
        """
        loaded = self._by_name.get(name)
        if loaded is None:  # it was turned off, or is of no use: its record says so
            return next((noted for noted in self._loaded if noted.candidate.name == name), None)
        with loaded.lock:
            if self._waits(loaded) and (tool is None or not self._import_tool(loaded, tool)):
                self._import(loaded, [], commands=commands)
        return loaded

    def _waits(self, loaded: LoadedPlugin) -> bool:
        """Whether a plugin was not imported yet, and may be."""
        return not loaded.facts.get("imported") and loaded.facts.get("status") != "failed"

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
            by_source = {each["source"]: each for each in entries if "source" in each}
            tool = load_tool(loaded.candidate, entry["source"], by_source)
        except PluginError:
            return False
        said = {key: value for key, value in entry.items() if key != "source"}
        if describe_tool(tool) != said or name not in loaded.placed.tools:
            return False
        self._place.put_tool(loaded.candidate.name, tool, loaded.placed, self._hold(loaded))
        return True

    def start(self, context: PluginContext) -> None:
        """Import the plugins that implement a call hook, and make those that are made for each host.

        Raises:
            HermesError: what a factory raised; then the host must not run any call.
        """
        self.activate_hooks()
        self._context = context
        self._make(self._factories)

    def _make(self, names: Iterable[str]) -> None:
        """Let factories make their plugins, once the host is there: from now on their hooks are called."""
        if self._context is None:
            return
        for name in tuple(names):
            made = self._factories[name].hermes_factory(self._context)
            self._plugins.now.remove(name)
            self._plugins.now.accept(made, name)
            del self._factories[name]

    def activate_hooks(self, hook: str | None = None) -> None:
        """Import the plugins that implement a call hook, or a certain one: from now on they are asked."""
        waiting = []
        for loaded in self._by_name.values():
            hooks = loaded.manifest.call_hooks if loaded.manifest is not None else ()
            if hooks and (hook is None or hook in hooks):
                waiting.append(loaded)
        self._import_ahead(waiting, self._settings.plugins_import_seconds)
        for loaded in waiting:
            self.activate(loaded.candidate.name)

    def activate_all(self, wanted: Sequence[str]) -> None:
        """Import plugins that stand there by their manifest alone, side by side."""
        from hermes_core.plugins.importing import LOAD_SECONDS

        known = [self._by_name[name] for name in wanted if name in self._by_name]
        self._import_ahead(known, LOAD_SECONDS, commands=True)
        for name in wanted:
            self.activate(name, commands=True)

    def drop(self, name: str) -> None:
        """Take a plugin out again, with everything that it has; its record stays."""
        loaded = self._by_name.pop(name, None)
        if loaded is not None:
            loaded.placed = self._place.put(name, Offer(), loaded.placed)
            self._factories.pop(name, None)
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
        loaded = self.activate(plugin, commands=True)
        found = self._commands(loaded).get(name) if loaded else None
        if found is None:
            record = loaded.record if loaded else None
            problems = " ".join(record.problems) if record else ""
            raise PluginError(
                problems or f"its command {name!r} is in its manifest, but not in its code.",
                plugin=plugin,
                remedy=(record.remedy if record else "") or _STALE,
            )
        return found

    def _commands(self, loaded: LoadedPlugin) -> Mapping[str, Command]:
        """Return the commands of a plugin's code, which is asked for them now if it was not before."""
        brought = loaded.brought
        if brought is None or brought.commands is not None:
            return (brought.commands if brought else None) or {}
        from hermes_core.plugins.importing import load_commands

        with loaded.lock:
            commands = load_commands(loaded.candidate, brought)
        loaded.brought = replace(brought, commands=commands)
        return commands

    def _import_ahead(self, plugins: Iterable[LoadedPlugin], seconds: float, *, commands: bool = False) -> None:
        """Import plugins side by side, before each gets its place. Ours are quick, and are imported one by one."""
        waiting = {
            each.candidate: commands or each.manifest is None
            for each in plugins
            if self._waits(each) and not names.is_ours(each.candidate)
        }
        if waiting:
            from hermes_core.plugins.importing import load_all

            self._ahead |= load_all(waiting, seconds)

    def _import(self, loaded: LoadedPlugin, problems: Problems, *, commands: bool = False) -> None:
        """Import a plugin, and let its code take the place of what its manifest said."""
        from hermes_core.plugins.importing import timed_load

        candidate = loaded.candidate
        result, seconds = (
            self._ahead.pop(candidate)
            if candidate in self._ahead
            else timed_load(candidate, commands=commands or loaded.manifest is None)
        )
        if not isinstance(result, PluginError):
            try:
                misfit = unfit(result.api, candidate.distribution or candidate.name)
                if misfit is not None:
                    raise PluginError(misfit[0], plugin=candidate.name, remedy=misfit[1])
                if candidate.origin not in (APPLICATION, sources.ONE_RUN):
                    self._plugins.now.installed.add(candidate.name)
                if hasattr(result.plugin, "hermes_factory"):
                    self._factories[candidate.name] = result.plugin
                self._plugins.now.accept(result.plugin, candidate.name)
            except PluginError as error:
                result = error
            except Exception as error:  # foreign code: an attribute may be a property that raises this time
                from hermes_core.plugins.explaining import explain

                result = explain(candidate, error)
        if isinstance(result, PluginError):
            self._fail(loaded, result, problems, seconds)
            return
        implemented = result.hooks
        problems += self._differences(loaded, result)
        if not implemented:
            problems.append(("it implements no hook, so it brings nothing.", _NO_HOOK))
        loaded.brought = result
        self._place_offer(
            loaded,
            offer_of_code(result, loaded.manifest),
            problems,
            imported=True,
            seconds=seconds,
            hooks=implemented,
            notes=tuple(getattr(result.plugin, "unsupported", ())),
        )
        if lost := [hook for hook in loaded.policy_hooks if hook not in implemented]:
            self._deny_without(loaded, f"its manifest names {' and '.join(lost)}, and its code does not implement it")
        self._make([candidate.name] if candidate.name in self._factories else ())

    def _differences(self, loaded: LoadedPlugin, brought: Contribution) -> Problems:
        """Where a plugin's manifest says something else than its code."""
        if loaded.manifest is None:
            return []
        from hermes_core.plugins.manifest_making import differences, make_manifest

        made = make_manifest(loaded.candidate.name, brought)
        stale = differences(loaded.manifest, made, commands=brought.commands is not None)
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
        self._deny_without(loaded, error.reason)


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
