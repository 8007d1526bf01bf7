"""The entry point of all calls: sync or async, single or in a batch."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_core.calls.call import Progress, ToolCall, calls_around, get_current_call
from hermes_core.calls.deadlines import drive
from hermes_core.calls.hooks import Hooks
from hermes_core.calls.pipeline import Pipeline
from hermes_core.calls.runner import LazyBridge, LoopRunner, Runner
from hermes_core.calls.services import Providers, Services
from hermes_core.calls.session import Session
from hermes_core.calls.visibility import Scope, Visibility, checked_context_length, narrowed
from hermes_core.calls.worker_threads import AbandonedThreads, Workers
from hermes_core.config.core_settings import DEFAULT_HOOK_TIMEOUT, Settings, checked_seconds
from hermes_core.errors import HostClosedError, HostError
from hermes_core.findings import UNATTENDED
from hermes_core.plugins.manager import Plugins
from hermes_core.plugins.plugin_records import APPLICATION
from hermes_core.tools.registry import tools_of
from hermes_schemas.readonly import ReadOnlyList, frozen

if TYPE_CHECKING:
    from hermes_core.calls.spill import Spill
    from hermes_core.plugins.lazy_parts import LazyConfig
    from hermes_core.tools.definitions import Adjust
    from hermes_text.secrets.store import SecretStore

_KIND = re.compile(r"[a-z][a-z0-9_.-]*")


class Dispatcher:
    """Holds the parts that calls need, which applications do not use directly."""

    def __init__(
        self,
        *,
        visibility: Visibility,
        plugins: Plugins,
        services: Services,
        providers: Providers,
        activate: Callable[[str, str], object],
        config: LazyConfig,
        settings: Settings,
        home: Path,
        environ: Mapping[str, str],
        parent: Dispatcher | None,
    ) -> None:
        self._parent = parent
        self.visibility = visibility
        self.registry = visibility.registry
        self.services = services
        self.providers = providers
        self.activate = activate
        self.config = config
        self.settings = settings
        self.home = home
        self._environ = environ
        self.abandoned = AbandonedThreads(settings.max_abandoned)
        self.bridge = LazyBridge(self.abandoned)
        self.hooks: Hooks = Hooks(
            plugins,
            settings.hook_timeout,
            host=self,
            exact=settings.hook_timeout != DEFAULT_HOOK_TIMEOUT,
            bridge=self.bridge,
            above=parent.hooks if parent else None,
        )
        self._workers = Workers(self.abandoned)
        self.blocking = Runner(self.bridge, self._workers)
        self.looping = LoopRunner(self.bridge, self._workers)
        self.pipeline = Pipeline(self)
        self.call_prefix = f"call-{os.urandom(6).hex()}-"
        self.call_numbers = count(1)
        self._lock = threading.Lock()
        self.sessions: dict[Session, None] = {}
        self.closed = False
        self.default_session = self.new_session(kind="interactive")

    @cached_property
    def secrets(self) -> SecretStore:
        """The declared secrets; created for the first text that is long enough to contain one."""
        from hermes_core.config.secrets import HostSecrets
        from hermes_text.secrets.store import SecretStore

        config, registry, registrar = self.config, self.registry, self.config.registrar
        sources = HostSecrets(
            self.home,
            self._environ,
            lambda: (name for tool in tools_of(registry.snapshot).values() for name in tool.requires_env),
            lambda: None if config.is_empty else config.now,
            registrar.owner_of,
            lambda: registry.generation + registrar.sections_generation,
        )
        return SecretStore(sources, self._parent.secrets if self._parent is not None else None)

    @cached_property
    def spill(self) -> Spill:
        """The directory of results that are too long for a model."""
        from hermes_core.calls.spill import Spill

        return Spill(self.home / "results")

    # -- calls -----------------------------------------------------------------------------------------------

    def call(self, name: str, args: object, options: dict[str, Any], *, record: bool = False) -> Any:
        """Run one call from sync code; return its result, or its record."""
        if self.bridge.made is not None:
            self.bridge.refuse_inside("Hermes.run()" if record else "Hermes.call()")
        call = self._new_call(name, args, options)
        if record:
            return drive(self.pipeline.run(call, self.blocking, record=True))
        for _ in self.pipeline.run(call, self.blocking).__await__():  # faster than `drive`, because no result is raised
            raise RuntimeError("a call from sync code tried to wait for an event loop")
        return call.result_text

    def acall(
        self, name: str, args: object, options: dict[str, Any], *, record: bool = False
    ) -> Coroutine[Any, Any, Any]:
        """Return the coroutine of one call, to be run on the caller's own loop."""
        return self.pipeline.run(self._new_call(name, args, options), self.looping, record=record)

    async def report_progress(self, call: ToolCall, progress: Progress, runner: Runner) -> None:
        """Report the progress of a call to plugins."""
        if hooks := self.hooks.of("hermes_tool_progress"):
            hide = self.secrets.hide
            seen = replace(progress, message=hide(str(progress.message)), detail=hide(str(progress.detail)))
            await self.hooks.observe(hooks, {"call": call, "progress": seen}, runner)

    def batch(self, calls: Iterable[object], options: dict[str, Any]) -> list[str]:
        """Run several calls from sync code, on the bridge's loop."""
        batch = partial(self.abatch, list(calls) if isinstance(calls, Iterator) else calls, options)
        results: list[str] = self.bridge.run(batch, float("inf"), doing="Hermes.batch()")
        return results

    async def abatch(self, calls: Iterable[object], options: dict[str, Any]) -> list[str]:
        """Run several calls from async code."""
        from hermes_core.calls.batch import read_requests, run_batch

        options = {"origin": "batch", **options}
        made = [self._new_call(each.name, each.args, {**options, "id": each.id}) for each in read_requests(calls)]
        return await run_batch(self.pipeline, made, self.looping)

    def _new_call(self, name: str, args: object, options: dict[str, Any]) -> ToolCall:
        if self.closed:
            raise HostClosedError("call a tool")
        if args is None:
            args = {}
        if get_current_call() is None and not options:
            session = self.default_session
            return ToolCall(name, args, session, session.scope)
        return self.make_call(name, args, **options)

    def make_call(
        self,
        name: str,
        args: object,
        *,
        parent: ToolCall | None = None,
        session: Session | None = None,
        enabled: Iterable[str] | None = None,
        disabled: Iterable[str] | None = None,
        id: str | None = None,
        timeout: float | None = None,
        origin: str = "direct",
        task_id: str | None = None,
    ) -> ToolCall:
        """Create a call in its session and scope. A nested call never gets more than the calling tool has."""
        around, depth = calls_around()
        maker = parent or around
        # From a tool of another host, the call inherits only the scope.
        outer = maker if maker is not None and maker.session.dispatcher is self else None
        if outer is not None:
            session = session or outer.session
            task_id = task_id or outer.task_id
            origin = "nested" if origin == "direct" else origin
        session = session or self.default_session
        if not isinstance(session, Session) or session.dispatcher is not self:
            raise HostError(f"{session!r} is not a session of this host.")
        for option, value in (("id", id), ("origin", origin), ("task_id", task_id)):
            if value is not None and not isinstance(value, str):
                raise TypeError(f"{option} of a call is {value!r}, not a string")
        session.refuse_when_ending("call a tool")
        scope = self._within_those_above(session.scope, maker)
        call = ToolCall(name, args, session, self.visibility.new_scope(enabled, disabled, scope))
        call.outer = maker
        call.depth = depth if maker is None else max(depth, maker.depth + 1)
        call.given_id = id
        call.timeout = checked_seconds(timeout)
        call.given_origin = origin
        call.given_task_id = task_id
        call.is_unattended = maker is not None and maker.session_kind == UNATTENDED
        return call

    def _within_those_above(self, scope: Scope | None, frame: ToolCall | None) -> Scope | None:
        """Narrow a scope to the scopes of the surrounding calls, up to the nearest call of this host."""
        while frame is not None:
            host = frame.session.dispatcher
            if host is self:
                return narrowed(scope, frame.scope)
            if frame.scope is not None and host.hooks in self.hooks.hosts:
                scope = Scope(None, None, scope, withheld=partial(host.withheld, frame.scope))
            frame = frame.outer
        return scope

    def withheld(self, scope: Scope) -> frozenset[str]:
        """Return the tools of this host and its parents that are not within a scope."""
        snapshot = self.registry.snapshot
        return snapshot.all_names - self.visibility.allowed_names(scope, snapshot) | scope.withheld()

    # -- definitions and permissions -------------------------------------------------------------------------

    def definitions(
        self,
        scope: Scope | None,
        session: Session | None = None,
        *,
        format: str = "openai",
        context_length: float | None = None,
        everything: bool = False,
    ) -> list[dict[str, Any]]:
        """Return the definitions for a model with this scope."""
        tokens = checked_context_length(context_length)
        adjust: Adjust | None = None
        if self.hooks.of("hermes_adjust_definitions"):
            call = ToolCall("", {}, session or self.default_session, scope)
            about = {"context_length": tokens, "format": format, "everything": everything, "call": call}
            adjust = partial(self._adjust, about)
        return self.visibility.definitions(scope, format, adjust)

    def _adjust(self, about: dict[str, Any], definitions: Sequence[Any], available: frozenset[str]) -> Sequence[Any]:
        """Let plugins change definitions. Each plugin gets a read-only version of the previous result."""

        def accept(answer: object, before: Sequence[Any]) -> Sequence[Any]:
            if isinstance(answer, list) and answer is not before:
                return ReadOnlyList(map(frozen, answer))
            return answer if isinstance(answer, tuple) else before

        values = {**about, "definitions": definitions, "available": available}
        adjusted = self.hooks.replace("hermes_adjust_definitions", "definitions", values, self.blocking, accept)
        found: Sequence[Any] = drive(adjusted)
        return found

    def how_to_read(self, path: Path, line: int, scope: Scope | None) -> str:
        """Explain how to read the rest of a spilled result, with a tool that is within the scope."""
        where = f"The full result is in {path}"
        if (reader := self.settings.reader_tool) in self.visibility.allowed_names(scope):
            call = f'{reader}(file_path="{path}", offset={line}, limit=500)'
            return f"{where}. Read the rest with {call}, and increase offset for more."
        return f"{where}; this preview ends in line {line}. Read the rest in that file, or request less."

    def source_of(self, tool: str) -> str:
        """Return the plugin that provides a tool, in this host or a parent; `application` otherwise."""
        found = self.config.registrar.source_of(tool)
        return self._parent.source_of(tool) if found == APPLICATION and self._parent is not None else found

    def may_read(self, section: str, plugin: str | None, tool: str) -> bool:
        """Return True if a plugin's hook, or the tool if `plugin` is None, may read a section of the settings."""
        asking = self.config.registrar.source_of(tool) if plugin is None else plugin
        above = self._parent
        return (
            (plugin is None and asking == APPLICATION)
            or self.config.is_readable(section, asking)
            or (above is not None and above.may_read(section, asking, tool))
        )

    # -- sessions --------------------------------------------------------------------------------------------

    def new_session(
        self,
        *,
        kind: str,
        id: str | None = None,
        scope: Scope | None = None,
        services: Mapping[type | str, Any] | None = None,
    ) -> Session:
        """Create a session that is not started yet."""
        if self.closed:
            raise HostClosedError("open a session")
        if not isinstance(kind, str) or not _KIND.fullmatch(kind):  # a rule for "cron" must match every cron job
            raise HostError(f"{kind!r} is not a kind of session: use a lowercase word, such as 'cron'.")
        given = Services(services, self.services)
        session = Session(self, id=id or f"session-{os.urandom(6).hex()}", kind=kind, scope=scope, services=given)
        with self._lock:
            self.sessions[session] = None
        return session

    def forget(self, session: Session) -> None:
        """Drop a session that has ended."""
        with self._lock:
            self.sessions.pop(session, None)

    # -- closing ---------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End every session, newest first, then stop the bridge."""
        self.bridge.refuse_inside("Hermes.close()")
        ended: set[Session] = set()
        while session := self._last_session(ended):
            drive(session.end(self.blocking))
        self._shut()

    async def aclose(self) -> None:
        """Close from async code: async resources are released on the caller's loop."""
        ended: set[Session] = set()
        while session := self._last_session(ended):
            await session.end(self.looping)
        self._shut()

    def _last_session(self, ended: set[Session]) -> Session | None:
        """Return the newest session that is not in `ended`, and add it."""
        with self._lock:
            found = next((session for session in reversed(self.sessions) if session not in ended), None)
        if found is not None:
            ended.add(found)
        return found

    def _shut(self) -> None:
        self.closed = True
        self.bridge.close()
        self._workers.close()
