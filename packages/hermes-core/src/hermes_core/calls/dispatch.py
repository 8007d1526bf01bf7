"""The one way in: every call of every caller, sync or async, single or in a batch, becomes a run of the pipeline."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_core.approval.finding import UNATTENDED
from hermes_core.calls.batch import Footprint, footprint, waits
from hermes_core.calls.bridge import Bridge
from hermes_core.calls.call import CallRecord, Progress, ToolCall, calls_around, current_call
from hermes_core.calls.context import ToolContext
from hermes_core.calls.deadlines import Late
from hermes_core.calls.hooks import LATER, Hook, Hooks, report
from hermes_core.calls.pipeline import Pipeline
from hermes_core.calls.providers import Providers
from hermes_core.calls.requests import Request, read_requests
from hermes_core.calls.results import tool_error
from hermes_core.calls.runner import BlockingRunner, Callee, LoopRunner, drive
from hermes_core.calls.scope import Below, Scope, narrowed
from hermes_core.calls.seconds import checked_seconds
from hermes_core.calls.services import Services
from hermes_core.calls.session import Session
from hermes_core.calls.sight import Sight
from hermes_core.calls.spill import Spill
from hermes_core.calls.workers import AbandonedThreads, Workers
from hermes_core.config.declared_secrets import DeclaredSecrets
from hermes_core.errors import HostClosedError, HostError, ToolCancelledError, ToolError
from hermes_core.plugins.candidate import APPLICATION
from hermes_core.plugins.manager import Plugins
from hermes_core.tools.dormant import Dormant
from hermes_core.tools.readonly import ReadOnlyList, frozen

if TYPE_CHECKING:
    from hermes_core.calls.rehearsal import Rehearsal
    from hermes_core.config.config import Config
    from hermes_core.config.secret_values import OwnSecrets
    from hermes_core.plugins.lazy import LazyConfig
    from hermes_core.tools.definitions import Adjust

_KIND = re.compile(r"[a-z][a-z0-9_.-]*")


class Dispatcher:
    """Holds what a call needs and nothing that an application should touch: that is `Hermes`."""

    def __init__(
        self,
        *,
        sight: Sight,
        plugins: Plugins,
        services: Services,
        providers: Providers,
        activate: Callable[[str, str], object],
        config: LazyConfig,
        home: Path,
        environ: Mapping[str, str],
        reader: str,
        seconds: float,
        exact: bool,
        hook_seconds: float,
        hooks_exact: bool,
        approval_seconds: float,
        max_depth: int,
        max_abandoned: int,
        parent: Dispatcher | None,
    ) -> None:
        self._parent = parent
        self.sight = sight
        self.registry = sight.registry
        self.availability = sight.availability
        self.services = services
        self.activate = activate
        self._config = config
        self.home = home
        self.spill = Spill(home / "results")
        self._reader = reader
        self._providers = providers
        self.abandoned = AbandonedThreads(max_abandoned)
        self.bridge = Bridge(self.abandoned)
        self.hooks: Hooks = Hooks(
            plugins, hook_seconds, exact=hooks_exact, bridge=self.bridge, above=parent.hooks if parent else None
        )
        self._workers = Workers(self.abandoned)
        self.blocking = BlockingRunner(self.bridge, self._workers)
        self._looping = LoopRunner(self.bridge, self._workers)
        registry, place = self.registry, config.place
        self.secrets = DeclaredSecrets(
            environ,
            self._required_variables,
            lambda: None if config.is_empty else config.now,
            place.owner_of,
            lambda: registry._generation + place.sections_generation,
        )
        self._pipeline = Pipeline(
            self, seconds=seconds, exact=exact, approval_seconds=approval_seconds, max_depth=max_depth
        )
        self._token = os.urandom(6).hex()
        self._count = count(1)
        self._lock = threading.Lock()
        self._sessions: dict[Session, None] = {}
        self.closed = False
        self.default_session = self.new_session(kind="interactive")

    # -- calls -----------------------------------------------------------------------------------------------

    def call(self, name: str, args: object, options: dict[str, Any]) -> str:
        """Run one call from sync code."""
        self.bridge.refuse_inside("Hermes.call()")
        text: str = drive(self._pipeline.run(self._new_call(name, args, options), self.blocking))
        return text

    def acall(self, name: str, args: object, options: dict[str, Any]) -> Coroutine[Any, Any, str]:
        """Run one call on the caller's own loop: the pipeline's coroutine itself, not one around it."""
        return self._pipeline.run(self._new_call(name, args, options), self._looping)

    def run(self, name: str, args: object, options: dict[str, Any]) -> CallRecord:
        """Run one call from sync code, and return everything that is known about it."""
        self.bridge.refuse_inside("Hermes.run()")
        seen: CallRecord = drive(self._pipeline.run(self._new_call(name, args, options), self.blocking, record=True))
        return seen

    def arun(self, name: str, args: object, options: dict[str, Any]) -> Coroutine[Any, Any, CallRecord]:
        """Run one call from async code, and return everything that is known about it."""
        return self._pipeline.run(self._new_call(name, args, options), self._looping, record=True)

    def tell(self, call: ToolCall, progress: Progress) -> None:
        """Tell those who watch that a call goes on, from sync code."""
        if self.hooks.of("hermes_tool_progress"):
            seen = {"call": call, "progress": self._hidden(progress)}
            drive(self.hooks.observe("hermes_tool_progress", seen, self.blocking))

    async def atell(self, call: ToolCall, progress: Progress) -> None:
        """The same from async code."""
        if self.hooks.of("hermes_tool_progress"):
            seen = {"call": call, "progress": self._hidden(progress)}
            await self.hooks.observe("hermes_tool_progress", seen, self._looping)

    def _hidden(self, progress: Progress) -> Progress:
        hide = self.secrets.hide
        return replace(progress, message=hide(str(progress.message)), detail=hide(str(progress.detail)))

    def rehearse(
        self,
        name: str,
        args: object,
        *,
        session: Session | None,
        session_kind: str | None,
        plugins: Collection[str] | None,
    ) -> Rehearsal:
        """Say what would become of a call: in a session that is there, or in one of another kind that never begins."""
        self.bridge.refuse_inside("Hermes.rehearse()")
        borrowed = session or (self.default_session if session_kind is None else None)
        place = borrowed or self.new_session(kind=session_kind or "interactive", scope=self.default_session.scope)
        call = self._framed_call(name, {} if args is None else args, {"session": place})
        try:
            found: Rehearsal = drive(self._pipeline.rehearse(call, self.blocking, plugins=plugins))
        finally:
            if borrowed is None:
                self.forget(place)
        return found

    def batch(self, calls: Iterable[object], options: dict[str, Any]) -> list[str]:
        """Run several calls from sync code: on the bridge's loop, blocking tools in threads beside it."""
        requests = read_requests(calls)
        results: list[str] = self.bridge.run(lambda: self._all(requests, options), float("inf"), doing="Hermes.batch()")
        return results

    async def abatch(self, calls: Iterable[object], options: dict[str, Any]) -> list[str]:
        """Run several calls from async code."""
        return await self._all(read_requests(calls), options)

    async def _all(self, requests: list[Request], options: dict[str, Any]) -> list[str]:
        """Start everything at once; each call waits for the earlier ones that it must not overtake."""
        import anyio

        ready = [
            self._new_call(request.name, request.args, {"origin": "batch", **options, "id": request.id})
            for request in requests
        ]
        await self._awaken(ready)
        await self._awaken([call for call in ready if await self._forward(call)])
        order = waits(map(self._footprint, ready))
        done = {node: anyio.Event() for node in frozenset().union(*order.awaited)}
        results = [tool_error("It was cancelled before it finished.", code=ToolCancelledError.code)] * len(requests)

        async def one(node: int, call: ToolCall | None) -> None:
            for earlier in order.awaited[node]:
                await done[earlier].wait()
            try:
                if call is not None:
                    results[node] = await self._pipeline.run(call, self._looping)
            finally:
                if node in done:
                    done[node].set()

        async with anyio.create_task_group() as group:
            for node in range(len(order.awaited)):
                group.start_soon(one, node, ready[node] if node < order.calls else None)
        return results

    async def _awaken(self, calls: list[ToolCall]) -> None:
        """Import what the calls of a batch need: the order is planned by what tools really do, not by a manifest."""
        snapshot = self.registry.snapshot
        asleep: dict[str, str] = {}
        for call in calls:
            name = snapshot.canonical(call._name) if isinstance(call._name, str) else None
            tool = snapshot._tools[name] if name in self.sight.allowed_names(call._scope, snapshot) else None
            if tool is not None and isinstance(tool.handler, Dormant) and self.availability.of(tool).available:
                asleep[tool.name] = tool.handler.plugin
        for name, plugin in asleep.items():
            try:
                activate = Callee(self.activate, is_async=False, exact=True)
                await self._looping.run(activate, (plugin, name), {}, float("inf"))
            except Late:
                continue  # each call says so itself

    async def _forward(self, call: ToolCall) -> bool:
        """Follow a forwarding tool before a batch is planned; return True when the call is of another tool now."""
        plan = self._pipeline.plan_of(call)
        if plan is None or plan.forward is None:
            return False
        try:
            await self._pipeline.forward(plan, call, self._looping)
        except ToolError:  # its own run says so
            return False
        return True

    def _footprint(self, call: ToolCall) -> Footprint:
        """What a call would touch, judged by the arguments as they will be repaired."""
        spec = self.registry.get(call._name)
        return footprint(spec, self._pipeline.repaired(spec.name, call._args) if spec else None)

    def _new_call(self, name: str, args: object, options: dict[str, Any]) -> ToolCall:
        """A call in its session and scope. One from inside a tool never gets more than that tool had."""
        if self.closed:
            raise HostClosedError("call a tool")
        if args is None:
            args = {}
        if current_call.get() is None and not options:
            session = self.default_session
            return ToolCall(name, args, session, session.scope)
        return self._framed_call(name, args, dict(options))

    def _framed_call(self, name: str, args: object, options: dict[str, Any]) -> ToolCall:
        outer, depth = calls_around()
        outer = options.pop("parent", None) or outer
        made_by = outer
        unattended = outer is not None and outer.session_kind == UNATTENDED
        if outer is not None and outer._session._dispatcher is not self:
            outer = None  # another host's tool calls into this one: its scope is all there is to inherit
        session = options.pop("session", None) or (outer._session if outer else self.default_session)
        if not isinstance(session, Session) or session._dispatcher is not self:
            raise HostError(f"{session!r} is not a session of this host.")
        session.refuse_when_ending("call a tool")
        scope = self._within_those_above(session.scope, made_by)
        scope = self.sight.new_scope(options.pop("enabled", None), options.pop("disabled", None), scope)
        call = ToolCall(name, args, session, scope)
        call._outer = made_by
        call._depth = max(depth, made_by._depth + 1) if made_by is not None else depth
        call._id = options.pop("id", None)
        call._seconds = checked_seconds(options.pop("timeout", None))
        call._origin = options.pop("origin", "nested" if outer else "direct")
        if outer is not None and call._origin == "direct":
            call._origin = "nested"  # whatever it calls itself: rules are about where it comes from
        call._task_id = options.pop("task_id", outer.task_id if outer else None)
        call._unattended = unattended
        if options:
            raise TypeError(f"a call takes no option {next(iter(options))!r}")
        for option, value in (("id", call._id), ("origin", call._origin), ("task_id", call._task_id)):
            if value is not None and not isinstance(value, str):
                raise TypeError(f"{option} of a call is {value!r}, not a text")
        return call

    def _within_those_above(self, scope: Scope | None, frame: ToolCall | None) -> Scope | None:
        """A scope that is no wider than those of the calls around it, up to the last one of this host."""
        while frame is not None:
            host = frame._session._dispatcher
            if host is self:
                return narrowed(scope, frame._scope)
            if frame._scope is not None and self._works_for(host):
                scope = Below(scope, partial(host.withheld, frame._scope))
            frame = frame._outer
        return scope

    def _works_for(self, host: Dispatcher) -> bool:
        above = self._parent
        while above is not None and above is not host:
            above = above._parent
        return above is host

    def withheld(self, scope: Scope) -> frozenset[str]:
        """The tools that this host has, or one above it, and that whoever has this scope may not use."""
        snapshot = self.registry.snapshot
        return snapshot.all_names - self.sight.allowed_names(scope, snapshot) | scope.withheld()

    def new_call_id(self) -> str:
        """An id that no other call has, in this process or another."""
        return f"call-{self._token}-{next(self._count)}"

    # -- what calls may see ----------------------------------------------------------------------------------

    def definitions(
        self,
        scope: Scope | None,
        *,
        format: str = "openai",
        quiet: bool = True,
        context_length: int | None = None,
        everything: bool = False,
        session: Session | None = None,
    ) -> list[dict[str, Any]]:
        """What a model with this scope is shown."""
        hooks = self.hooks.of("hermes_adjust_definitions")
        adjust: Adjust | None = None
        if hooks:
            about = {"context_length": context_length, "format": format, "everything": everything}
            ctx = ToolContext(ToolCall("", {}, session or self.default_session, scope))
            adjust = partial(self._adjust, hooks, {**about, "ctx": ctx})
        return self.sight.definitions(scope, format=format, quiet=quiet, adjust=adjust)

    def allowed_names(self, scope: Scope | None) -> frozenset[str]:
        """The registered tools within a scope."""
        return self.sight.allowed_names(scope)

    def _adjust(
        self, hooks: Iterable[Hook], about: dict[str, Any], functions: Sequence[Any], available: frozenset[str]
    ) -> Sequence[Any]:
        """What plugins make of definitions; each gets what the one before left, and can change nothing in place."""
        about["available"] = available
        for hook in hooks:
            about["definitions"] = functions
            try:
                answer = hook.now(about, self.hooks.seconds)
                if answer is LATER:
                    answer = drive(hook.ask(about, self.blocking, self.hooks.seconds))
            except Exception as error:  # foreign code: a failed adjustment changes nothing
                report(hook, error)
                continue
            if isinstance(answer, list) and answer is not functions:
                functions = ReadOnlyList(map(frozen, answer))
            elif isinstance(answer, tuple):
                functions = answer
        return functions

    def how_to_read(self, path: Path, line: int, scope: Scope | None) -> str:
        """The exact way to read a spilled result on, with a tool that the caller really has."""
        where = f"The full result is in {path}"
        if self._reader in self.allowed_names(scope):
            call = f'{self._reader}(file_path="{path}", offset={line}, limit=500)'
            return f"{where}. Read on with {call}, and raise offset for more."
        return f"{where}; this preview ends in its line {line}. Open that file to read on, or ask for less."

    def source_of(self, tool: str) -> str:
        """Return the plugin that a tool came from, here or in a host above; else `application`."""
        found = self._config.source_of(tool)
        return self._parent.source_of(tool) if found == APPLICATION and self._parent is not None else found

    @property
    def config(self) -> Config:
        """The user's settings."""
        return self._config.now

    def may_read(self, section: str, plugin: str | None, tool: str) -> bool:
        """Whether the code that was given a context may read a section of the settings.

        Args:
            section: The section.
            plugin: The plugin whose hook it is; None for the tool itself.
            tool: The tool that is called.
        """
        asking = self._config.source_of(tool) if plugin is None else plugin
        above = self._parent
        return (
            (plugin is None and asking == APPLICATION)
            or self._config.is_readable(section, asking)
            or (above is not None and above.may_read(section, asking, tool))
        )

    @cached_property
    def own_secrets(self) -> OwnSecrets:
        """The user's own secrets, which no model may see."""
        from hermes_core.config.secret_values import OwnSecrets

        return OwnSecrets(self.home, lambda: self.config, self._required_variables)

    def _required_variables(self) -> Iterator[str]:
        return (name for tool in self.registry.snapshot._tools.values() for name in tool.requires_env)

    def providers(self, point: str) -> Mapping[str, Any]:
        """Every provider of an extension point, made at its first use."""
        return self._providers.of(point)

    # -- sessions --------------------------------------------------------------------------------------------

    def new_session(
        self,
        *,
        kind: str,
        id: str | None = None,
        scope: Scope | None = None,
        services: Mapping[type | str, Any] | None = None,
    ) -> Session:
        """A session that is not yet started."""
        if self.closed:
            raise HostClosedError("open a session")
        if not isinstance(kind, str) or not _KIND.fullmatch(kind):  # a rule for "cron" must find every cron job
            raise HostError(f"{kind!r} is not a kind of session: use a word in lower case, such as 'cron'.")
        given = Services(services, self.services)
        session = Session(self, id=id or f"session-{os.urandom(6).hex()}", kind=kind, scope=scope, services=given)
        with self._lock:
            self._sessions[session] = None
        return session

    def begin_session(self, session: Session) -> None:
        """Start a session from sync code."""
        self.bridge.refuse_inside("Session.__enter__()")
        drive(session.begin(self.blocking))

    async def abegin_session(self, session: Session) -> None:
        """Start a session from async code."""
        await session.begin(self._looping)

    def end_session(self, session: Session) -> None:
        """End a session from sync code."""
        self.bridge.refuse_inside("Session.close()")
        drive(session.end(self.blocking))

    async def aend_session(self, session: Session) -> None:
        """End a session from async code."""
        await session.end(self._looping)

    def forget(self, session: Session) -> None:
        """Drop a session that has ended."""
        with self._lock:
            self._sessions.pop(session, None)

    # -- the end ---------------------------------------------------------------------------------------------

    def close(self) -> None:
        """End every session, newest first, then stop the bridge."""
        self.bridge.refuse_inside("Hermes.close()")
        ended: set[Session] = set()
        while session := self._last_session(ended):
            drive(session.end(self.blocking))
        self._shut()

    async def aclose(self) -> None:
        """The same from async code: async releases run on the caller's loop, where they were made."""
        ended: set[Session] = set()
        while session := self._last_session(ended):
            await session.end(self._looping)
        self._shut()

    def _last_session(self, ended: set[Session]) -> Session | None:
        """The newest session that was not ended yet; one that is just being ended is not ended twice."""
        with self._lock:
            found = next((session for session in reversed(self._sessions) if session not in ended), None)
        if found is not None:
            ended.add(found)
        return found

    def _shut(self) -> None:
        self.closed = True
        self.bridge.close()
        self._workers.close()
