"""The hooks of tool search. They import what they need when they are called, so that listing tools stays fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hermes_core import hookimpl

if TYPE_CHECKING:
    from click import Command

    from hermes_core import Tool, ToolContext
    from hermes_core.demo import DemoStep
    from hermes_core.health import HealthCheck

hermes_api = ">=1.0,<2"


@hookimpl
def hermes_tools() -> list[Tool]:
    """Return the bridge tools."""
    from hermes_search.bridge_tools import bridge_tools

    return bridge_tools()


@hookimpl
def hermes_settings() -> dict[str, dict[str, Any]]:
    """Return the section `tools`."""
    from hermes_search.settings import SECTION

    return {"tools": SECTION}


@hookimpl
def hermes_commands() -> list[Command]:
    """Return `hermes search` and `hermes tools cost`."""
    from hermes_search.cli import cost, search

    return [search, cost]


@hookimpl
def hermes_providers() -> dict[str, dict[str, Callable[[], object]]]:
    """Return the factory of the state of a host."""

    def make() -> object:
        from hermes_search.host_state import SearchState

        return SearchState()

    return {"tool_search": {"state": make}}


@hookimpl(trylast=True)
def hermes_adjust_definitions(
    definitions: Sequence[Mapping[str, Any]], context_length: int | None, everything: bool, ctx: ToolContext
) -> Sequence[Mapping[str, Any]]:
    """Hide tools whose definitions are long for the model, after other plugins have changed them."""
    from hermes_search.host_state import state_of

    return state_of(ctx).adjust(definitions, context_length, everything=everything, ctx=ctx)


@hookimpl
def hermes_health_checks() -> list[HealthCheck]:
    """Return the health checks of tool search."""
    from hermes_search.health import health_checks

    return health_checks()


@hookimpl
def hermes_demo_steps() -> list[DemoStep]:
    """Return the step that searches for tools."""
    from hermes_core.demo import DemoStep
    from hermes_search.demo import search_for_tools

    return [DemoStep(title="Tool search", run=search_for_tools, order=90)]
