"""A session: one conversation, job or run, with its own scope, services and resources."""

from __future__ import annotations

import contextvars
import inspect
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from hermes_core.calls.caller import Caller
from hermes_core.calls.deadlines import current_task, drive
from hermes_core.calls.runner import Callee, Runner
from hermes_core.calls.services import Services
from hermes_core.calls.visibility import Scope
from hermes_core.calls.worker_threads import in_a_worker
from hermes_core.errors import SessionClosedError, ToolUnavailableError
from hermes_core.logs import log

if TYPE_CHECKING:
    from hermes_core.calls.dispatcher import Dispatcher

RELEASE_SECONDS = 10.0  # the deadline for releasing one resource when a session ends
_beginning: contextvars.ContextVar[frozenset[Any]] = contextvars.ContextVar("hermes_beginning", default=frozenset())
"""The sessions whose plugins are being notified of their start or end: these must not wait for themselves."""


class Session(Caller):
    """Created by `Hermes.session(...)`; a sync and async context manager.

    Attributes:
        id: Identifies the session in records and files.
        kind: `interactive`, `batch`, `cron`, ... for policies.
        services: The services for its tools, by type.
        state: Data that plugins store for this session.
    """

    _dispatcher: Dispatcher

    def __init__(self, dispatcher: Dispatcher, *, id: str, kind: str, scope: Scope | None, services: Services) -> None:
        self.id = id
        self.kind = kind
        self.scope = scope
        self.services = services
        self.state: dict[str, Any] = {}
        self.started = False
        self.closed = False
        self.dispatcher = self._dispatcher = dispatcher
        self._options = {"session": self}
        self._begun = self._ending = False
        self._ready, self._ended = threading.Event(), threading.Event()
        self._releases: list[Callable[[], Any]] = []
        self._lock = threading.Lock()

    def definitions(self, **options: Any) -> list[dict[str, Any]]:
        """Return the definitions within the scope of the session. The options are those of `Hermes.definitions`."""
        return self._dispatcher.definitions(self.scope, self, **options)

    def mask_secrets(self, text: str) -> str:
        """Replace keys of known formats and the user's own secrets in text that a model reads and may write back."""
        if len(text) < 8:  # shorter than any secret, like the output of most commands
            return text
        from hermes_text.secrets import mask_secrets

        return mask_secrets(text, self._dispatcher.secrets.own)

    def on_close(self, release: Callable[[], Any]) -> None:
        """Call a function, sync or async, when the session ends; the last one registered is called first."""
        with self._lock:
            if self.closed:
                raise SessionClosedError(self.id, "release anything else")
            self._releases.append(release)

    def refuse_when_ending(self, doing: str) -> None:
        """Raise `SessionClosedError` once the session is ending, except for plugins that end it."""
        if self._ending and (self.closed or self not in _beginning.get()):
            raise SessionClosedError(self.id, doing)

    async def begin(self, runner: Runner) -> None:
        """Notify plugins, once, that the session starts; other callers wait until they are done."""
        if self in _beginning.get():
            return  # a plugin calls a tool while preparing the session
        self.refuse_when_ending("start")
        with self._lock:
            first = not self._begun
            self._begun = True
        if first:
            token = _beginning.set(_beginning.get() | {self})
            try:
                await self._observe("hermes_session_start", runner)
            finally:
                _beginning.reset(token)
                self.started = True
                self._ready.set()
        elif not self.started:
            await _wait_for(self._ready, runner)
            self._require_started()

    def _require_started(self) -> None:
        """Refuse calls while plugins prepare the session: a policy that they add must judge the first call."""
        if not self.started:
            raise ToolUnavailableError(
                f"The session {self.id} is still starting.", hint="Try again when its plugins are ready."
            )

    async def end(self, runner: Runner) -> None:
        """Notify plugins, once, that the session ends, and release its resources. Other callers wait for that."""
        with self._lock:
            first = not self._ending
            self._ending = True
        if not first:
            if self not in _beginning.get():
                await _wait_for(self._ended, runner)
            return
        if self._begun and not self.started and self not in _beginning.get():
            await _wait_for(self._ready, runner)
        token = _beginning.set(_beginning.get() | {self})
        place = in_a_worker.set(True)  # releasing must not wait for a free thread
        try:
            if runner.blocks:
                await self._release_all(runner)
            else:
                import anyio

                with anyio.CancelScope(shield=True):  # each part has a deadline; a bare task.cancel() gets through
                    await self._release_all(runner)
        finally:
            in_a_worker.reset(place)
            _beginning.reset(token)
            self._dispatcher.forget(self)
            self._ended.set()

    async def _observe(self, name: str, runner: Runner) -> None:
        hooks = self._dispatcher.hooks
        await hooks.observe(hooks.of(name), {"session": self}, runner)

    async def _release_all(self, runner: Runner) -> None:
        interrupted: BaseException | None = None
        if self._begun:
            try:
                await self._observe("hermes_session_end", runner)
            except BaseException as error:  # Ctrl-C: still release the rest
                interrupted = error
        while release := self._next_release():
            try:
                callee = Callee(release, is_async=inspect.iscoroutinefunction(release), exact=True)
                await runner.run(callee, (), {}, RELEASE_SECONDS)
            except Exception:  # foreign code: a failed release must not prevent the others
                log.warning("Session %s: releasing %r failed", self.id, release, exc_info=True)
            except BaseException as error:
                interrupted = interrupted or error
        if interrupted is not None:
            raise interrupted

    def _next_release(self) -> Callable[[], Any] | None:
        with self._lock:
            if self._releases:
                return self._releases.pop()
            self.closed = True
            return None

    def close(self) -> None:
        """End the session from sync code."""
        self._dispatcher.bridge.refuse_inside("Session.close()")
        drive(self.end(self._dispatcher.blocking))

    async def aclose(self) -> None:
        """End the session from async code."""
        await self.end(self._dispatcher.looping)

    def __enter__(self) -> Self:
        self._dispatcher.bridge.refuse_inside("Session.__enter__()")
        drive(self.begin(self._dispatcher.blocking))
        return self

    async def __aenter__(self) -> Self:
        await self.begin(self._dispatcher.looping)
        return self


async def _wait_for(event: threading.Event, runner: Runner) -> None:
    if runner.blocks:
        # A sync call on an event loop may wait for a task of that loop, which it blocks.
        event.wait(1.0 if current_task() else RELEASE_SECONDS * 6)
        return
    import anyio

    with anyio.move_on_after(RELEASE_SECONDS * 6):
        while not event.is_set():
            await anyio.sleep(0.002)
