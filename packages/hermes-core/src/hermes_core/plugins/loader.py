"""Loads plugins into a host: conflicting parts are rejected and reported.

A plugin with a manifest is registered from it and imported when it is needed; others are imported immediately.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from hermes_core.errors import ConfigError, HermesError, PluginError, did_you_mean
from hermes_core.plugins.api_version import find_misfit
from hermes_core.plugins.plugin_records import APPLICATION, ONE_RUN, Candidate, PluginRecord
from hermes_core.plugins.registration import Offer, Registered, Registrar

if TYPE_CHECKING:
    from hermes_core.config.core_settings import Settings
    from hermes_core.plugin_context import PluginContext
    from hermes_core.plugins.contributions import Contribution
    from hermes_core.plugins.installed_plugins import InstalledPlugins
    from hermes_core.plugins.lazy_parts import LazyPlugins
    from hermes_core.plugins.lock import Lock
    from hermes_core.plugins.manifest import Manifest

STALE = "Tell its author to run 'hermes plugin manifest', or install another version."
_TAKEN = "Rename it, or disable one of the plugins that claim it."
_NO_HOOK = "Mark its functions with @hermes_core.hookimpl. Return tools from the hook hermes_tools."

Result = TypeVar("Result")
Problems = list[tuple[str, str]]
"""Problems of a plugin, one sentence each, with their remedies."""


class LoadedPlugin:
    """One plugin of a host, with its record; the record is final once the plugin is `decided`."""

    def __init__(self, candidate: Candidate) -> None:
        self.candidate = candidate
        self.manifest: Manifest | None = None
        self.offer: Offer | None = None
        self.policy_hooks: tuple[str, ...] = ()  # the hooks of its manifest that can deny calls
        self.problems: Problems = []  # found before its code was imported
        self.error: PluginError | None = None  # why its code must not be imported
        self.registered = Registered()
        self.contribution: Contribution | None = None
        """None before its code is imported"""
        self.lock = threading.Lock()  # held during the import
        self.decided = False
        self.record = self._record()

    def decide(self, problems: Problems = [], **facts: Any) -> None:  # noqa: B006 - it is only read
        """Write the record of the plugin. A remedy for several problems is given once."""
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

    def must_import(self, *, only_looking: bool) -> bool:
        """Return True if the code is needed before there is a call."""
        if self.decided or self.error is not None:
            return False
        return self.manifest is None or bool(self.manifest.call_hooks and not only_looking)

    def is_waiting(self) -> bool:
        """Return True if the code was not imported yet, and may be."""
        return not self.record.imported and self.record.status != "failed"

    def missing(self, reason: str) -> PluginError:
        """Return the error for something that is in the manifest, but not in the code."""
        return PluginError(reason, plugin=self.candidate.name, remedy=self.record.remedy or STALE)


class Loader:
    """Loads plugins for one host, and stores the record of each."""

    def __init__(
        self, settings: Settings, *, home: str, plugins: LazyPlugins, registrar: Registrar, lock: Lock | None = None
    ) -> None:
        self._settings = settings
        self._lock = lock
        self._home = home
        self._plugins = plugins
        self._registrar = registrar
        self._only_looking = False
        self._loaded: list[LoadedPlugin] = []
        self._by_name: dict[str, LoadedPlugin] = {}
        self._factories: dict[str, Any] = {}
        self._context: PluginContext | None = None

    @cached_property
    def _installed(self) -> InstalledPlugins:
        from hermes_core.plugins.installed_plugins import InstalledPlugins

        return InstalledPlugins(self._settings, self._home, self._lock, self._registrar, self.activate)

    @property
    def records(self) -> list[PluginRecord]:
        """The records of all plugins so far."""
        failures = self._plugins.now.failures if self._plugins.made else {}
        return [each.record.with_failures(failures) for each in self._loaded]

    def names(self) -> tuple[str, ...]:
        """Return the plugins that have registered something in the host."""
        return tuple(self._by_name)

    def load_installed(
        self, *, only_looking: bool = False, imports: bool = True, replaced: Collection[str] = ()
    ) -> None:
        """Load all installed plugins that are enabled and not replaced by the application.

        With `only_looking`, plugins with call hooks also wait until `activate_hooks` is called. Without `imports`,
        plugins without a manifest are omitted.
        """
        self._only_looking = only_looking
        installed = self._installed
        prepared = [self._prepare(candidate) for candidate in installed.find(replaced)]
        if not imports:
            prepared = [each for each in prepared if each.manifest is not None or each.decided]
        at_once = [each for each in prepared if each.must_import(only_looking=only_looking)]
        installed.import_ahead(at_once, self._settings.plugins_import_seconds)
        for each in prepared:
            self._settle(each)
        for each in prepared:
            if refusal := installed.refused.get(each.candidate):
                installed.list_refused(each, refusal)
        for missing, problem in installed.find_missing({each.candidate for each in self._loaded}):
            loaded = LoadedPlugin(missing)
            loaded.decide([problem], status="failed")
            self._note(loaded)

    def load(self, candidate: Candidate) -> LoadedPlugin:
        """Load one plugin, and write its record."""
        return self._settle(self._prepare(candidate))

    def add(self, candidate: Candidate) -> PluginRecord:
        """Load a plugin of the application completely or not at all. Raises `HermesError` if a part of it fails."""
        loaded = self._prepare(candidate)
        try:
            record = self._settle(loaded).record
            if record.status != "loaded":
                raise PluginError(" ".join(record.problems), plugin=candidate.name, remedy=record.remedy)
        except HermesError:
            if loaded.record.status == "loaded":  # until its factory failed
                self._loaded.remove(loaded)
            self._registrar.put(candidate.name, Offer(), loaded.registered)
            if self._by_name.get(candidate.name) is loaded:  # and not another plugin of that name
                del self._by_name[candidate.name]
                self._factories.pop(candidate.name, None)
                self._plugins.now.remove(candidate.name)
            raise
        return record

    def _prepare(self, candidate: Candidate) -> LoadedPlugin:
        loaded = LoadedPlugin(candidate)
        if candidate.origin != APPLICATION:
            self._installed.judge(loaded)
            if not loaded.decided or candidate in self._installed.refused:
                self._installed.read_manifest(loaded)
        if not loaded.decided and candidate.name == APPLICATION:
            reason = f"the name {APPLICATION!r} is reserved for the program's own tools."
            loaded.decide([(reason, "Give it another name.")], status="failed")
        return loaded

    def _settle(self, loaded: LoadedPlugin) -> LoadedPlugin:
        """Register a plugin, or record why that is impossible."""
        candidate = loaded.candidate
        holder = self._by_name.get(candidate.name)
        if not loaded.decided and holder is not None:
            from hermes_core.plugins.name_ownership import describe_source

            problem = f"another plugin already has this name: {describe_source(holder.candidate)}."
            loaded.decide([(problem, "Rename one of them, or uninstall one.")], status="failed")
        if loaded.decided:
            self._note(loaded)
            # The user does not mean another distribution that claims the name of a loaded plugin.
            if loaded.record.status == "failed" and (holder is None or candidate.distribution is None):
                self._deny_without(loaded, " ".join(filter(None, (*loaded.record.problems, loaded.record.remedy))))
            return loaded
        imports = loaded.must_import(only_looking=self._only_looking)
        self._loaded.append(loaded)
        self._by_name[candidate.name] = loaded
        if loaded.error is not None:
            if loaded.offer is not None:  # its tools are listed as unavailable, with the reason
                self._register(loaded, loaded.offer, [], quietly=True)
            self._fail(loaded, loaded.error, [], 0.0)
            return loaded
        if loaded.manifest is not None and loaded.offer is not None:
            hooks = tuple(loaded.manifest.hooks)
            self._register(loaded, loaded.offer, loaded.problems, quietly=imports, hooks=hooks)
            loaded.problems = []  # the code is checked again
        if imports:
            self._import(loaded, loaded.problems)
        return loaded

    def _note(self, loaded: LoadedPlugin) -> None:
        self._loaded.append(loaded)
        if loaded.record.status == "failed":
            warn("Plugin %r: %s", loaded.candidate.name, " ".join(loaded.record.problems))

    def _register(
        self, loaded: LoadedPlugin, offer: Offer, problems: Problems, *, quietly: bool = False, **facts: Any
    ) -> None:
        name, is_own = loaded.candidate.name, loaded.candidate.origin == APPLICATION
        hold, refuse = (None, None) if is_own else self._installed.rules(loaded)
        registered = loaded.registered = self._registrar.put(name, offer, loaded.registered, hold, refuse)
        held = sorted(registered.held.items())
        quarantined = tuple(tool for tool, why in held if why.quarantined)
        if quarantined:
            problem = f"hermes.lock does not know {', '.join(map(repr, quarantined))} in this form: quarantined."
            problems.append((problem, "Run 'hermes lock diff', then 'hermes lock accept NAME'."))
        unaccepted = {tool: why for tool, why in held if not why.quarantined}
        problems += [(f"tool {tool!r} is held back: {why.reason}.", why.remedy) for tool, why in unaccepted.items()]
        problems += [(problem, _TAKEN) for problem in registered.problems]
        for problem, _ in problems if not quietly else ():
            warn("Plugin %s: %s", name, problem)
        loaded.decide(
            problems,
            status="partial" if problems else "loaded",
            tools=tuple(sorted(registered.tools)),
            quarantined=quarantined,
            unaccepted=tuple(unaccepted),
            **facts,
        )

    def _deny_without(self, loaded: LoadedPlugin, reason: str) -> None:
        """Deny all calls from now on, if a plugin that cannot be used holds a policy or is required."""
        if loaded.candidate.origin != APPLICATION:
            from hermes_core.plugins.policy_plugins import deny_without

            deny_without(loaded, reason, self._settings.plugins_required, self._plugins.now)

    def activate(self, name: str, tool: str | None = None, *, commands: bool = False) -> LoadedPlugin | None:
        """Import a plugin that is only known from its manifest; return None if there is no such plugin.

        For one tool, only the module that declares it is imported, if the manifest names that module. Commands are
        collected only when they are needed, because most calls need no command line.
        """
        loaded = self._by_name.get(name)
        if loaded is None:  # it is disabled or failed, as its record explains
            return next((noted for noted in self._loaded if noted.candidate.name == name), None)
        with loaded.lock:
            if loaded.is_waiting() and (tool is None or not self._installed.import_tool(loaded, tool)):
                self._import(loaded, [], commands=commands)
        return loaded

    def activate_hooks(self, hook: str | None = None) -> None:
        """Import the plugins that implement a call hook, or a particular one."""
        waiting = []
        for loaded in self._by_name.values():
            hooks = loaded.manifest.call_hooks if loaded.manifest is not None else ()
            if hooks and loaded.is_waiting() and (hook is None or hook in hooks):
                waiting.append(loaded)
        if waiting:
            self._installed.import_ahead(waiting, self._settings.plugins_import_seconds)
        for loaded in waiting:
            self.activate(loaded.candidate.name)

    def activate_all(self, wanted: Sequence[str]) -> None:
        """Import plugins that are only known from their manifest, in parallel."""
        waiting = [self._by_name[name] for name in wanted if name in self._by_name and self._by_name[name].is_waiting()]
        if waiting:
            self._installed.import_ahead(waiting, commands=True)
        for loaded in waiting:
            self.activate(loaded.candidate.name, commands=True)

    def start(self, context: PluginContext) -> None:
        """Import the plugins that implement a call hook, and create those with a factory, which may raise."""
        self.activate_hooks()
        self._context = context
        self._make(self._factories)

    def command(self, name: str) -> Any:
        """Import the plugin of a command and return the command. Raises `PluginError` if that fails."""
        commands = self._registrar.commands
        if name not in commands:
            from hermes_schemas import nearest

            raise PluginError(
                f"none has a command {name!r}.{did_you_mean(nearest(name, commands))}", remedy="See 'hermes --help'."
            )
        loaded = self._by_name[commands[name][0]]
        self.activate(loaded.candidate.name, commands=True)
        code = loaded.contribution
        if code is not None and code.commands is None:  # it was imported for a call
            from hermes_core.plugins.plugin_import import load_commands

            with loaded.lock:
                code.commands = load_commands(loaded.candidate, code)
        if code is None or code.commands is None or name not in code.commands:
            promised = f"its command {name!r} is in its manifest, but not in its code."
            raise loaded.missing(" ".join(loaded.record.problems) or promised)
        return code.commands[name]

    def _make(self, names: Iterable[str]) -> None:
        """Let factories create their plugins, once the host is ready."""
        if self._context is None:
            return
        from hermes_core.plugins.contributions import make_for_host

        for name in tuple(names):
            loaded, make = self._by_name[name], partial(make_for_host, self._factories[name], name, self._context)
            made, seconds = self._run(loaded.candidate, make)
            if isinstance(made, PluginError) and isinstance(made.__cause__, ConfigError):
                raise made.__cause__
            try:
                if isinstance(made, PluginError):
                    raise made
                self._plugins.now.remove(name)
                self._plugins.now.accept(made, name)
            except PluginError as error:
                if loaded.candidate.origin == APPLICATION:
                    raise
                self._plugins.now.remove(name)
                self._fail(loaded, error, [], seconds)
            del self._factories[name]

    def _run(self, candidate: Candidate, work: Callable[[], Result]) -> tuple[Result | PluginError, float]:
        """Run code of a plugin; that of the application runs in this thread."""
        if candidate.origin == APPLICATION:
            from hermes_core.plugins.contributions import run_here

            return run_here(candidate, work)
        from hermes_core.plugins.plugin_import import run_in_thread

        return run_in_thread(candidate, work)

    def _import(self, loaded: LoadedPlugin, problems: Problems, *, commands: bool = False) -> None:
        """Import a plugin, and replace what its manifest offered by what its code offers."""
        candidate = loaded.candidate
        commands = commands or loaded.manifest is None
        from hermes_core.plugins.contributions import collect

        ahead = self._installed.ahead.pop(candidate, None) if candidate.origin != APPLICATION else None
        result, seconds = ahead or self._run(candidate, partial(collect, candidate, commands=commands))
        try:
            if isinstance(result, PluginError):
                raise result
            self._accept(candidate, result)
        except PluginError as error:
            self._fail(loaded, error, problems, seconds)
            return
        except Exception as error:  # foreign code: an attribute may be a property that raises this time
            from hermes_core.plugins.import_errors import explain

            self._fail(loaded, explain(candidate, error), problems, seconds)
            return
        if loaded.manifest is not None:
            from hermes_core.plugins.generated_manifest import differences, make_manifest

            made = make_manifest(candidate.name, result)
            if stale := differences(loaded.manifest, made, commands=result.commands is not None):
                problems.append((f"its manifest {loaded.manifest.file} is stale: {' '.join(stale)}", STALE))
        if not result.hooks:
            problems.append(("it implements no hook, so it provides nothing.", _NO_HOOK))
        if result.commands is None and loaded.offer is not None:
            result.help_lines = loaded.offer.help_lines
        loaded.contribution = result
        notes = tuple(getattr(result.plugin, "unsupported", ()))
        self._register(loaded, result, problems, imported=True, seconds=seconds, hooks=result.hooks, notes=notes)
        if lost := [hook for hook in loaded.policy_hooks if hook not in result.hooks]:
            self._deny_without(loaded, f"its manifest names {' and '.join(lost)}, and its code does not implement it")
        self._make([candidate.name] if candidate.name in self._factories else ())

    def _accept(self, candidate: Candidate, contribution: Contribution) -> None:
        misfit = find_misfit(contribution.api, candidate.distribution or candidate.name)
        if misfit is not None:
            raise PluginError(misfit[0], plugin=candidate.name, remedy=misfit[1])
        if candidate.origin not in (APPLICATION, ONE_RUN):
            self._plugins.now.installed.add(candidate.name)
        self._plugins.now.accept(contribution.plugin, candidate.name)
        if hasattr(contribution.plugin, "hermes_factory"):
            self._factories[candidate.name] = contribution.plugin

    def _fail(self, loaded: LoadedPlugin, error: PluginError, problems: Problems, seconds: float) -> None:
        """Report a failed plugin, also as the reason why its tools are unavailable."""
        name = loaded.candidate.name
        warn("%s", error, cause=error.__cause__)
        reason = f"its plugin {name!r} cannot be loaded: {error.reason.rstrip('.')}"
        self._registrar.block(loaded.registered, reason, error.remedy or "")
        if loaded.registered.is_empty():  # it has registered nothing, so another plugin may use the name
            self._by_name.pop(name, None)
        problems.append((error.reason, error.remedy or ""))
        loaded.decide(problems, status="failed", seconds=seconds)
        self._deny_without(loaded, error.reason)


def warn(message: str, *values: object, cause: BaseException | None = None) -> None:
    """Log a warning; `logging` is imported for the first one."""
    from hermes_core.logs import log

    log.warning(message, *values, exc_info=cause)
