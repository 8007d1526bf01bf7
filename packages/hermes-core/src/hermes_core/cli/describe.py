"""`hermes describe`: everything about one tool."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from hermes_core import Hermes, ToolSpec
from hermes_core.cli.completions import tool_names
from hermes_core.cli.loading import loaded_host
from hermes_core.cli.output import clean, note, print_json, say
from hermes_core.cli.parameters import Parameter, list_parameters
from hermes_core.cli.table import Column, print_facts, print_table
from hermes_core.tools.provider_schema import FORMATS


@click.command()
@click.argument("name", shell_complete=tool_names)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--format", "format", type=click.Choice(FORMATS), help="Print the definition that a model API gets.")
def command(name: str, as_json: bool, format: str | None) -> None:
    """Show everything about one tool.

    That is: its description and parameters, what it does to the world, what it needs, its limits, and the plugin that
    it came from. NAME may be an alias. Exit status: 0, or 3 when there is no such tool.
    """
    with loaded_host() as host:
        verdict = host.why(name)
        spec = host.registry.get(name)
        assert spec is not None  # `why` knows the name
        if format is not None:
            definition = host.definition(spec.name, format=format)
        facts = _facts(host, spec)
    facts |= {
        "available": verdict.available,
        "reason": verdict.reason or None,
        "remedy": verdict.remedy or None,
    }
    if format is not None:
        print_json(definition)
        if not verdict.available:
            note(f"{spec.name} is not available here, so models are not shown it: {verdict.reason}.")
    elif as_json:
        print_json(facts)
    else:
        _print(facts, list_parameters(spec.parameters))


def _facts(host: Hermes, spec: ToolSpec) -> dict[str, Any]:
    """Everything for `--json`; the text for people is made from it."""
    plugin = next((record for record in host.report if spec.name in record.tools), None)
    return {
        "name": spec.name,
        "toolset": spec.toolset,
        "emoji": spec.emoji,
        "description": spec.description,
        "parameters": spec.parameters,
        "effects": sorted(spec.effects),
        "aliases": list(spec.aliases),
        "argument_aliases": dict(spec.argument_aliases),
        "requires_env": list(spec.requires_env),
        "requires_bin": list(spec.requires_bin),
        "requires_extra": list(spec.requires_extra),
        "always_load": spec.always_load,
        "keywords": list(spec.keywords),
        "needs": [need if isinstance(need, str) else need.__name__ for need in spec.needs],
        "max_result_size_chars": _finite(spec.max_result_size_chars),
        "timeout": None if spec.timeout is None else _finite(spec.timeout),
        "has_time_limit": spec.timeout != math.inf,
        "is_async": spec.is_async,
        "plugin": plugin and {"name": plugin.name, "distribution": plugin.distribution, "version": plugin.version},
    }


def _finite(number: float) -> float | None:
    """JSON has no infinity: no limit is null."""
    return None if number == math.inf else number


def _print(facts: dict[str, Any], parameters: list[Parameter]) -> None:
    say(f"{clean(facts['emoji'])} {facts['name']}".strip(), "bold cyan")
    say()
    for line in facts["description"].strip().splitlines():
        say(clean(line))
    say()
    if parameters:
        _print_parameters(parameters)
    else:
        say("It takes no parameters.")
    say()
    print_facts(_labelled(facts))


def _print_parameters(parameters: list[Parameter]) -> None:
    columns = [
        Column(title="parameter", style="bold"),
        Column(title="type", fit="wrap", style="magenta"),
        Column(title="required", styles={"yes": "yellow"}),
        Column(title="default", fit="wrap"),
        Column(title="description", fit="wrap"),
    ]
    rows = ((each.name, each.type, "yes" if each.required else "no", each.default, _about(each)) for each in parameters)
    print_table(columns, rows)


def _about(parameter: Parameter) -> str:
    return " ".join(part for part in (parameter.description, parameter.limits and f"[{parameter.limits}]") if part)


def _labelled(facts: dict[str, Any]) -> list[tuple[str, str]]:
    available = "yes" if facts["available"] else f"no: {facts['reason']}. {facts['remedy'] or ''}"
    size = facts["max_result_size_chars"]
    seconds = "the host's default" if facts["timeout"] is None else f"{facts['timeout']:g} s"
    plugin = facts["plugin"]
    return [
        ("Available", available),
        ("Toolset", facts["toolset"]),
        ("Effects", ", ".join(facts["effects"]) or "none declared"),
        ("Requires", _requirements(facts)),
        ("Result", "any length" if size is None else f"up to {size:,.0f} characters, then spilled to a file"),
        ("Time limit", seconds if facts["has_time_limit"] else "none"),
        ("Tool search", "never hides it" if facts["always_load"] else "may hide it"),
        ("Keywords", ", ".join(facts["keywords"])),
        ("Aliases", ", ".join(facts["aliases"])),
        ("Also accepts", ", ".join(f"{alias} for {name}" for alias, name in facts["argument_aliases"].items())),
        ("Plugin", _origin(plugin) if plugin else ""),
        ("Try it", f"hermes call {facts['name']}{_example(facts['parameters'])}"),
    ]


def _requirements(facts: dict[str, Any]) -> str:
    words = [f"environment variable {name}" for name in facts["requires_env"]]
    words += [f"program {name}" for name in facts["requires_bin"]]
    words += [f"extra {name}" for name in facts["requires_extra"]]
    words += [f"service {name}" for name in facts["needs"]]
    return ", ".join(words) or "nothing"


def _origin(plugin: dict[str, Any]) -> str:
    shipped = " ".join(part for part in (plugin["distribution"], plugin["version"]) if part)
    return f"{plugin['name']} ({shipped})" if shipped else str(plugin["name"])


def _example(parameters: Any) -> str:
    """The required arguments of a call, to be filled in."""
    properties = parameters.get("properties") or {}
    words = []
    for name in parameters.get("required") or ():
        schema = properties.get(name)
        shown = schema.get("examples") if isinstance(schema, dict) else None
        value = shown[0] if isinstance(shown, list) and shown else "..."
        words.append(f" {name}={value if isinstance(value, str) else json.dumps(value)}")
    return "".join(words)
