"""The health check of tool search: search for a hidden tool, describe it, and call it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hermes_core import Hermes, Tool
from hermes_core.health import HealthCheck

if TYPE_CHECKING:
    from hermes_core.health import HealthContext

_TOOLS = ("tool_search", "tool_describe", "tool_call")


def check_bridge(ctx: HealthContext) -> Iterator[str]:
    """Find a hidden tool, in a host with only this plugin and that tool."""
    import json

    from hermes_search import plugin

    schema = {"name": "roll_dice", "description": "Roll some dice."}
    hidden = Tool.from_schema(schema, lambda _args: {"rolled": 4}, toolset="health")
    config = {"tools": {"tool_search": {"enabled": "on"}}}
    with Hermes(tools=[hidden], plugins=[plugin], config=config, home=ctx.scratch / "home") as hermes:
        shown = {each["function"]["name"] for each in hermes.definitions()}
        if shown != set(_TOOLS):
            yield f"Models get {', '.join(sorted(shown))} instead of {', '.join(sorted(_TOOLS))}."
        found = json.loads(hermes.call("tool_search", {"query": "roll dice"}))
        if [match["name"] for match in found.get("matches", ())] != ["roll_dice"]:
            yield f"A search for a tool answered {found}."
        described = json.loads(hermes.call("tool_describe", {"name": "roll_dice"}))
        if described.get("name") != "roll_dice":
            yield f"The description of a tool is {described}."
        called = json.loads(hermes.call("tool_call", {"name": "roll_dice", "arguments": {}}))
        if called != {"rolled": 4}:
            yield f"A call of a tool that was found answered {called}."


def health_checks() -> list[HealthCheck]:
    """Return the checks of tool search."""
    return [HealthCheck(name="find, describe and call a hidden tool", run=check_bridge, tools=_TOOLS)]
