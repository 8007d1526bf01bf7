"""The three tools that stand for all that are hidden, as models see them: the same bytes in every list."""

from __future__ import annotations

from typing import Any, NamedTuple

from hermes_core.tools.reserved import TOOL_CALL, TOOL_DESCRIBE, TOOL_SEARCH


class BridgeText(NamedTuple):
    """Name, description and parameters of a bridge tool."""

    name: str
    description: str
    parameters: dict[str, Any]


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


# Every letter is paid for at every turn. And none of it depends on which tools there are: a number of hidden tools in
# here would change the list, and with it what a provider has cached, whenever a tool comes or goes.
BRIDGE = (
    BridgeText(
        TOOL_SEARCH,
        "Find tools that are not in this list, by what they do. Then call one with tool_call; tool_describe shows "
        "its parameters first.",
        _object(
            {
                "query": _text("What you want to do, in a few words: 'create github issue'."),
                "limit": {"type": "integer", "description": "How many tools to find."},
            },
            ["query"],
        ),
    ),
    BridgeText(
        TOOL_DESCRIBE,
        "Show the description and parameters of a tool that tool_search found.",
        _object({"name": _text("The tool's exact name.")}, ["name"]),
    ),
    BridgeText(
        TOOL_CALL,
        "Call a tool that tool_search found. It runs as if it were in this list, under the same rules.",
        _object(
            {
                "name": _text("The tool's exact name."),
                "arguments": {"type": "object", "description": "Its arguments, as tool_describe shows them."},
            },
            ["name", "arguments"],
        ),
    ),
)


def taken(text: BridgeText) -> dict[str, Any]:
    """A bridge tool's schema as its arguments are held against it.

    It is wider than what models are shown: a limit that is no number costs the limit, and not the search.
    """
    properties = dict(text.parameters["properties"])
    if "limit" in properties:
        properties["limit"] = {"description": properties["limit"]["description"]}
    return {**text._asdict(), "parameters": {**text.parameters, "properties": properties}}


def bridge_definitions(format: str = "openai") -> list[dict[str, Any]]:
    """The definitions of the three, fresh, in a format of `Hermes.definitions`."""
    from hermes_core.tools.provider_schema import render, sanitize_parameters

    found = []
    for name, description, parameters in BRIDGE:
        function = {"name": name, "description": description, "parameters": sanitize_parameters(parameters, name=name)}
        effects = frozenset() if name == TOOL_CALL else frozenset({"read"})
        found.append(render(function, format, effects=effects))
    return found
