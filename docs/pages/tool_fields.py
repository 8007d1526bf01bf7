"""The fields of a tool, and the consequences of its effects."""

from __future__ import annotations

import dataclasses
from typing import Any

from docs.pages.docstrings import attributes
from docs.pages.pieces import table

from hermes_core import Hermes, Tool, ToolSpec
from hermes_core.calls.batch import footprint
from hermes_core.calls.call_plan import Plan
from hermes_core.tools.tool_spec import EFFECTS
from hermes_files.access_order import Footprint


def page() -> str:
    """Generate the page."""
    described = attributes(ToolSpec, Tool)
    rows = [
        (f"`{field.name}`", f"`{field.type}`", _default(field), described[field.name])
        for field in dataclasses.fields(Tool)
    ]
    effects = ((f"`{effect}`", *_effect(effect)) for effect in sorted(EFFECTS))
    return "\n\n".join(
        [
            "# Fields of a tool\n\nA tool is a frozen value. `@tool(...)`, `Tool.from_function` and "
            "`Tool.from_schema` set its fields. [Declare a tool](../how-to/declare-a-tool.md) shows them in use.",
            "`ToolSpec` has all fields except those that contain code. The registry, hooks and listings use it, so "
            "no caller can run a tool without the pipeline.",
            table(["field", "type", "default", "meaning"], rows),
            "## Effects\n\nEffects declare what a tool may do. Policies refer to them, and they decide which calls may "
            "run at the same time and where a handler runs.",
            table(["effect", "in a batch", "a sync handler always gets a thread"], [("none", *_effect()), *effects]),
        ]
    )


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        value = field.default
        shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else repr(value)
        return f"`{shown}`"
    return "`{}`" if field.default_factory is not dataclasses.MISSING else "required"


def _effect(*effects: str) -> tuple[str, str]:
    """Ask the batch planner and the runner how they treat a tool with these effects."""
    tool = Tool.from_schema({"name": "probe"}, print, effects=effects)
    touched = footprint(tool.spec, {})
    named = footprint(tool.spec, {"path": "x"})
    hooks = Hermes(tools=[tool])._dispatcher.hooks
    plan = Plan(tool, 300.0, exact=False, hooks=hooks)
    return _batch_words(touched, named), "yes" if plan.handler.exact else "until proven quick"


def _batch_words(touched: Footprint, named: Footprint) -> str:
    if touched.exclusive:
        return "runs alone"
    if touched.changes:
        return "waits for calls that touch the same paths; without a path argument, any path"
    if touched.paths:
        return "waits for changes of the same paths; without a path argument, of any path"
    return "waits for calls that touch the same paths" if named.changes else "waits for nothing"
