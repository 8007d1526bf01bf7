"""The methods that `Hermes` and `Session` share."""

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

    if TYPE_CHECKING:

        @property
        def _dispatcher(self) -> Dispatcher: ...

        def close(self) -> None: ...
        async def aclose(self) -> None: ...

    def _with(self, options: dict[str, Any]) -> dict[str, Any]:
        return {**options, **self._options} if self._options else options

    def call(self, name: str, args: object = None, **options: Any) -> str:
        """Call a tool from sync code. Always returns JSON text; a failure is `{"error": ...}`.

        Args:
            name: The tool's name or alias.
            args: The arguments: a mapping, or its JSON text.
            **options: `enabled` and `disabled` toolsets, `session`, `task_id`, `id`, `timeout` in seconds, `origin`.
        """
        text: str = self._dispatcher.call(name, args, {**options, **self._options} if self._options else options)
        return text

    def acall(self, name: str, args: object = None, **options: Any) -> Coroutine[Any, Any, str]:
        """Call a tool from async code: `await hermes.acall(name, args)`. See `call`."""
        return self._dispatcher.acall(name, args, self._with(options))

    def run(self, name: str, args: object = None, **options: Any) -> CallRecord:
        """Call a tool and return the record of the call: result, repairs, decision, duration."""
        record: CallRecord = self._dispatcher.call(name, args, self._with(options), record=True)
        return record

    def arun(self, name: str, args: object = None, **options: Any) -> Coroutine[Any, Any, CallRecord]:
        """Like `run`, from async code."""
        return self._dispatcher.acall(name, args, self._with(options), record=True)

    def rehearse(
        self, name: str, args: object = None, *, plugins: Collection[str] | None = None, **options: Any
    ) -> Rehearsal:
        """Predict what would happen to a call without running it, as `hermes policy explain` does.

        This calls policy hooks, assessors and the tool's own assessment. It asks no approver and uses no grant.

        Args:
            name: The tool's name or alias.
            args: The arguments.
            plugins: Ask only these plugins' hooks, by name, and not the tool's own assessment. All by default.
            **options: As for `call`.
        """
        from hermes_core.calls.rehearsal import rehearse

        return rehearse(self._dispatcher, name, args, plugins, self._with(options))

    def batch(self, calls: Iterable[object], **options: Any) -> list[str]:
        """Run several calls and return the results in the same order.

        Calls that only read run in parallel, writes to overlapping paths in order, and calls that execute, spend or
        send alone. A call is `(name, args)`, `{"name", "args"}`, or a tool call in the format of OpenAI or Anthropic.
        """
        return self._dispatcher.batch(calls, self._with(options))

    async def abatch(self, calls: Iterable[object], **options: Any) -> list[str]:
        """Like `batch`, from async code."""
        return await self._dispatcher.abatch(calls, self._with(options))

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
