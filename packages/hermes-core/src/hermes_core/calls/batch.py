"""Runs several calls concurrently: reads in parallel, overlapping writes in order, commands alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_core.calls.results import tool_error
from hermes_core.errors import ConfigError, ToolCancelledError, ToolError
from hermes_files.access_order import Footprint, waits

if TYPE_CHECKING:
    from hermes_core.calls.call import ToolCall
    from hermes_core.calls.pipeline import Pipeline
    from hermes_core.calls.runner import Runner
    from hermes_core.tools.tool_spec import ToolSpec

_EXAMPLE = '("web_search", {"query": "pluggy"})'
_EXCLUSIVE = frozenset({"exec", "privileged", "spend", "message"})
"""Effects beyond any path: calls that have one run alone."""

_CHANGING = frozenset({"write", "delete"})
_PATH_WORDS = frozenset({"path", "paths", "file", "files", "filename", "dir", "directory", "folder"})
_PATH_FORMATS = frozenset({"path", "file-path", "directory-path", "uri-reference"})
_ROOT: tuple[str, ...] = ()


async def run_batch(pipeline: Pipeline, calls: list[ToolCall], runner: Runner) -> list[str]:
    """Start all calls; each waits for earlier calls that it conflicts with."""
    import anyio

    order = waits([await _footprint_of(call, pipeline, runner) for call in calls])
    done = {node: anyio.Event() for node in frozenset().union(*order.awaited)}
    results = [tool_error("It was cancelled before it finished.", code=ToolCancelledError.code)] * len(calls)

    async def run_node(node: int) -> None:
        for earlier in order.awaited[node]:
            await done[earlier].wait()
        try:
            if node < order.calls:
                results[node] = await pipeline.run(calls[node], runner)
        finally:
            if node in done:
                done[node].set()

    async with anyio.create_task_group() as group:
        for node in range(len(order.awaited)):
            group.start_soon(run_node, node)
    return results


@dataclass(frozen=True, slots=True)
class Request:
    """A call of a batch: the tool, its arguments, and the id that the caller gave it."""

    name: str
    args: Any
    id: str | None = None


def read_requests(calls: Iterable[object]) -> list[Request]:
    """Read every call of a batch."""
    if isinstance(calls, str | bytes | Mapping):
        raise ConfigError(f"a batch is a list of calls, not a {type(calls).__name__}.", example=f"[{_EXAMPLE}]")
    return [read_request(call) for call in calls]


def read_request(value: object) -> Request:
    """Read one call: a pair, a mapping, or a tool call in the format of OpenAI or Anthropic."""
    if isinstance(value, Request):
        return value
    if isinstance(value, str):
        return Request(value, {})
    if isinstance(value, tuple | list) and len(value) == 2 and isinstance(value[0], str):
        return Request(value[0], _arguments(value[1]))
    identity = _field(value, "id")
    inner = _field(value, "function")
    if inner is None or isinstance(inner, str):
        inner = value
        identity = identity or _field(value, "call_id") or _field(value, "tool_call_id")
    name = _field(inner, "name") or _field(inner, "tool")
    if not isinstance(name, str) or not name:
        raise ConfigError(f"{value!r} is not a call: it has no tool name.", example=_EXAMPLE)
    given = (_field(inner, key) for key in ("args", "arguments", "input"))
    args: object = next((each for each in given if each is not None), {})
    return Request(name, _arguments(args), identity if isinstance(identity, str) else None)


def _field(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _arguments(value: object) -> object:
    """Parse arguments that are the JSON text of an object; return others unchanged."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, dict) else value


async def _footprint_of(call: ToolCall, pipeline: Pipeline, runner: Runner) -> Footprint:
    try:
        plan = await pipeline.prepare(call, runner)
    except (ToolError, TypeError):  # its run reports the error
        return Footprint()
    return footprint(plan.spec, plan.repairer.repair(call.current_args).args)


def footprint(spec: ToolSpec, args: object) -> Footprint:
    """Predict from the tool's effects and the arguments what the call accesses."""
    if spec.effects & _EXCLUSIVE:
        return Footprint(exclusive=True)
    paths = tuple(_paths(spec, args)) if isinstance(args, Mapping) else ()
    if spec.effects & _CHANGING:
        return Footprint(changes=True, paths=paths or (_ROOT,))
    if "read" in spec.effects:
        return Footprint(paths=paths or (_ROOT,))
    if spec.effects:
        return Footprint()
    return Footprint(changes=bool(paths), paths=paths)  # without declared effects, expect changes of all paths


def _paths(spec: ToolSpec, args: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    properties = spec.parameters.get("properties", {})
    for name, value in args.items():
        target = spec.argument_aliases.get(name, name)
        schema = properties.get(target)
        named = _PATH_WORDS.intersection(str(target).lower().replace("-", "_").split("_"))
        if not named and not (isinstance(schema, Mapping) and schema.get("format") in _PATH_FORMATS):
            continue
        for item in value if isinstance(value, list | tuple) else (value,):
            if isinstance(item, str | os.PathLike):
                yield _parts(os.fspath(item))


def _parts(path: str | bytes) -> tuple[str, ...]:
    """Split a path into its parts from the root without resolving links, so that two spellings of a path are equal."""
    try:
        text = os.fsdecode(path)
        absolute = os.path.normpath(os.path.join(os.getcwd(), os.path.expanduser(text)))
    except (OSError, ValueError):  # an impossible path: the tool may access anything
        return _ROOT
    return tuple(part for part in absolute.split(os.sep) if part)
