"""`hermes toolsets`: list toolsets, or the tools of one."""

from __future__ import annotations

from typing import Any

import click

from hermes_core import Hermes, UnknownToolsetError
from hermes_core.cli.completion import toolset_names
from hermes_core.cli.output import json_option, note, print_facts, print_json, print_table, say
from hermes_core.cli.run import loaded_host
from hermes_text.tables import Column
from hermes_text.terminal import clean

_STATE_STYLES = {"available": "green", "held back": "yellow", "not available": "red", "not installed": "dim"}


@click.command()
@click.argument("name", required=False, shell_complete=toolset_names)
@click.option("--all", "everything", is_flag=True, help="Also list toolsets that are not installed.")
@json_option
def command(name: str | None, everything: bool, as_json: bool) -> None:
    """List the installed toolsets, or show the tools of one.

    A toolset is installed if all of its tools are, if a plugin registers tools in it, or if your configuration defines
    it. NAME is a toolset, one of its aliases, or 'all'. Exit code: 0, or 2 if there is no such toolset.
    """
    with loaded_host() as host:
        usable = frozenset(spec.name for spec in host.tools())
        names = host.toolsets.known_names(host.registry.snapshot) if name is None else ()
        known = [_facts(host, each, usable, is_listing=True) for each in names]
        defined = {*host.registry.snapshot.by_toolset, *host.config.settings().toolsets}
        shown = [each for each in known if everything or each["name"] in defined or _is_complete(each)]
        one = None if name is None else _facts(host, name, usable, is_listing=False)
    if as_json:
        print_json(one or {"toolsets": shown})
    elif one is not None:
        _print_one(one)
    else:
        _print_all(shown)
        if hidden := len(known) - len(shown):
            note(f"{hidden} more are not installed: 'hermes toolsets --all' lists them.")


def _is_complete(toolset: dict[str, Any]) -> bool:
    return bool(toolset["tools"]) and toolset["registered"] == toolset["tools"]


def _facts(host: Hermes, name: str, usable: frozenset[str], *, is_listing: bool) -> dict[str, Any]:
    """Return the facts of a toolset. In a listing, an unknown include is reported instead of raised."""
    snapshot = host.registry.snapshot
    toolset: Any
    try:
        toolset = host.toolsets.info(name, snapshot)
        name, direct, tools, problem = toolset.name, toolset.direct_tools, toolset.resolved_tools, None
    except UnknownToolsetError as error:
        toolset = host.toolsets.get(name)
        if not is_listing or toolset is None:
            raise
        direct, tools, problem = toolset.tools, (), str(error)
    registered = [tool for tool in tools if tool in snapshot.all_names]
    return {
        "name": name,
        "description": toolset.description,
        "aliases": list(toolset.aliases),
        "includes": list(toolset.includes),
        "direct_tools": list(direct),
        "tools": list(tools),
        "registered": registered,
        "available": [tool for tool in registered if tool in usable],
        "held_back": [tool for tool in registered if any(tool in record.unaccepted for record in host.report)],
        "plugins": {tool: record.name for record in host.report for tool in record.tools if tool in registered},
        "problem": problem,
    }


def _print_all(shown: list[dict[str, Any]]) -> None:
    columns = [
        Column(title="name", style="bold cyan"),
        Column(title="installed"),
        Column(title="available", styles={"0": "dim"}),
        Column(title="description", fit="cut"),
        Column(title="problem", fit="wrap", style="red"),
    ]
    rows = []
    for each in shown:
        installed = f"{len(each['registered'])} of {len(each['tools'])}"
        rows.append((each["name"], installed, len(each["available"]), each["description"], each["problem"] or ""))
    print_table(columns, rows)


def _print_one(toolset: dict[str, Any]) -> None:
    say(clean(toolset["name"]), "bold cyan")
    if toolset["description"]:
        say(clean(toolset["description"]))
    say()
    print_facts(
        [
            ("Aliases", ", ".join(toolset["aliases"])),
            ("Includes", ", ".join(toolset["includes"])),
            ("Installed", f"{len(toolset['registered'])} of {len(toolset['tools'])} tools"),
            ("Available", str(len(toolset["available"]))),
        ]
    )
    if not toolset["tools"]:
        return
    say()
    plugins = toolset["plugins"] if len(set(toolset["plugins"].values())) > 1 else {}
    columns = [Column(title="tool", style="bold cyan"), Column(title="state", styles=_STATE_STYLES)]
    rows = [(tool, _state(tool, toolset), plugins.get(tool, "")) for tool in toolset["tools"]]
    print_table([*columns, Column(title="plugin")], rows)
    if toolset["held_back"]:
        say()
        say("A held-back tool is from another distribution: 'hermes why TOOL' explains how to accept it.", "yellow")


def _state(tool: str, toolset: dict[str, Any]) -> str:
    if tool in toolset["available"]:
        return "available"
    if tool in toolset["held_back"]:
        return "held back"
    return "not available" if tool in toolset["registered"] else "not installed"
