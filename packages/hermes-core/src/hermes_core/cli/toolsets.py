"""`hermes toolsets`: the named groups of tools, and what each stands for."""

from __future__ import annotations

from typing import Any

import click

from hermes_core import Hermes, UnknownToolsetError
from hermes_core.cli.completions import toolset_names
from hermes_core.cli.loading import loaded_host
from hermes_core.cli.output import clean, print_json, say
from hermes_core.cli.table import Column, print_facts, print_table

_STATE_STYLES = {"available": "green", "held back": "yellow", "not available": "red", "not installed": "dim"}


@click.command()
@click.argument("name", required=False, shell_complete=toolset_names)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(name: str | None, as_json: bool) -> None:
    """List the toolsets, or show what one stands for.

    NAME may be a toolset, one of its aliases, or 'all'. Exit status: 0, or 2 when there is no such toolset.
    """
    with loaded_host() as host:
        usable = frozenset(spec.name for spec in host.tools())
        if name is not None:
            shown = [_fields(host, name, usable)]
        else:
            names = host.toolsets.known_names(host.registry.snapshot)
            shown = [_fields_or_problem(host, each, usable) for each in names]
    if as_json:
        print_json({"toolsets": shown} if name is None else shown[0])
    elif name is None:
        _print_all(shown)
    else:
        _print_one(shown[0])


def _fields(host: Hermes, name: str, usable: frozenset[str]) -> dict[str, Any]:
    snapshot = host.registry.snapshot
    info = host.toolsets.info(name, snapshot)
    registered = [tool for tool in info.resolved_tools if tool in snapshot.all_names]
    report = host.report
    return {
        "name": info.name,
        "description": info.description,
        "aliases": list(info.aliases),
        "includes": list(info.includes),
        "direct_tools": list(info.direct_tools),
        "tools": list(info.resolved_tools),
        "registered": registered,
        "available": [tool for tool in registered if tool in usable],
        "held_back": [tool for tool in registered if any(tool in record.unaccepted for record in report)],
        "plugins": {tool: record.name for record in report for tool in record.tools if tool in registered},
        "problem": None,
    }


def _fields_or_problem(host: Hermes, name: str, usable: frozenset[str]) -> dict[str, Any]:
    """A toolset that includes an unknown one must not hide all the others."""
    try:
        return _fields(host, name, usable)
    except UnknownToolsetError as error:
        declared = host.toolsets.get(name)
        return {
            "name": name,
            "description": declared.description if declared else "",
            "aliases": list(declared.aliases) if declared else [],
            "includes": list(declared.includes) if declared else [],
            "direct_tools": list(declared.tools) if declared else [],
            "tools": [],
            "registered": [],
            "available": [],
            "held_back": [],
            "plugins": {},
            "problem": str(error),
        }


def _print_all(shown: list[dict[str, Any]]) -> None:
    columns = [
        Column(title="name", style="bold cyan"),
        Column(title="installed"),
        Column(title="available", styles={"0": "dim"}),
        Column(title="description", fit="cut"),
        Column(title="problem", fit="wrap", style="red"),
    ]
    rows = (
        (
            each["name"],
            f"{len(each['registered'])} of {len(each['tools'])}",
            len(each["available"]),
            each["description"],
            each["problem"] or "",
        )
        for each in shown
    )
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
    plugins = toolset["plugins"]
    is_shared = len(set(plugins.values())) > 1
    columns = [
        Column(title="tool", style="bold cyan"),
        Column(title="state", styles=_STATE_STYLES),
        *([Column(title="plugin")] if is_shared else []),
    ]
    rows = ((tool, _state(tool, toolset), plugins.get(tool, "")) for tool in toolset["tools"])
    print_table(columns, (row if is_shared else row[:2] for row in rows))
    if toolset["held_back"]:
        say()
        say(
            "A tool that is held back comes from another distribution: 'hermes why TOOL' says how to accept it.",
            "yellow",
        )


def _state(tool: str, toolset: dict[str, Any]) -> str:
    if tool in toolset["available"]:
        return "available"
    if tool in toolset["held_back"]:
        return "held back"
    return "not available" if tool in toolset["registered"] else "not installed"
