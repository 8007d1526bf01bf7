"""`Hermes`: the object that an application creates."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import hermes_schemas
from hermes_core.calls.caller import Caller
from hermes_core.calls.services import Providers, Services, missing_service
from hermes_core.calls.visibility import Visibility, checked_context_length
from hermes_core.config.core_settings import DEFAULT_APPROVAL_TIMEOUT, checked_seconds, core_settings
from hermes_core.config.home import home_folder
from hermes_core.config.tool_session import tool_session
from hermes_core.errors import PluginError, UnknownToolError
from hermes_core.plugins.lazy_parts import LazyConfig, LazyPlugins
from hermes_core.plugins.loader import Loader
from hermes_core.plugins.plugin_records import APPLICATION, Candidate
from hermes_core.plugins.registration import Registrar
from hermes_core.tools.registry import Registry, tools_of
from hermes_core.tools.requirements import Verdict, unavailable
from hermes_core.tools.toolset import Toolset, ToolsetCatalog

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_core.calls.dispatcher import Dispatcher
    from hermes_core.calls.session import Session
    from hermes_core.config.config import Config
    from hermes_core.plugin_context import PluginContext
    from hermes_core.plugins.lock import Lock
    from hermes_core.plugins.plugin_records import LoadReport, PluginRecord
    from hermes_core.tools.tool import Tool
    from hermes_core.tools.tool_spec import ToolSpec

TERMINAL = "terminal"


class Hermes(Caller):
    """Tools, toolsets, plugins and the pipeline that runs calls.

    `Hermes.load()` finds the installed plugins and reads the settings; `Hermes()` starts empty. Close it, or use it in
    a `with` or `async with` block, so that sessions end and resources are released.
    """

    def __init__(
        self,
        *,
        tools: Iterable[Tool] = (),
        toolsets: Iterable[Toolset] = (),
        plugins: Iterable[object] = (),
        services: Mapping[type | str, Any] | None = None,
        home: str | os.PathLike[str] | None = None,
        config: Mapping[str, Any] | Config | None = None,
        lock: Lock | None = None,
        approver: Any = None,
        parent: Hermes | None = None,
        environ: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> None:
        """Create a host. Tools, toolsets, plugins and services can also be added later.

        Args:
            tools: Tools to register.
            toolsets: Toolsets besides the built-in ones.
            plugins: Objects with hook implementations, as for `add_plugin`.
            services: Services for tools, by type.
            home: The directory for state; `$HERMES_HOME` by default.
            config: The contents of `config.yaml`, by section; everything has its default value by default.
            lock: The contents of `hermes.lock`: tools of installed plugins that differ from it are quarantined.
            approver: Decides about calls that need an approval: a function, sync or async, that gets an
                `ApprovalRequest` and returns True, False, `once`, `deny` or a `Decision`; with hermes-approval also
                `session` or `always`. Or `terminal`: the prompt that a plugin provides as `terminal_approver`.
            parent: The host that this one works for. This host may do nothing that the parent may not, and the parent's
                hooks judge and observe its calls.
            environ: The environment with the keys of tools; that of the process by default.
            timeout: The deadline in seconds of calls whose tool has none. It is exact, unlike the default of 300.
        """
        self._home = home_folder(home)
        settings = core_settings(config, self._home, environ)
        if timeout is not None:
            settings = settings._replace(timeout=checked_seconds(timeout))
        self._settings = settings
        self.registry = Registry()
        self.toolsets = ToolsetCatalog()
        self._environ: Mapping[str, str] = os.environ if environ is None else environ
        self._services = Services(services)
        self._providers = Providers()
        self._visibility = Visibility(self.registry, self.toolsets, environ)
        self._registrar = Registrar(self.registry, self.toolsets, self._providers.add)
        self._plugins = LazyPlugins()
        self._loader = Loader(settings, home=self._home, plugins=self._plugins, registrar=self._registrar, lock=lock)
        self._config = LazyConfig(self._home, config, environ, self._registrar)
        self._parent = parent
        self._is_loaded = False
        self._asks_at_terminal = approver == TERMINAL
        self._is_probe = False
        self._finalizer: weakref.finalize[Any, Any] | None = None
        self._closed = False
        if settings.toolsets:
            from hermes_core.startup import declare_toolsets

            declare_toolsets(self.toolsets, settings, self._home)
        self.toolsets.add(*toolsets)
        self.registry.register_all(tools)
        for plugin in plugins:
            self.add_plugin(plugin)
        if approver is not None and approver != TERMINAL:
            from hermes_core.approvers import ApplicationApprover

            self.add_plugin(ApplicationApprover(approver))

    @classmethod
    def load(
        cls,
        *,
        home: str | os.PathLike[str] | None = None,
        plugins: Iterable[object] = (),
        discover: bool = True,
        locked: bool = True,
        checked: bool = True,
        only_looking: bool = False,
        imports: bool = True,
        is_probe: bool = False,
        **options: Any,
    ) -> Self:
        """Create a host with the user's settings and all installed plugins. A broken plugin disables only itself.

        A plugin with a manifest is imported by the first call of one of its tools, or by `activate`.

        Args:
            home: The directory for settings and state; `$HERMES_HOME` by default.
            plugins: Objects with hook implementations, as for `add_plugin`.
            discover: Whether to look for installed plugins and single-file plugins.
            locked: Whether to apply `hermes.lock`, if there is one.
            checked: Whether to check all of `config.yaml`, including sections that are not used in this run.
            only_looking: Whether to delay the import of plugins that judge or observe calls until the first call.
            imports: Whether to import plugins without a manifest, which are omitted otherwise.
            is_probe: Whether calls only test the installation, so that plugins store nothing about them.
            **options: The options of `Hermes`. A `config` by section replaces only its sections of the user's settings;
                a `Config` replaces all of them.

        Raises:
            ConfigError: `config.yaml` or `hermes.lock` is invalid.
            PluginError: A plugin listed in `plugins.required` cannot be used.
        """
        from hermes_core.startup import lock_in_effect, read_user, remove_leftovers, require_plugins

        where = home_folder(home)
        remove_leftovers(where)
        written = read_user(where, options)
        inside = tool_session() is not None and not only_looking
        if inside or (locked and options.get("lock") is None):
            options["lock"] = lock_in_effect(where)
        host = cls(home=where, **options)
        host._is_loaded = True
        host._is_probe = is_probe
        host._config.written = written
        given = list(plugins)
        names = [getattr(each, "__name__", "") for each in given]
        if discover:
            made = [name for name, each in zip(names, given, strict=True) if hasattr(each, "hermes_factory")]
            host._loader.load_installed(only_looking=only_looking, imports=imports, replaced=() if inside else made)
        for name, plugin in zip(names, given, strict=True):
            # A program started by a tool cannot replace the user's plugins.
            if not inside or name not in host._loader.names():
                host.add_plugin(plugin)
        if checked and options.get("config") is written and written is not None:
            written.declare(host._registrar.sections())
            written.require_valid()
        if discover and not only_looking:
            require_plugins(host._settings, lambda: host.report)
        return host

    # -- parts created when needed ---------------------------------------------------------------------------

    @cached_property
    def home(self) -> Path:
        """The directory for settings and state."""
        from pathlib import Path

        return Path(self._home)

    @property
    def config(self) -> Config:
        """The settings, with the sections of all plugins."""
        return self._config.now

    @cached_property
    def _dispatcher(self) -> Dispatcher:
        """Runs calls; created for the first call, together with the plugins that judge it."""
        from hermes_core.calls.dispatcher import Dispatcher

        parent = self._parent._dispatcher if self._parent is not None else None
        context = self._plugin_context()
        self._loader.start(context)
        if self._asks_at_terminal:
            for approver in self._providers.of("terminal_approver").values():
                self.add_plugin(approver)
            self._asks_at_terminal = False
        if self._config.sources or self._settings.plugins_required:
            from hermes_core.startup import deny_without_reader, require_plugins

            deny_without_reader(self._config, self._plugins.now)
            require_plugins(self._settings, lambda: self.report)
        settings = self._settings
        if context.approval_timeout and settings.approval_timeout == DEFAULT_APPROVAL_TIMEOUT:
            settings = settings._replace(approval_timeout=context.approval_timeout)  # the user configured none
        dispatcher = Dispatcher(
            visibility=self._visibility,
            plugins=self._plugins.now,
            services=self._services,
            providers=self._providers,
            activate=self._loader.activate,
            config=self._config,
            settings=settings,
            home=self.home,
            environ=self._environ,
            parent=parent,
        )
        if self._closed:
            dispatcher.close()
        else:
            self._finalizer = weakref.finalize(self, _close_quietly, dispatcher)
        return dispatcher

    def _plugin_context(self) -> PluginContext:
        from hermes_core.plugin_context import PluginContext

        return PluginContext(
            home=self.home,
            environ=self._environ,
            parent=self._parent._plugin_context() if self._parent is not None else None,
            is_loaded=self._is_loaded,
            is_probe=self._is_probe,
            is_inside_tool=tool_session() is not None,
            _config=self._config,
            _registry=self.registry,
            _plugins=self._plugins,
        )

    # -- tools and definitions -------------------------------------------------------------------------------

    def definitions(
        self,
        enabled: Iterable[str] | None = None,
        disabled: Iterable[str] | None = None,
        context_length: int | None = None,
        *,
        format: str = "openai",
        everything: bool = False,
    ) -> list[dict[str, Any]]:
        """Return the definitions of the available tools, sorted by name.

        Plugins may omit some: with `hermes-search`, tools are hidden if the definitions are long.

        Args:
            enabled: Toolsets or single tools to include; None includes all, an empty list none.
            disabled: Toolsets or single tools to exclude; this takes precedence.
            context_length: The model's context window in tokens; None or 0 if it is unknown.
            format: `openai`, `anthropic`, `responses` or `mcp`.
            everything: Whether to hide nothing, for programs that pay for no tokens.

        Returns:
            A new list of new entries; the schemas inside are shared and must not be changed in place.
        """
        from hermes_core.tools.definitions import check_format

        check_format(format)
        scope = self._visibility.new_scope(enabled, disabled)
        context_length = checked_context_length(context_length)
        self._loader.activate_hooks("hermes_adjust_definitions")
        if self._plugins.made and self._plugins.now.implementations("hermes_adjust_definitions"):
            return self._dispatcher.definitions(
                scope, format=format, context_length=context_length, everything=everything
            )
        return self._visibility.definitions(scope, format)

    def definition(self, name: str, *, format: str = "openai") -> dict[str, Any]:
        """Return the definition of one tool, whether it is available or not.

        Raises:
            UnknownToolError: There is no tool of that name.
        """
        canonical = self._canonical(name)
        for definition in self.definitions(format=format, everything=True):
            if definition.get("function", definition)["name"] == canonical:
                return definition
        return self._visibility.tool_definitions.one(canonical, format)

    def tools(self, enabled: Iterable[str] | None = None, *, available: bool = True) -> tuple[ToolSpec, ...]:
        """Return the specifications of the tools in some toolsets, sorted by name."""
        if enabled is not None:
            enabled = (enabled,) if isinstance(enabled, str) else tuple(enabled)
        snapshot = self.registry.snapshot
        allowed = self._visibility.allowed_names(self._visibility.new_scope(enabled, None), snapshot)
        if enabled is not None and snapshot.in_every_scope:  # list these only if the toolsets contain them
            allowed -= snapshot.in_every_scope - self.toolsets.resolve(enabled, snapshot)
        names: Iterable[str] = sorted(allowed)
        if available:
            names = self._visibility.selection.available(frozenset(names))
        specs = (self.registry.get(name) for name in names)
        return tuple(spec for spec in specs if spec is not None)

    def why(self, name: str) -> Verdict:
        """Explain why a tool is or is not available.

        Raises:
            UnknownToolError: There is no tool of that name.
        """
        tool = tools_of(self.registry.snapshot)[self._canonical(name)]
        for need in tool.needs:
            if not self._services.has(need):
                missing = missing_service(tool.name, need)
                return unavailable(missing.message, missing.hint or "")
        return self._visibility.availability.of(tool)

    def _canonical(self, name: str) -> str:
        snapshot = self.registry.snapshot
        canonical = snapshot.canonical(name)
        if canonical is None:
            raise UnknownToolError(name, hermes_schemas.nearest(name, snapshot.names))
        return canonical

    # -- sessions and turns ----------------------------------------------------------------------------------

    def session(
        self,
        *,
        enabled: Iterable[str] | None = None,
        disabled: Iterable[str] | None = None,
        id: str | None = None,
        kind: str = "interactive",
        services: Mapping[type | str, Any] | None = None,
    ) -> Session:
        """Open a session with its own scope and services; use it as a context manager."""
        scope = self._visibility.new_scope(enabled, disabled)
        return self._dispatcher.new_session(kind=kind, id=id, scope=scope, services=services)

    def fit_turn(self, results: Iterable[str], budget: int | None = None) -> list[str]:
        """Shorten the longest results of a turn, saving them to files, until all fit the budget.

        Args:
            results: The results, in the order of the calls.
            budget: The total number of characters; 200,000 by default.
        """
        from secrets import token_hex

        from hermes_core.calls.spill import TURN_CHARS

        given, dispatcher = list(results), self._dispatcher
        names = [f"turn-{token_hex(6)}-{number}" for number in range(len(given))]
        limit = TURN_CHARS if budget is None else budget
        return dispatcher.spill.fit_turn(given, names, limit, partial(dispatcher.how_to_read, scope=None))

    # -- plugins, services and providers -----------------------------------------------------------------------

    def provide(self, key: type | str, service: Any) -> None:
        """Provide a service for tools, by type or name."""
        self._services.provide(key, service)

    def providers(self, point: str) -> Mapping[str, Any]:
        """Return the providers that plugins registered for an extension point, by name."""
        return self._dispatcher.providers.of(point)

    def add_plugin(self, plugin: object, name: str | None = None) -> PluginRecord:
        """Add a plugin object of the application with its hooks, tools, toolsets and providers.

        Raises:
            PluginError: A part of it was rejected.
            ConfigError: Its factory raised this.
        """
        number = len(self._plugins.now.names()) + 1
        given = name or getattr(plugin, "__name__", None) or f"{type(plugin).__name__}-{number}"
        return self._loader.add(Candidate(name=given, origin=APPLICATION, load=lambda: plugin))

    def activate(self, *names: str) -> LoadReport:
        """Import plugins that are only known from their manifest: the named ones, or all.

        Raises:
            PluginError: There is no plugin of that name.
        """
        known = {record.name for record in self._loader.records}
        for name in names:
            if name not in known:
                raise PluginError("there is no such plugin.", plugin=name, remedy="See 'hermes plugins'.")
        self._loader.activate_all(names or self._loader.names())
        return self.report

    @property
    def report(self) -> LoadReport:
        """The load status and problems of each plugin."""
        from hermes_core.plugins.plugin_records import LoadReport

        return LoadReport(tuple(self._loader.records))

    # -- closing ---------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End all sessions, release their resources and stop the bridge. Closing twice is harmless."""
        self._closed = True
        if self._finalizer is not None and self._finalizer.detach():
            self._dispatcher.close()

    async def aclose(self) -> None:
        """Like `close`, from async code."""
        self._closed = True
        if self._finalizer is not None and self._finalizer.detach():
            await self._dispatcher.aclose()

    def __enter__(self) -> Self:
        self._dispatcher.default_session.__enter__()
        return self

    async def __aenter__(self) -> Self:
        await self._dispatcher.default_session.__aenter__()
        return self


class HostParts(NamedTuple):
    """The parts of a host that `hermes_core.inspection` and the `hermes` command look into."""

    registrar: Registrar
    loader: Loader
    visibility: Visibility
    plugins: LazyPlugins
    config: LazyConfig
    has_dispatcher: bool


def parts_of(host: Hermes) -> HostParts:
    """Return the parts of a host, which an application has no use for."""
    has_dispatcher = "_dispatcher" in host.__dict__
    return HostParts(host._registrar, host._loader, host._visibility, host._plugins, host._config, has_dispatcher)


def dispatcher_of(host: Hermes) -> Dispatcher:
    """Return what runs the calls of a host. It is made if there was no call yet."""
    return host._dispatcher


def _close_quietly(dispatcher: Dispatcher) -> None:
    try:
        dispatcher.close()
    except Exception:  # no caller could catch it
        from hermes_core.logs import log

        log.debug("closing a forgotten host failed", exc_info=True)
