"""The tools that are called: one that does nothing, and others that call it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_core import Finding, Tool, ToolContext

if TYPE_CHECKING:
    from hermes_core import Hermes
    from hermes_kit.proof.watcher import Notes

PROBE = "hermes_probe"


class ProbeNames(NamedTuple):
    """The probe, its alias, tools that call it from async and from sync code, and one that needs an approval."""

    probe: str
    alias: str
    nested: str
    nested_sync: str
    asking: str


def free_names(host: Hermes) -> ProbeNames:
    """Return names that no tool of the user has."""
    name = PROBE
    while True:
        names = ProbeNames(name, f"{name}_alias", f"{name}_nested", f"{name}_nested_sync", f"{name}_asking")
        if not any(host.registry.snapshot.canonical(each) for each in names):
            return names
        name += "_"


def register_probe(host: Hermes, names: ProbeNames, notes: Notes) -> None:
    """Register the probe in a host."""
    empty = {"type": "object", "properties": {}}
    ways = {"type": "object", "properties": {"way": {"type": "string"}}, "required": ["way"]}

    def run(args: dict[str, Any], ctx: ToolContext) -> str:
        del args
        notes.ran.add(ctx.call.id)
        return "{}"

    async def nest(args: dict[str, Any], ctx: ToolContext) -> str:
        if args["way"] == "batch":
            await ctx.abatch([(names.probe, {}), (names.probe, {})])
        else:
            await ctx.acall(names.probe)
        return "{}"

    def nest_in_a_thread(args: dict[str, Any], ctx: ToolContext) -> str:
        del args
        ctx.call_tool(names.probe)
        return "{}"

    def ask(_args: dict[str, Any], _ctx: ToolContext) -> Finding:
        return Finding(rule="hermes.probe", severity="ask", reason="It is a probe.")

    register = host.registry.register
    probe = {"name": names.probe, "description": "Does nothing.", "parameters": empty}
    register(Tool.from_schema(probe, run, toolset=PROBE, aliases=[names.alias]))
    register(Tool.from_schema({"name": names.nested, "parameters": ways}, nest, toolset=PROBE))
    register(Tool.from_schema({"name": names.nested_sync, "parameters": empty}, nest_in_a_thread, toolset=PROBE))
    register(Tool.from_schema({"name": names.asking, "parameters": empty}, run, toolset=PROBE, assess=ask))
