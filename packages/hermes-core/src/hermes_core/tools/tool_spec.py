"""The public description of a tool, without its code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, NoReturn

EFFECTS = frozenset({"read", "write", "delete", "network", "exec", "privileged", "spend", "message"})
"""The possible effects of tools, which policies, batches and MCP annotations use."""

DEFAULT_RESULT_CHARS = 100_000
"""The default size limit of results before they are saved to a file: about 30,000 tokens."""

_NOTHING: Mapping[str, str] = MappingProxyType({})


class ContextMarker:
    """Base of the context class: the pipeline fills in a parameter annotated with it."""

    __slots__ = ()


class LazyHandler:
    """The handler of a tool whose plugin is not imported yet."""

    __slots__ = ("plugin",)

    def __init__(self, plugin: str) -> None:
        self.plugin = plugin

    def __call__(self, *_args: object, **_kwargs: object) -> NoReturn:
        raise RuntimeError(f"the plugin {self.plugin!r} is not imported yet")  # the pipeline imports it first


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolSpec:
    """A tool in the registry. It can be listed, described and judged, but not run.

    Attributes:
        name: The name for models: letters, digits, `_` and `-`, at most 64.
        toolset: Its toolset.
        description: The description for models.
        parameters: The JSON schema of the arguments.
        is_async: Whether the handler is a coroutine function, or a plain function that does not block and returns an
            awaitable if it has to wait.
        requires_env: Required environment variables.
        requires_bin: Required programs on PATH.
        requires_extra: Required extras, in pip's syntax: `hermes-tools-web[pdf]`.
        effects: The effects of the tool, out of `EFFECTS`.
        emoji: An emoji for lists.
        max_result_size_chars: Longer results are saved to a file; infinity means no limit.
        timeout: The deadline of calls in seconds; None means the host's default, infinity means no limit.
        argument_aliases: Other names that models use for an argument, to the real one.
        aliases: Other names of the tool.
        always_load: Whether tool search never hides it.
        needs: Services, by type or name, that the application must provide.
        keywords: Additional words for tool search.
        calls: Other tools that it calls for its caller. Models learn which of them they may use.
        in_every_scope: Whether it can be called in every scope, unless it is disabled by name. Only for tools that
            reveal and run nothing outside the caller's scope; such a tool may have no effect but `read`.
    """

    name: str
    toolset: str
    parameters: Mapping[str, Any]
    description: str = ""
    is_async: bool = False
    requires_env: tuple[str, ...] = ()
    requires_bin: tuple[str, ...] = ()
    requires_extra: tuple[str, ...] = ()
    effects: frozenset[str] = frozenset()
    emoji: str = ""
    max_result_size_chars: float = DEFAULT_RESULT_CHARS
    timeout: float | None = None
    argument_aliases: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    aliases: tuple[str, ...] = ()
    always_load: bool = False
    needs: tuple[type | str, ...] = ()
    keywords: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    in_every_scope: bool = False


SPEC_FIELDS = tuple(entry.name for entry in fields(ToolSpec))
