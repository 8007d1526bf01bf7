"""What a model is shown, for a host with thousands of tools."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time
from typing import Any

from bench.harness import Row, fastest, numbered, once, statements
from hermes_core import Hermes, Tool

TOOLS = 5_000

_PARAMETERS: tuple[dict[str, Any], ...] = (
    {"type": "string", "description": "What to look for."},
    {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
    {"type": "array", "items": {"type": "string"}},
    {"type": "string", "enum": ["fast", "thorough"]},
    {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None},
    {"type": "object", "properties": {"deep": {"type": "boolean"}}},
)

_OURS = "hermes.definitions(everything=True)"

_BY_HAND = (
    '[{"type": "function", "function": {"name": tool.name, "description": tool.description, '
    '"parameters": tool.parameters}} for tool in tools]'
)


def make_tool(name: str, number: int) -> Tool:
    """A tool with three to six parameters."""
    properties = {f"argument_{at}": _PARAMETERS[(number + at) % 6] for at in range(3 + number % 4)}
    schema = {
        "name": name,
        "description": f"Does what tool number {number} does.",
        "parameters": {"type": "object", "properties": properties, "required": ["argument_0"]},
    }
    return Tool.from_schema(schema, lambda args: args, toolset=f"toolset-{number % 50}")


def rows() -> Iterator[Row]:
    """A warm list, and the first one after a registration."""
    names = numbered("tool")
    tools = [make_tool(next(names), number) for number in range(TOOLS)]
    with Hermes(tools=tools) as hermes:
        hermes.definitions(everything=True)
        warm = statements({"hermes": hermes, "tools": tools}, 3, ours=_OURS, hand=_BY_HAND)

        def after_a_registration() -> float:
            tools.append(make_tool(next(names), len(tools)))
            hermes.registry.register(tools[-1])
            return once(lambda: hermes.definitions(everything=True), process_time)

        def by_hand() -> float:
            return once(lambda: eval(_BY_HAND, {"tools": tools}), process_time)

        changed = fastest({"ours": after_a_registration, "hand": by_hand}, 25)
    against = "the wrapper dicts made by hand"
    yield Row(what="definitions, warm", against=against, ours=warm["ours"], baseline=warm["hand"], limit=1.5)
    yield Row(
        what="definitions, one tool added", against=against, ours=changed["ours"], baseline=changed["hand"], limit=3.0
    )
