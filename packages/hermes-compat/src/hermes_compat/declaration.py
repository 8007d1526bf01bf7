"""Makes a tool from a registration for Hermes Agent: a schema, a handler and a check."""

from __future__ import annotations

import inspect
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from hermes_core import Tool
from hermes_core.inspection import Verdict

Check = Callable[[], object]
DynamicSchema = Callable[..., Any]

Handler = Callable[..., object]

_extra: ContextVar[tuple[str, Mapping[str, Any]] | None] = ContextVar("hermes_legacy_extra", default=None)
"""The tool that is being called, and additional facts for its handler."""


def declare(
    name: str,
    toolset: str,
    schema: Mapping[str, Any],
    handler: Handler,
    *,
    check_fn: Check | None = None,
    requires_env: Iterable[str] | None = None,
    is_async: bool = False,
    description: str = "",
    emoji: str = "",
    max_result_size_chars: float | None = None,
    dynamic_schema_overrides: DynamicSchema | None = None,
) -> Tool:
    """Return a tool with a handler of Hermes Agent, `handler(args, **info)`.

    There, `requires_env` only lists variables that could be set, and often one of them is enough; the check decides. So
    the names become part of the remedy, and are not required.

    Raises:
        ToolDefinitionError: the declaration is invalid.
    """
    asynchronous = is_async or inspect.iscoroutinefunction(handler)
    called = handler
    if callable(handler):  # anything else is refused by the declaration
        called = _asynchronously(name, handler) if asynchronous else _synchronously(name, handler)
    return Tool.from_schema(
        schema,
        called,
        name=name,
        toolset=toolset,
        description=description or None,
        check=_explained(check_fn, tuple(requires_env or ())),
        is_async=asynchronous,
        emoji=emoji,
        max_result_size_chars=max_result_size_chars,
        dynamic_schema=dynamic_schema_overrides,
    )


@contextmanager
def handler_facts(name: str, info: Mapping[str, Any]) -> Iterator[None]:
    """Pass additional facts to the handler of one tool, if it accepts them."""
    token = _extra.set((name, info))
    try:
        yield
    finally:
        _extra.reset(token)


def _synchronously(name: str, handler: Handler) -> Handler:
    fitting = _selector(name, handler)

    def run(args: dict[str, Any], **info: Any) -> object:
        return handler(args, **fitting(info))

    return run


def _asynchronously(name: str, handler: Handler) -> Handler:
    fitting = _selector(name, handler)

    async def run(args: dict[str, Any], **info: Any) -> object:
        answer = handler(args, **fitting(info))
        return await answer if isinstance(answer, Awaitable) else answer

    return run


def _selector(name: str, handler: Handler) -> Callable[[dict[str, Any]], dict[str, Any]]:
    accepted = accepted_names(handler, skip=1)

    def select(info: dict[str, Any]) -> dict[str, Any]:
        extra = _extra.get()
        if extra is not None and extra[0] == name:
            info = {**extra[1], **info}
        return info if accepted is None else {key: value for key, value in info.items() if key in accepted}

    return select


def accepted_names(function: Callable[..., object], *, skip: int = 0) -> frozenset[str] | None:
    """Return the keyword arguments that a function accepts after the first few parameters; None for any."""
    try:
        parameters = list(inspect.signature(function).parameters.values())[skip:]
    except (TypeError, ValueError):
        return frozenset()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return frozenset(parameter.name for parameter in parameters if parameter.kind in by_name)


def _explained(check: Check | None, names: tuple[str, ...]) -> Check | None:
    return _Explained(check, names) if callable(check) and names else check


@dataclass(frozen=True, slots=True)
class _Explained:
    """A check whose failure names the variables it looks for. Equal ones are called once, like a shared check."""

    check: Check
    names: tuple[str, ...]

    def __call__(self) -> object:
        answer = self.check()
        if answer:
            return answer
        unset = ", ".join(name for name in self.names if not os.environ.get(name, "").strip())
        return Verdict(
            available=False,
            reason=f"its check {getattr(self.check, '__name__', 'function')} fails",
            remedy=f"It looks for {unset} in the environment." if unset else "",
        )


def thaw(value: Any) -> Any:
    """Copy JSON into values that may be changed."""
    if isinstance(value, Mapping):
        return {key: thaw(part) for key, part in value.items()}
    return [thaw(part) for part in value] if isinstance(value, list | tuple) else value
