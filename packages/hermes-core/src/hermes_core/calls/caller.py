"""The methods that a host and its sessions share: they call tools, and are closed at the end of a `with` block."""

from __future__ import annotations

from collections.abc import Collection, Coroutine, Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermes_core.calls.call import CallRecord
    from hermes_core.calls.dispatcher import Dispatcher
    from hermes_core.calls.rehearsal import Rehearsal


class Caller:
    """Calls tools from sync and async code."""

    _options: Mapping[str, Any] = {}
    """The options of every call."""

    if TYPE_CHECKING:

        @property
        def _dispatcher(self) -> Dispatcher: ...

        def close(self) -> None: ...
        async def aclose(self) -> None: ...

    def call(self, name: str, args: object = None, **options: Any) -> str:
        """Call a tool from sync code. The answer is always a JSON text; a failure is `{"error": ...}`.

        Args:
            name: The tool's name or alias.
            args: Its arguments: a mapping, or the JSON text of one.
            **options: `enabled` and `disabled` toolsets, `session`, `task_id`, `id`, `timeout` in seconds, `origin`.
        """
        text: str = self._dispatcher.call(name, args, {**options, **self._options})
        return text

    def acall(self, name: str, args: object = None, **options: Any) -> Coroutine[Any, Any, str]:
        """Call a tool from async code: `await hermes.acall(name, args)`. See `call`."""
        return self._dispatcher.acall(name, args, {**options, **self._options})

    def run(self, name: str, args: object = None, **options: Any) -> CallRecord:
        """Call a tool, and return everything that is known about the call: repairs, decision, duration."""
        record: CallRecord = self._dispatcher.call(name, args, {**options, **self._options}, record=True)
        return record

    def arun(self, name: str, args: object = None, **options: Any) -> Coroutine[Any, Any, CallRecord]:
        """The same as `run`, from async code."""
        return self._dispatcher.acall(name, args, {**options, **self._options}, record=True)

    def rehearse(
        self, name: str, args: object = None, *, plugins: Collection[str] | None = None, **options: Any
    ) -> Rehearsal:
        """Return what would happen to a call, without running it: `hermes policy explain` for programs.

        Policy hooks, assessors and the tool's own assessment are really asked. Nobody else is, and no grant is used up.

        Args:
            name: The tool's name or alias.
            args: Its arguments.
            plugins: The only plugins whose hooks are asked, by name; the tool's own assessment is not. All by default.
            **options: Those of `call`.
        """
        from hermes_core.calls.rehearsal import rehearse

        return rehearse(self._dispatcher, name, args, plugins, {**options, **self._options})

    def batch(self, calls: Iterable[object], **options: Any) -> list[str]:
        """Run several calls; the answers come in the order of the calls.

        Calls that only read run in parallel, writes to overlapping paths in order, calls that execute, spend or send
        alone. A call is `(name, args)`, `{"name", "args"}`, or a tool call as OpenAI or Anthropic write it.
        """
        return self._dispatcher.batch(calls, {**options, **self._options})

    async def abatch(self, calls: Iterable[object], **options: Any) -> list[str]:
        """The same as `batch`, from async code."""
        return await self._dispatcher.abatch(calls, {**options, **self._options})

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
