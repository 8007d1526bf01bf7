"""`Hermes`: the one object that an application holds."""

from __future__ import annotations

import logging
import os
import weakref
from collections.abc import Coroutine, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hermes_core.calls.call import CallRecord
from hermes_core.calls.dispatch import Dispatcher, checked_seconds
from hermes_core.calls.services import Services
from hermes_core.calls.session import Session
from hermes_core.calls.spill import TURN_CHARS
from hermes_core.config.config import Config
from hermes_core.config.home import hermes_home
from hermes_core.config.settings import DEFAULT_TIMEOUT, Settings
from hermes_core.errors import (
    ConfigError,
    PluginError,
    ToolDefinitionError,
    UnknownToolError,
)
from hermes_core.plugins.discovery import Candidate
from hermes_core.plugins.loader import Loader
from hermes_core.plugins.manager import Plugins
from hermes_core.plugins.report import LoadReport, PluginRecord
from hermes_core.schemas.nearest import nearest
from hermes_core.search.distributions import Distributions
from hermes_core.tools.availability import Availability, Verdict
from hermes_core.tools.provider_schema import FORMATS
from hermes_core.tools.registry import Registry
from hermes_core.tools.spec import ToolSpec
from hermes_core.tools.tool import Tool
from hermes_core.tools.toolset import Toolset, ToolsetCatalog

_log = logging.getLogger("hermes")


class Hermes:
    """Tools, toolsets, plugins and the pipeline that runs them.

    `Hermes.load()` finds the installed plugins and reads the settings; `Hermes()` starts empty. Close it, or use it
    in a `with` or `async with` block, so that sessions end and their resources are released.
    """

    def __init__(
        self,
        *,
        tools: Iterable[Tool] = (),
        toolsets: Iterable[Toolset] = (),
        plugins: Iterable[object] = (),
        services: Mapping[type | str, Any] | None = None,
        home: str | os.PathLike[str] | None = None,
        settings: Settings | None = None,
        environ: Mapping[str, str] | None = None,
        timeout: float | None = None,
        hook_timeout: float | None = None,
        approval_timeout: float | None = None,
    ) -> None:
        """Make a host. Everything can also be added later.

        Args:
            tools: Tools to register.
            toolsets: Toolsets beside the presets.
            plugins: Objects with hook implementations, as `add_plugin` takes them.
            services: What tools can ask for by type.
            home: The folder for state; `$HERMES_HOME` when it is not given.
            settings: What `config.yaml` would say.
            environ: Where tools' keys are looked up; the process's own environment when it is not given.
            timeout: Seconds a call may take when its tool says nothing; kept exactly, where the default of 300 is not.
            hook_timeout: Seconds one hook may take.
            approval_timeout: Seconds that an approval is waited for.
        """
        settings = settings or Settings()
        self.home = hermes_home() if home is None else Path(home).expanduser().absolute()
        self.settings = settings
        self.registry = Registry()
        self.toolsets = ToolsetCatalog()
        self.availability = Availability(environ=environ)
        self.distributions = Distributions(settings.toolset_distributions)
        self.plugins = Plugins()
        deadline = checked_seconds(timeout) if timeout is not None else settings.call_timeout
        hook_timeout, approval_timeout = checked_seconds(hook_timeout), checked_seconds(approval_timeout)
        self._dispatcher = Dispatcher(
            registry=self.registry,
            catalog=self.toolsets,
            plugins=self.plugins,
            availability=self.availability,
            services=Services(services),
            results=self.home / "results",
            reader=settings.reader_tool,
            seconds=DEFAULT_TIMEOUT if deadline is None else deadline,
            exact=deadline is not None,
            hook_seconds=settings.hook_timeout if hook_timeout is None else hook_timeout,
            approval_seconds=settings.approval_timeout if approval_timeout is None else approval_timeout,
        )
        self._loader = Loader(
            settings,
            plugins=self.plugins,
            registry=self.registry,
            catalog=self.toolsets,
            add_provider=self._dispatcher.add_provider,
        )
        self._finalizer = weakref.finalize(self, _close_quietly, self._dispatcher)
        self._declare_toolsets(settings)
        self.toolsets.add(*toolsets)
        self.registry.register_all(tools)
        for plugin in plugins:
            self.add_plugin(plugin)

    @classmethod
    def load(
        cls,
        *,
        home: str | os.PathLike[str] | None = None,
        plugins: Iterable[object] = (),
        discover: bool = True,
        **options: Any,
    ) -> Self:
        """A host with the user's settings and every installed plugin. A broken plugin disables only itself.

        Raises:
            ConfigError: `config.yaml` cannot be used as it is.
        """
        where = hermes_home() if home is None else Path(home).expanduser().absolute()
        settings = options.pop("settings", None)
        if settings is None:
            config = Config(where)
            settings = config.settings()
            options.setdefault("environ", config.environ)
        host = cls(home=where, settings=settings, **options)
        if discover:
            host._loader.load_installed()
        for plugin in plugins:
            host.add_plugin(plugin)
        return host

    # -- what models are shown -------------------------------------------------------------------------------

    def definitions(
        self,
        enabled: Iterable[str] | None = None,
        disabled: Iterable[str] | None = None,
        quiet: bool = True,
        context_length: int | None = None,
        *,
        format: str = "openai",
    ) -> list[dict[str, Any]]:
        """The definitions of the available tools, sorted by name.

        Args:
            enabled: Toolsets, or single tools, to take; None takes all, an empty list none.
            disabled: What is taken away, always last.
            quiet: False says on stderr what is left out and why.
            context_length: The model's context window in tokens, for progressive disclosure to weigh against.
            format: `openai`, `anthropic`, `responses` or `mcp`.

        Returns:
            A fresh list of fresh entries; the schemas inside are shared and must not be changed in place.
        """
        if format not in FORMATS:
            raise ConfigError(f"{format!r} is not a format of definitions.", example=", ".join(FORMATS))
        if context_length is not None and context_length <= 0:
            raise ConfigError(f"context_length is {context_length!r}, not a number of tokens.", example="128000")
        dispatcher = self._dispatcher
        session_scope = dispatcher.default_session.scope
        return dispatcher.definitions(
            dispatcher.new_scope(enabled, disabled, session_scope), format=format, quiet=quiet
        )

    def definition(self, name: str, *, format: str = "openai") -> dict[str, Any]:
        """What a model is shown of one tool; of one that is not available, what it would be shown.

        Raises:
            UnknownToolError: there is no tool of that name.
        """
        canonical = self._canonical(name)
        for definition in self.definitions(format=format):
            if definition.get("function", definition)["name"] == canonical:
                return definition
        return self._dispatcher.tool_definitions.one(canonical, format)

    def tools(self, enabled: Iterable[str] | None = None, *, available: bool = True) -> tuple[ToolSpec, ...]:
        """What is known of each tool of a selection, sorted by name."""
        scope = self._dispatcher.new_scope(enabled, None)
        names: Iterable[str] = sorted(self._dispatcher.allowed_names(scope))
        if available:
            names = self._dispatcher.tool_definitions.available(frozenset(names))
        specs = (self.registry.get(name) for name in names)
        return tuple(spec for spec in specs if spec is not None)

    def why(self, name: str) -> Verdict:
        """Whether a tool can run here, and if not, why and what to do.

        Raises:
            UnknownToolError: there is no tool of that name.
        """
        canonical = self._canonical(name)
        tool = self.registry.snapshot._tools[canonical]
        for need in tool.needs:
            if not self._dispatcher.services.has(need):
                service = need if isinstance(need, str) else need.__name__
                return Verdict(
                    available=False,
                    reason=f"it must be handled by the agent loop: it needs the service {service!r}",
                    remedy="Call it from an application that provides the service.",
                )
        return self.availability.of(tool)

    def _canonical(self, name: str) -> str:
        snapshot = self.registry.snapshot
        canonical = snapshot.canonical(name)
        if canonical is None:
            raise UnknownToolError(name, nearest(name, snapshot.names))
        return canonical

    # -- calling ---------------------------------------------------------------------------------------------

    def call(self, name: str, args: object = None, **options: Any) -> str:
        """Call a tool from sync code. The answer is always a JSON text; a failure is `{"error": ...}`.

        Args:
            name: The tool's name or alias.
            args: Its arguments: a mapping, or the JSON text of one.
            **options: `enabled` and `disabled` toolsets, `session`, `task_id`, `id`, `timeout` in seconds, `origin`.
        """
        return self._dispatcher.call(name, args, options)

    def acall(self, name: str, args: object = None, **options: Any) -> Coroutine[Any, Any, str]:
        """Call a tool from async code: `await hermes.acall(name, args)`. See `call`."""
        return self._dispatcher.acall(name, args, options)

    def run(self, name: str, args: object = None, **options: Any) -> CallRecord:
        """Call a tool, and get everything that is known about the call: repairs, decision, duration."""
        return self._dispatcher.run(name, args, options)

    def arun(self, name: str, args: object = None, **options: Any) -> Coroutine[Any, Any, CallRecord]:
        """The same as `run`, from async code."""
        return self._dispatcher.arun(name, args, options)

    def batch(self, calls: Iterable[object], **options: Any) -> list[str]:
        """Run several calls; the answers come in the order of the calls.

        Calls that only read run in parallel, writes to overlapping paths in order, calls that execute, spend or send
        alone. A call is `(name, args)`, `{"name", "args"}`, or a tool call as OpenAI or Anthropic write it.
        """
        return self._dispatcher.batch(calls, options)

    async def abatch(self, calls: Iterable[object], **options: Any) -> list[str]:
        """The same as `batch`, from async code."""
        return await self._dispatcher.abatch(calls, options)

    def session(
        self,
        *,
        enabled: Iterable[str] | None = None,
        disabled: Iterable[str] | None = None,
        id: str | None = None,
        kind: str = "interactive",
        services: Mapping[type | str, Any] | None = None,
    ) -> Session:
        """A session with a scope and services of its own; use it as a context manager."""
        scope = self._dispatcher.new_scope(enabled, disabled)
        return self._dispatcher.new_session(kind=kind, id=id, scope=scope, services=services)

    def fit_turn(self, results: Iterable[str], budget: int = TURN_CHARS) -> list[str]:
        """Shorten the longest results of a turn, spilling them to files, until all fit the budget of characters."""
        from secrets import token_hex

        given = list(results)
        names = [f"turn-{token_hex(6)}-{number}" for number in range(len(given))]
        dispatcher = self._dispatcher
        return dispatcher.spill.fit_turn(
            given, names, budget, lambda path, line: dispatcher.how_to_read(path, line, None)
        )

    # -- changing what there is ------------------------------------------------------------------------------

    def register(self, tool: Tool, *, override: bool = False) -> None:
        """Add a tool. See `Registry.register`."""
        self.registry.register(tool, override=override)

    def deregister(self, name: str) -> bool:
        """Remove a tool; False when there is none."""
        return self.registry.deregister(name)

    def create_custom_toolset(
        self, name: str, description: str = "", tools: Iterable[str] = (), includes: Iterable[str] = ()
    ) -> Toolset:
        """Add a toolset at run time."""
        return self.toolsets.create_custom(name, description, tools, includes)

    def provide(self, key: type | str, service: Any) -> None:
        """Give tools a service that they ask for by type."""
        self._dispatcher.services.provide(key, service)

    def add_plugin(self, plugin: object, name: str | None = None) -> PluginRecord:
        """Add a plugin object of the application: its hooks, tools, toolsets and providers.

        Raises:
            PluginError: it cannot stand. The application wrote it, so it hears of it at once.
        """
        given = name or getattr(plugin, "__name__", None) or f"{type(plugin).__name__}-{len(self.plugins.names()) + 1}"
        record = self._loader.load(Candidate(name=given, origin="application", load=lambda: plugin))
        if record.status != "loaded":
            raise PluginError(" ".join(record.problems), plugin=given, remedy=record.remedy)
        return record

    @property
    def report(self) -> LoadReport:
        """What became of each plugin."""
        return LoadReport(tuple(self._loader.records))

    # -- loading ---------------------------------------------------------------------------------------------

    def _declare_toolsets(self, settings: Settings) -> None:
        for name, entry in settings.toolsets.items():
            try:
                toolset = Toolset(
                    name,
                    description=str(entry.get("description") or ""),
                    tools=entry.get("tools") or (),
                    includes=entry.get("includes") or (),
                    aliases=entry.get("aliases") or (),
                )
                self.toolsets.add(toolset, replace=True)
            except ToolDefinitionError as error:
                raise ConfigError(str(error), file=str(self.home / "config.yaml"), key=f"toolsets.{name}") from error

    # -- the end ---------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End every session, release what they held and stop the bridge. Closing twice is fine."""
        if self._finalizer.detach():
            self._dispatcher.close()

    async def aclose(self) -> None:
        """The same from async code."""
        if self._finalizer.detach():
            await self._dispatcher.aclose()

    def __enter__(self) -> Self:
        self._dispatcher.begin_session(self._dispatcher.default_session)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        await self._dispatcher.abegin_session(self._dispatcher.default_session)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _close_quietly(dispatcher: Dispatcher) -> None:
    """For a host that nobody closed: runs when it is collected, or at the interpreter's end."""
    try:
        dispatcher.close()
    except Exception:  # nobody is left to hear of it
        _log.debug("closing a forgotten host failed", exc_info=True)
