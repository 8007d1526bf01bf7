"""A tool: a frozen declaration, written as a typed function or with an explicit schema."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar, overload

from hermes_core.tools.declaration import check_declaration, copy_parameters, normalized, plain_function, refuse_unknown
from hermes_core.tools.tool_spec import SPEC_FIELDS, ToolSpec

if TYPE_CHECKING:
    from hermes_core.calls.context import ToolContext
    from hermes_core.findings import Binding, Finding
    from hermes_core.tools.plain_signature import PlainSignature
    from hermes_core.tools.signature import Signature

    Findings = Finding | Iterable[Finding] | None
    Assess = Callable[[Mapping[str, Any], ToolContext], Findings | Awaitable[Findings]]
    Bound = Binding | None
    Bind = Callable[[Mapping[str, Any], ToolContext], Awaitable[Bound] | Bound]
    Forwarded = tuple[str, object]
    Forward = Callable[[Any, ToolContext], Awaitable[Forwarded] | Forwarded]

Check = Callable[[], object]
DynamicSchema = Callable[[], Mapping[str, Any] | None]
Function = TypeVar("Function", bound=Callable[..., object])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tool(ToolSpec):
    """A `ToolSpec` with its code, as a plugin declares and registers it.

    Attributes:
        handler: The function.
        check: Checks whether the tool is available: returns a truth value, or raises with the reason.
        assess: Returns findings about the arguments of one call.
        binding: Returns what an approval of a call depends on besides its arguments, as a `Binding`. It is called if a
            call needs approval; a grant for the call is valid only while all of these facts are the same.
        forward: Returns the name and arguments of the tool that a call is really about. The core replaces the call by
            that one, once, within the caller's scope, before anything plans, judges or records it. The function gets
            the arguments unvalidated; an exception ends the call as invalid arguments.
        dynamic_schema: Returns current values for `description` or `parameters`.
        signature: Converts JSON arguments to the function's types; None for the explicit form.
        blocked: Why the host does not allow the tool, and what to do; None if it does. Plugins do not set it.
    """

    handler: Callable[..., object]
    check: Check | None = None
    assess: Assess | None = None
    binding: Bind | None = None
    forward: Forward | None = None
    dynamic_schema: DynamicSchema | None = None
    signature: Signature | PlainSignature | None = None
    blocked: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        for field, value in normalized(self).items():
            object.__setattr__(self, field, value)
        object.__setattr__(self, "parameters", copy_parameters(str(self.name), self.parameters))
        check_declaration(self)

    @property
    def spec(self) -> ToolSpec:
        """The tool without its code."""
        return ToolSpec(**{name: getattr(self, name) for name in SPEC_FIELDS})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function directly, for its author's own tests. Agents call through a host."""
        return self.handler(*args, **kwargs)

    def but(self, **changes: Any) -> Tool:
        """Return a copy with other values in some fields, which are not checked again."""
        made = object.__new__(Tool)
        for name in _FIELDS:
            object.__setattr__(made, name, changes[name] if name in changes else getattr(self, name))
        return made

    @classmethod
    def from_function(
        cls,
        function: Callable[..., object],
        *,
        toolset: str = "default",
        name: str | None = None,
        description: str | None = None,
        visible_names: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> Tool:
        """Declare a tool from a typed function; its schema comes from the docstring and annotations."""
        given = _own_name(function) if name is None else name
        refuse_unknown(given, fields)
        signature: Signature | PlainSignature | None = None
        if (entries := _manifest.get()) is not None:
            from hermes_core.tools.plain_signature import plain_signature

            signature = plain_signature(function, given, entries)
        if signature is None:
            from hermes_core.tools.signature import Signature  # imports pydantic, which lists of tools do not need

            signature = Signature(given, function, visible_names)
        return cls(
            name=given,
            toolset=toolset,
            description=signature.description if description is None else description,
            parameters=signature.parameters,
            handler=function,
            is_async=bool(fields.pop("is_async", None)) or _is_async(function),
            signature=signature,
            **fields,
        )

    @classmethod
    def from_schema(
        cls,
        schema: Mapping[str, Any],
        handler: Callable[..., object],
        *,
        toolset: str = "default",
        name: str | None = None,
        description: str | None = None,
        **fields: Any,
    ) -> Tool:
        """Declare a tool from a schema and a handler that is called as `handler(args, **info)`.

        The schema may be flat (`{"name", "description", "parameters"}`) or wrapped (`{"type": "function", "function":
        {...}}`); `inputSchema` and `input_schema` are accepted, too.
        """
        flat = plain_function(schema, name)
        refuse_unknown(flat["name"], fields)
        return cls(
            name=flat["name"],
            toolset=toolset,
            description=flat["description"] if description is None else description,
            parameters=flat["parameters"],
            handler=handler,
            is_async=bool(fields.pop("is_async", None)) or _is_async(handler),
            **fields,
        )


_FIELDS = tuple(entry.name for entry in fields(Tool))
_manifest: ContextVar[Mapping[str, Mapping[str, Any]] | None] = ContextVar("hermes_manifest_tools", default=None)


@contextmanager
def described_by(entries: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    """Use the schemas of a manifest, by source, for tools that are declared in this block."""
    token = _manifest.set(entries)
    try:
        yield
    finally:
        _manifest.reset(token)


@overload
def tool(function: Function, /) -> Tool: ...


@overload
def tool(
    *,
    toolset: str = "default",
    name: str | None = None,
    description: str | None = None,
    requires_env: Iterable[str] = (),
    requires_bin: Iterable[str] = (),
    requires_extra: Iterable[str] = (),
    effects: Iterable[str] = (),
    check: Check | None = None,
    assess: Assess | None = None,
    binding: Bind | None = None,
    forward: Forward | None = None,
    emoji: str = "",
    max_result_size_chars: float | None = None,
    timeout: float | None = None,
    dynamic_schema: DynamicSchema | None = None,
    argument_aliases: Mapping[str, str] | None = None,
    aliases: Iterable[str] = (),
    always_load: bool = False,
    needs: Iterable[type | str] = (),
    keywords: Iterable[str] = (),
    calls: Iterable[str] = (),
    in_every_scope: bool = False,
    is_async: bool | None = None,
) -> Callable[[Function], Tool]: ...


def tool(function: Callable[..., object] | None = None, /, **fields: Any) -> Any:
    """Declare the decorated function as a tool. The fields are those of `Tool`."""
    declare: Any = functools.partial(Tool.from_function, visible_names=dict(sys._getframe(1).f_locals), **fields)
    return declare if function is None else declare(function)


def _own_name(function: object) -> str:
    """Return a function's name; for a partial, that of its function; for an object, that of its class."""
    if isinstance(function, functools.partial):
        return _own_name(function.func)
    return getattr(function, "__name__", None) or type(function).__name__


def _is_async(function: Callable[..., object]) -> bool:
    target = function.func if isinstance(function, functools.partial) else function
    return inspect.iscoroutinefunction(target) or inspect.iscoroutinefunction(getattr(target, "__call__", None))  # noqa: B004 - the method itself is asked about
