"""A session: one conversation, job or run, with its own scope, services and things to release at its end."""

from __future__ import annotations

import inspect
import logging
import threading
from collections.abc import Callable, Coroutine, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hermes_core.calls.runner import Callee, Runner
from hermes_core.calls.scope import Scope
from hermes_core.calls.services import Services

if TYPE_CHECKING:
    from hermes_core.calls.call import CallRecord
    from hermes_core.calls.dispatch import Dispatcher

_log = logging.getLogger("hermes")
RELEASE_SECONDS = 10.0
"""How long one thing may take to be released when a session ends."""


class Session:
    """Made by `Hermes.session(...)`; a context manager, sync and async.

    Attributes:
        id: Its name in records and files.
        kind: `interactive`, `batch`, `cron`, ... for policy to look at.
        services: What its tools can ask for by type.
        state: A place for plugins to keep what belongs to this session.
    """

    def __init__(self, dispatcher: Dispatcher, *, id: str, kind: str, scope: Scope | None, services: Services) -> None:
        self.id = id
        self.kind = kind
        self.scope = scope
        self.services = services
        self.state: dict[str, Any] = {}
        self.started = False
        self.closed = False
        self.dispatcher = dispatcher
        self._releases: list[Callable[[], Any]] = []
        self._lock = threading.Lock()

    # -- calling ---------------------------------------------------------------------------------------------

    def definitions(self, *, format: str = "openai", quiet: bool = True) -> list[dict[str, Any]]:
        """The definitions of the tools inside the session's scope."""
        return self.dispatcher.definitions(self.scope, format=format, quiet=quiet)

    def call(self, name: str, args: object = None, **options: Any) -> str:
        """Call a tool within this session."""
        return self.dispatcher.call(name, args, {**options, "session": self})

    def acall(self, name: str, args: object = None, **options: Any) -> Coroutine[Any, Any, str]:
        """Call a tool within this session, from async code."""
        return self.dispatcher.acall(name, args, {**options, "session": self})

    def run(self, name: str, args: object = None, **options: Any) -> CallRecord:
        """Call a tool, and get everything that is known about the call."""
        return self.dispatcher.run(name, args, {**options, "session": self})

    def arun(self, name: str, args: object = None, **options: Any) -> Coroutine[Any, Any, CallRecord]:
        """The same as `run`, from async code."""
        return self.dispatcher.arun(name, args, {**options, "session": self})

    def batch(self, calls: Iterable[object], **options: Any) -> list[str]:
        """Run several calls, in parallel where their effects allow it."""
        return self.dispatcher.batch(calls, {**options, "session": self})

    async def abatch(self, calls: Iterable[object], **options: Any) -> list[str]:
        """Run several calls from async code, in parallel where their effects allow it."""
        return await self.dispatcher.abatch(calls, {**options, "session": self})

    # -- life ------------------------------------------------------------------------------------------------

    def new_call_id(self) -> str:
        """An id that no other call has."""
        return self.dispatcher.new_call_id()

    def on_close(self, release: Callable[[], Any]) -> None:
        """Have a function, sync or async, called when the session ends; the last one given is called first."""
        self._releases.append(release)

    async def begin(self, runner: Runner) -> None:
        """Tell plugins, once, that the session starts."""
        with self._lock:
            if self.started or self.closed:
                return
            self.started = True
        await self.dispatcher.hooks.observe("hermes_session_start", {"session": self}, runner)

    async def end(self, runner: Runner) -> None:
        """Tell plugins, once, that the session ends, and release everything that was left to it."""
        with self._lock:
            if self.closed:
                return
            self.closed = True
        if self.started:
            await self.dispatcher.hooks.observe("hermes_session_end", {"session": self}, runner)
        while self._releases:
            release = self._releases.pop()
            try:
                callee = Callee(release, is_async=inspect.iscoroutinefunction(release), exact=True)
                await runner.run(callee, (), {}, RELEASE_SECONDS)
            except Exception:  # foreign code: one failed release must not keep the others
                _log.warning("Session %s: releasing %r failed", self.id, release, exc_info=True)
        self.dispatcher.forget(self)

    def close(self) -> None:
        """End the session from sync code."""
        self.dispatcher.end_session(self)

    async def aclose(self) -> None:
        """End the session from async code."""
        await self.dispatcher.aend_session(self)

    def __enter__(self) -> Self:
        self.dispatcher.begin_session(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        await self.dispatcher.abegin_session(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
