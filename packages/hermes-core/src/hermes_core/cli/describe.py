"""`hermes describe`: everything about one tool."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import click

from hermes_core import Hermes, ToolSpec
from hermes_core.cli.completion import tool_names
from hermes_core.cli.output import json_option, line_width, note, print_facts, print_json, say
from hermes_core.cli.run import loaded_host
from hermes_core.cli.tools import availability
from hermes_core.tools.definitions import FORMATS
from hermes_schemas.parameter_table import Parameter, list_parameters
from hermes_text.tables import NARROWEST
from hermes_text.terminal import clean, harmless, reflow, wrap


@click.command()
@click.argument("name", shell_complete=tool_names)
@json_option
@click.option(
    "--format",
    "format",
    type=click.Choice(FORMATS),
    metavar="FORMAT",
    help=f"Print the definition for a model API: {', '.join(FORMATS)}.",
)
def command(name: str, as_json: bool, format: str | None) -> None:
    """Show everything about one tool.

    This includes its description and parameters, effects, requirements, limits, and the plugin that provides it. NAME
    may be an alias. Exit code: 0, or 3 if there is no such tool.
    """
    with loaded_host() as host:
        verdict = host.why(name)
        spec = host.registry.get(name)
        assert spec is not None  # `why` knows the name
        definition = None if format is None else host.definition(spec.name, format=format)
        facts = _facts(host, spec) | availability(verdict)
    if definition is not None:
        print_json(definition)
        if not verdict.available:
            note(f"{spec.name} is not available here, so models are not shown it: {verdict.reason}.")
    elif as_json:
        print_json(facts)
    else:
        _print(facts, list_parameters(spec.parameters))


def _facts(host: Hermes, spec: ToolSpec) -> dict[str, Any]:
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
    return None if number == math.inf else number  # JSON has no infinity


def _print(facts: dict[str, Any], parameters: list[Parameter]) -> None:
    say(f"{clean(facts['emoji'])} {facts['name']}".strip(), "bold cyan")
    say()
    limit = line_width() or sys.maxsize
    for line in reflow("\n".join(map(harmless, facts["description"].strip().splitlines())), limit):
        say(line.rstrip())
    say()
    say("Parameters:" if parameters else "No parameters.")
    for each in parameters:
        text = f"{each.description} [{each.limits}]" if each.limits else each.description
        _print_wrapped(f"{each.name}: {_kind(each)}", "bold", 2, limit)
        _print_wrapped(text, "", 6, limit)
    say()
    print_facts(_labelled(facts))


def _kind(parameter: Parameter) -> str:
    if parameter.required:
        return f"{parameter.type}, required"
    return f"{parameter.type}, {f'default {parameter.default}' if parameter.default else 'optional'}"


def _print_wrapped(text: str, style: str, indentation: int, limit: int) -> None:
    for line in wrap(clean(text), max(limit - indentation, NARROWEST)) if text else ():
        say(" " * indentation + line, style)


def _labelled(facts: dict[str, Any]) -> list[tuple[str, str]]:
    available = "yes" if facts["available"] else f"no: {facts['reason']}. {facts['remedy'] or ''}"
    size = facts["max_result_size_chars"]
    seconds = "the host's default" if facts["timeout"] is None else f"{facts['timeout']:g} s"
    requirements = {
        "environment variable": facts["requires_env"],
        "program": facts["requires_bin"],
        "extra": facts["requires_extra"],
        "service": facts["needs"],
    }
    plugin = facts["plugin"] or {"name": "", "distribution": None}
    shipped = " ".join(filter(None, (plugin["distribution"], plugin.get("version"))))
    return [
        ("Available", available),
        ("Toolset", facts["toolset"]),
        ("Effects", ", ".join(facts["effects"]) or "none declared"),
        (
            "Requires",
            ", ".join(f"{kind} {name}" for kind, names in requirements.items() for name in names) or "nothing",
        ),
        ("Result", "any length" if size is None else f"up to {size:,.0f} characters, then saved to a file"),
        ("Time limit", seconds if facts["has_time_limit"] else "none"),
        ("Tool search", "never hides it" if facts["always_load"] else "may hide it"),
        ("Keywords", ", ".join(facts["keywords"])),
        ("Aliases", ", ".join(facts["aliases"])),
        ("Also accepts", ", ".join(f"{alias} for {name}" for alias, name in facts["argument_aliases"].items())),
        ("Plugin", f"{plugin['name']} ({shipped})" if shipped else plugin["name"]),
        ("Try it", f"hermes call {facts['name']}{_example(facts['parameters'])}"),
    ]


def _example(parameters: Any) -> str:
    words = []
    for name in parameters.get("required") or ():
        schema = (parameters.get("properties") or {}).get(name)
        examples = schema.get("examples") if isinstance(schema, dict) else None
        value = examples[0] if isinstance(examples, list) and examples else "..."
        words.append(f" {name}={value if isinstance(value, str) else json.dumps(value)}")
    return "".join(words)
