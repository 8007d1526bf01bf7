"""Loads plugins into a host: what can be registered beside the others is, the rest is refused and reported.

A plugin with a manifest is registered from it and imported when it is needed; the others are imported at once.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import hermes_schemas
from hermes_core.errors import PluginError, ToolDefinitionError, did_you_mean
from hermes_core.plugins.api import find_misfit
from hermes_core.plugins.candidate import APPLICATION, ONE_RUN, Candidate, HeldBack
from hermes_core.plugins.registration import Hold, Make, Offer, RefuseToolset, Registered, Registrar
from hermes_core.plugins.report import PluginRecord

if TYPE_CHECKING:
    from click import Command

    from hermes_core.config.settings import Settings
    from hermes_core.plugin_context import PluginContext
    from hermes_core.plugins.contribution import Contribution
    from hermes_core.plugins.discovery import Discovery
    from hermes_core.plugins.importing import Loaded
    from hermes_core.plugins.lazy import LazyPlugins
    from hermes_core.plugins.lock import Lock
    from hermes_core.plugins.manifest import Manifest
    from hermes_core.tools.tool import Tool

STALE = "Tell its author to run 'hermes plugin manifest', or install another version."
_TAKEN = "Rename it, or disable one of the plugins that claim it."
_NO_HOOK = "Mark its functions with @hermes_core.hookimpl; tools, ported ones too, come by the hook hermes_tools."

Problems = list[tuple[str, str]]
"""What is wrong with a plugin, one sentence each, and what to do about it."""


class LoadedPlugin:
    """One plugin of a host.

    Attributes:
        record: What became of it, once that is `decided`.
        manifest: Its manifest, when it has one that can be used, and `offer` what it offers.
        policy_hooks: The hooks of its manifest that can keep a call from running.
        problems: What was found to be wrong before its code was imported.
        error: Why its code must not be imported.
        registered: What it has in the host.
        contribution: What its code gave; None before it was imported.
        lock: Held while it is imported.
    """

    def __init__(self, candidate: Candidate) -> None:
        self.candidate = candidate
        self.manifest: Manifest | None = None
        self.decided = False
        self.record = self._record()
        self.offer: Offer | None = None
        self.policy_hooks: tuple[str, ...] = ()
        self.problems: Problems = []
        self.error: PluginError | None = None
        self.registered = Registered()
        self.contribution: Contribution | None = None
        self.lock = threading.Lock()

    def decide(self, problems: Problems = [], **facts: Any) -> None:  # noqa: B006 - it is only read
        """Write down what became of the plugin. A remedy that helps against several problems is said once."""
        if problems:
            facts["problems"] = tuple(problem for problem, _ in problems)
            facts["remedy"] = " ".join(dict.fromkeys(remedy for _, remedy in problems if remedy))
        self.record = self._record(**facts)
        self.decided = True

    def _record(self, **facts: Any) -> PluginRecord:
        known = self.candidate
        return PluginRecord(
            name=known.name,
            origin=known.origin,
            distribution=known.distribution,
            version=known.version,
            manifest=self.manifest.file if self.manifest is not None else None,
            **facts,
        )

    def read_manifest(self, lazy: Callable[[str, str], Make]) -> None:
        """Find out what the manifest offers, and whether the plugin fits this version of the API."""
        candidate = self.candidate
        try:
            manifest = candidate.manifest() if candidate.manifest is not None else None
        except PluginError as error:
            self.problems.append((error.reason, error.remedy or ""))
            manifest = None
        misfit = find_misfit(manifest.api if manifest else candidate.api, candidate.distribution or candidate.name)
        if misfit is not None:
            self.error = PluginError(misfit[0], plugin=candidate.name, remedy=misfit[1])
        if manifest is None:
            return
        self.policy_hooks = manifest.policy_hooks
        try:
            self.offer = manifest.offer(lazy)
            self.manifest = manifest
        except ToolDefinitionError as error:
            from hermes_core.plugins.manifest import MANIFEST_REMEDY

            self.problems.append((f"its manifest {manifest.file} cannot be used: {error}", MANIFEST_REMEDY))

    def must_import(self, *, only_looking: bool) -> bool:
        """Whether the code is needed before there is a call."""
        if self.decided or self.error is not None:
            return False
        return self.manifest is None or bool(self.manifest.call_hooks and not only_looking)

    def is_waiting(self) -> bool:
        """Whether the code was not imported yet, and may be."""
        return not self.record.imported and self.record.status != "failed"


class Loader:
    """Loads plugins for one host, by the user's settings, and keeps the record of each."""

    def __init__(
        self, settings: Settings, *, home: str, plugins: LazyPlugins, place: Registrar, lock: Lock | None = None
    ) -> None:
        self._settings = settings
        self._lock = lock
        self._home = home
        self._plugins = plugins
        self._registrar = place
        self._only_looking = False
        self._ahead: dict[Candidate, Loaded] = {}
        self._loaded: list[LoadedPlugin] = []
        self._by_name: dict[str, LoadedPlugin] = {}
        self._factories: dict[str, Any] = {}
        self._context: PluginContext | None = None

    @cached_property
    def _discovery(self) -> Discovery:
        """The rules for plugins that the application does not bring itself."""
        from hermes_core.plugins.discovery import Discovery

        return Discovery(self._settings, self._home, self._registrar.catalog.get, self._lock)

    @property
    def records(self) -> list[PluginRecord]:
        """What became of each plugin so far."""
        failures = self._plugins.now.failures if self._plugins.made else {}
        return [each.record.with_failures(failures) for each in self._loaded]

    def names(self) -> tuple[str, ...]:
        """Return the plugins that have something in the host."""
        return tuple(self._by_name)

    # -- loading ---------------------------------------------------------------------------------------------

    def load_installed(
        self, *, only_looking: bool = False, imports: bool = True, replaced: Collection[str] = ()
    ) -> None:
        """Load everything that is installed, and that the user or the application did not turn off or replace.

        With `only_looking`, plugins with call hooks wait, too, until `activate_hooks` is called. Without `imports`,
        plugins that have no manifest are left out.
        """
        self._only_looking = only_looking
        prepared = [self._prepare(candidate) for candidate in self._discovery.find(replaced)]
        if not imports:
            prepared = [each for each in prepared if each.manifest is not None or each.decided]
        self._import_ahead(
            [each for each in prepared if each.must_import(only_looking=only_looking)],
            self._settings.plugins_import_seconds,
        )
        for each in prepared:
            self._settle(each)
        for each in prepared:
            if each.candidate in self._discovery.refused:
                self._list_refused(each)
        for missing, problem in self._discovery.find_missing({each.candidate for each in self._loaded}):
            loaded = LoadedPlugin(missing)
            loaded.decide([problem], status="failed")
            self._note(loaded)

    def load(self, candidate: Candidate) -> LoadedPlugin:
        """Load one plugin, and note what became of it."""
        return self._settle(self._prepare(candidate))

    def drop(self, name: str) -> None:
        """Take a plugin out again, with everything that it has; its record stays."""
        loaded = self._by_name.pop(name, None)
        if loaded is not None:
            loaded.registered = self._registrar.put(name, Offer(), loaded.registered)
            self._factories.pop(name, None)
            self._plugins.now.remove(name)

    def _prepare(self, candidate: Candidate) -> LoadedPlugin:
        """Find out what can be known of a plugin without running its code."""
        loaded = LoadedPlugin(candidate)
        is_refused = False
        if candidate.name == APPLICATION:
            reason = f"no plugin can be called {APPLICATION!r}: that is where the program's own tools come from."
            loaded.decide([(reason, "Give it another name.")], status="failed")
        elif candidate.origin != APPLICATION:
            is_refused = candidate in self._discovery.refused
            self._discovery.judge(loaded)
        if not loaded.decided or is_refused:
            loaded.read_manifest(functools.partial(self._provider, loaded))
        return loaded

    def _settle(self, loaded: LoadedPlugin) -> LoadedPlugin:
        """Register a plugin, or note why that cannot be."""
        candidate = loaded.candidate
        holder = self._by_name.get(candidate.name)
        if not loaded.decided and holder is not None:
            from hermes_core.plugins.names import describe_source

            problem = f"a plugin of this name is there already (from {describe_source(holder.candidate)})."
            loaded.decide([(problem, "Rename one of them, or uninstall one.")], status="failed")
        if loaded.decided:
            return self._note(loaded)
        imports = loaded.must_import(only_looking=self._only_looking)
        self._loaded.append(loaded)
        self._by_name[candidate.name] = loaded
        if loaded.error is not None:
            if loaded.offer is not None:  # what it promised is listed, and says why it cannot be had
                self._register(loaded, loaded.offer, [], quietly=True)
            self._fail(loaded, loaded.error, [], 0.0)
            return loaded
        if loaded.manifest is not None and loaded.offer is not None:
            hooks = tuple(loaded.manifest.hooks)
            self._register(loaded, loaded.offer, loaded.problems, quietly=imports, hooks=hooks)
            loaded.problems = []  # the code is looked at anew
        if imports:
            self._import(loaded, loaded.problems)
        return loaded

    def _note(self, loaded: LoadedPlugin) -> LoadedPlugin:
        self._loaded.append(loaded)
        if loaded.record.status == "failed":
            warn("Plugin %r: %s", loaded.candidate.name, " ".join(loaded.record.problems))
        return loaded

    def _list_refused(self, loaded: LoadedPlugin) -> None:
        """List the tools of a plugin that did not get its name, so that each can say why it cannot be had."""
        refused = self._discovery.refused[loaded.candidate]
        if loaded.offer is not None and not refused.decided:
            reason = f"its plugin is not loaded: {refused.reason.rstrip('.')}"
            tools = tuple(tool.but(blocked=(reason, refused.remedy)) for tool in loaded.offer.tools)
            loaded.registered = self._registrar.put(loaded.candidate.name, Offer(tools=tools))
        if refused.ambiguous:
            self._deny_without(loaded, refused.reason)

    def _deny_without(self, loaded: LoadedPlugin, reason: str) -> None:
        """Deny every call from now on, if a plugin that cannot be used holds a policy or is required."""
        if loaded.candidate.origin == APPLICATION or loaded.record.denies:
            return
        from hermes_core.plugins.policy_plugins import HOW_TO_GO_ON, deny_without

        if deny_without(loaded, reason, self._settings.plugins_required, self._plugins.now):
            remedy = " ".join(filter(None, (loaded.record.remedy, HOW_TO_GO_ON)))
            loaded.record = loaded.record._replace(denies=True, remedy=remedy)

    # -- registering -----------------------------------------------------------------------------------------

    def _register(
        self, loaded: LoadedPlugin, offer: Offer, problems: Problems, *, quietly: bool = False, **facts: Any
    ) -> None:
        """Register what a plugin offers; what cannot be is reported."""
        name = loaded.candidate.name
        hold, refuse = self._rules(loaded)
        registered = self._registrar.put(name, offer, loaded.registered, hold, refuse)
        loaded.registered = registered
        quarantined = sorted(tool for tool, held in registered.held.items() if held.quarantined)
        unaccepted = sorted(tool for tool, held in registered.held.items() if not held.quarantined)
        if quarantined:
            tools = ", ".join(map(repr, quarantined))
            problem = f"hermes.lock does not know {tools} as it is now: quarantined."
            problems.append((problem, "See 'hermes lock diff', then 'hermes lock accept NAME'."))
        for tool in unaccepted:
            held = registered.held[tool]
            problems.append((f"tool {tool!r} is held back: {held.reason}.", held.remedy))
        problems += [(problem, _TAKEN) for problem in registered.problems]
        for problem, _ in problems if not quietly else ():
            warn("Plugin %s: %s", name, problem)
        loaded.decide(
            problems,
            status="partial" if problems else "loaded",
            tools=tuple(sorted(registered.tools)),
            quarantined=tuple(quarantined),
            unaccepted=tuple(unaccepted),
            **facts,
        )

    def _rules(self, loaded: LoadedPlugin) -> tuple[Hold | None, RefuseToolset | None]:
        """Return what holds back tools of a plugin, and what refuses its toolsets; nothing for the application's."""
        if loaded.candidate.origin == APPLICATION:
            return None, None
        rules = self._discovery
        before = dict(loaded.registered.tools)

        def hold(tool: Tool) -> HeldBack | None:
            return rules.hold(loaded.candidate, tool, before.get(tool.name))

        return hold, functools.partial(rules.owners.refuse, loaded.candidate)

    def _provider(self, loaded: LoadedPlugin, point: str, name: str) -> Make:
        """Return what makes a provider of a plugin that is not imported yet."""

        def make() -> object:
            self.activate(loaded.candidate.name)
            made = loaded.contribution.providers.get(point, {}) if loaded.contribution else {}
            if name not in made:
                why = next(reversed(loaded.record.problems), "it is not in its code.")
                raise _missing(loaded, f"it has no provider {name!r} for {point!r}: {why}")
            return made[name]()

        return make

    # -- importing -------------------------------------------------------------------------------------------

    def activate(self, name: str, tool: str | None = None, *, commands: bool = False) -> LoadedPlugin | None:
        """Import a plugin that is registered by its manifest alone; None when there is no such plugin.

        For one tool only the module that declares it is imported, where the manifest names that module. A plugin is
        asked for its commands when they are needed: most calls need no command line.
        """
        loaded = self._by_name.get(name)
        if loaded is None:  # it was turned off, or is of no use: its record says so
            return next((noted for noted in self._loaded if noted.candidate.name == name), None)
        with loaded.lock:
            if loaded.is_waiting() and (tool is None or not self._import_tool(loaded, tool)):
                self._import(loaded, [], commands=commands)
        return loaded

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
        """Import plugins that are registered by their manifest alone, side by side."""
        from hermes_core.thread_effort import IMPORT_SECONDS

        known = [self._by_name[name] for name in wanted if name in self._by_name]
        self._import_ahead(known, IMPORT_SECONDS, commands=True)
        for name in wanted:
            self.activate(name, commands=True)

    def start(self, context: PluginContext) -> None:
        """Import the plugins that implement a call hook, and make those that are made for each host.

        Raises:
            HermesError: what a factory raised; then the host must not run any call.
        """
        self.activate_hooks()
        self._context = context
        self._make(self._factories)

    def command(self, name: str) -> Any:
        """Return the command of a plugin, which is imported for it.

        Raises:
            PluginError: the plugin cannot be imported, or has no such command.
        """
        commands = self._registrar.commands
        if name not in commands:
            near = did_you_mean(hermes_schemas.nearest(name, commands))
            raise PluginError(f"none has a command {name!r}.{near}", remedy="See 'hermes --help'.")
        loaded = self._by_name[commands[name][0]]
        self.activate(loaded.candidate.name, commands=True)
        found = self._commands(loaded).get(name)
        if found is None:
            why = " ".join(loaded.record.problems) or f"its command {name!r} is in its manifest, but not in its code."
            raise _missing(loaded, why)
        return found

    def _commands(self, loaded: LoadedPlugin) -> Mapping[str, Command]:
        """Return the commands of a plugin's code, which is asked for them now if it was not before."""
        code = loaded.contribution
        if code is not None and code.commands is None:
            from hermes_core.plugins.importing import load_commands

            with loaded.lock:
                code.commands = load_commands(loaded.candidate, code)
        return (code.commands if code else None) or {}

    def _make(self, names: Iterable[str]) -> None:
        """Let factories make their plugins, once the host is there: from now on their hooks are called."""
        if self._context is None:
            return
        for name in tuple(names):
            made = self._factories[name].hermes_factory(self._context)
            self._plugins.now.remove(name)
            self._plugins.now.accept(made, name)
            del self._factories[name]

    def _import_tool(self, loaded: LoadedPlugin, name: str) -> bool:
        """Import one tool by its manifest entry; False when the whole plugin must be imported to know what is wrong."""
        manifest = loaded.manifest
        entries = manifest.tools if manifest is not None else ()
        entry = next((entry for entry in entries if entry["name"] == name), {})
        package = entry.get("source", "").partition(".")[0]
        if manifest is None or not package or package not in manifest.file.split(os.sep):
            return False
        from hermes_core.plugins.generated_manifest import describe_tool
        from hermes_core.plugins.importing import load_tool

        try:
            by_source = {each["source"]: each for each in entries if "source" in each}
            tool = load_tool(loaded.candidate, entry["source"], by_source)
        except PluginError:
            return False
        said = {key: value for key, value in entry.items() if key != "source"}
        if describe_tool(tool) != said or name not in loaded.registered.tools:
            return False
        self._registrar.put_tool(loaded.candidate.name, tool, loaded.registered, self._rules(loaded)[0])
        return True

    def _import_ahead(self, plugins: Iterable[LoadedPlugin], seconds: float, *, commands: bool = False) -> None:
        """Import plugins side by side, before each is registered. Ours are quick, and are imported one by one."""
        foreign = {
            each.candidate: commands or each.manifest is None
            for each in plugins
            if each.is_waiting() and not self._discovery.is_ours(each.candidate)
        }
        if foreign:
            from hermes_core.plugins.importing import load_all

            self._ahead |= load_all(foreign, seconds)

    def _import(self, loaded: LoadedPlugin, problems: Problems, *, commands: bool = False) -> None:
        """Import a plugin, and register what its code offers in the place of what its manifest offered."""
        candidate = loaded.candidate
        if candidate in self._ahead:
            result, seconds = self._ahead.pop(candidate)
        else:
            result, seconds = _load(candidate, commands=commands or loaded.manifest is None)
        if not isinstance(result, PluginError):
            try:
                self._accept(candidate, result)
            except PluginError as error:
                result = error
            except Exception as error:  # foreign code: an attribute may be a property that raises this time
                from hermes_core.plugins.explaining import explain

                result = explain(candidate, error)
        if isinstance(result, PluginError):
            self._fail(loaded, result, problems, seconds)
            return
        if loaded.manifest is not None:
            from hermes_core.plugins.generated_manifest import differences, make_manifest

            made = make_manifest(candidate.name, result)
            if stale := differences(loaded.manifest, made, commands=result.commands is not None):
                problems.append((f"its manifest {loaded.manifest.file} is stale: {' '.join(stale)}", STALE))
        if not result.hooks:
            problems.append(("it implements no hook, so it brings nothing.", _NO_HOOK))
        if result.commands is None and loaded.offer is not None:
            result.help_lines = loaded.offer.help_lines
        loaded.contribution = result
        notes = tuple(getattr(result.plugin, "unsupported", ()))
        self._register(loaded, result, problems, imported=True, seconds=seconds, hooks=result.hooks, notes=notes)
        if lost := [hook for hook in loaded.policy_hooks if hook not in result.hooks]:
            self._deny_without(loaded, f"its manifest names {' and '.join(lost)}, and its code does not implement it")
        self._make([candidate.name] if candidate.name in self._factories else ())

    def _accept(self, candidate: Candidate, contribution: Contribution) -> None:
        """Add a plugin to those whose hooks are called."""
        misfit = find_misfit(contribution.api, candidate.distribution or candidate.name)
        if misfit is not None:
            raise PluginError(misfit[0], plugin=candidate.name, remedy=misfit[1])
        if candidate.origin not in (APPLICATION, ONE_RUN):
            self._plugins.now.installed.add(candidate.name)
        if hasattr(contribution.plugin, "hermes_factory"):
            self._factories[candidate.name] = contribution.plugin
        self._plugins.now.accept(contribution.plugin, candidate.name)

    def _fail(self, loaded: LoadedPlugin, error: PluginError, problems: Problems, seconds: float) -> None:
        """Report what is wrong with a plugin; the tools that its manifest promised say so, too."""
        name = loaded.candidate.name
        warn("%s", error, cause=error.__cause__)
        reason = f"its plugin {name!r} cannot be loaded: {error.reason.rstrip('.')}"
        self._registrar.block(loaded.registered, reason, error.remedy or "")
        if loaded.registered.is_empty():  # it has nothing in the host: another plugin may have the name
            self._by_name.pop(name, None)
        problems.append((error.reason, error.remedy or ""))
        loaded.decide(problems, status="failed", seconds=seconds)
        self._deny_without(loaded, error.reason)


def _load(candidate: Candidate, *, commands: bool) -> Loaded:
    """Import a plugin in a thread of its own; the application's code runs in this program anyway."""
    if candidate.origin == APPLICATION:
        from hermes_core.plugins.contribution import timed_collect

        return timed_collect(candidate, commands=commands)
    from hermes_core.plugins.importing import timed_load

    return timed_load(candidate, commands=commands)


def _missing(loaded: LoadedPlugin, reason: str) -> PluginError:
    return PluginError(reason, plugin=loaded.candidate.name, remedy=loaded.record.remedy or STALE)


def warn(message: str, *values: object, cause: BaseException | None = None) -> None:
    """Log a warning; most runs have nothing to warn of."""
    from hermes_core.logs import log

    log.warning(message, *values, exc_info=cause)
