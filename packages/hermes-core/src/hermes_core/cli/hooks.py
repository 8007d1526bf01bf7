"""`hermes hooks`: list the plugins that implement each hook."""

from __future__ import annotations

import inspect
import re
from typing import Any

import click

from hermes_core import hookspecs
from hermes_core.cli.completion import hook_names
from hermes_core.cli.lazy import ShowGroup
from hermes_core.cli.output import json_option, note, print_facts, print_json, print_table, say
from hermes_core.cli.run import loaded_host
from hermes_core.errors import did_you_mean
from hermes_core.inspection import hook_table
from hermes_core.plugins.api_version import REGISTRATION_HOOKS
from hermes_core.plugins.manager import HOOKS, Implementation, Plugins
from hermes_core.plugins.plugin_records import LoadReport, PluginRecord
from hermes_schemas import nearest
from hermes_text.tables import Column
from hermes_text.terminal import clean

_PREFIX = f"{hookspecs.PROJECT}_"
_PARTS = ("when", "args", "returns", "errors", "since")
_PART = re.compile(rf"^({'|'.join(_PARTS)}): ", re.IGNORECASE | re.MULTILINE)
_COLUMNS = [
    Column(title="plugin", style="bold cyan", styles={"-": "dim"}),
    Column(title="distribution", fit="cut"),
    Column(title="version"),
    Column(title="remark", style="yellow"),
]


@click.group(cls=ShowGroup, subcommand_metavar="[NAME] [--all] [--json]")
def command() -> None:
    """List the plugins that implement each hook, in call order.

    With NAME, show only that hook: its purpose, its arguments and the functions that implement it. You can omit the
    prefix 'hermes_'. '--all' also lists hooks that no plugin implements. Exit code: 0, or 2 if there is no such hook.
    """


@command.command()
@click.argument("name", required=False, shell_complete=hook_names)
@click.option("--all", "everything", is_flag=True, help="Also list hooks that no plugin implements.")
@json_option
def show(name: str | None, everything: bool, as_json: bool) -> None:
    """List the plugins that implement each hook.

    'hermes hooks' does the same, and its help describes NAME. Exit code: 0, or 2 if there is no such hook.
    """
    wanted = HOOKS if name is None else (_known(name),)
    with loaded_host(only_looking=False) as host:
        shown: list[dict[str, Any]] = [
            {"name": hook, "implementations": implementations(hook, hook_table(host), host.report)} for hook in wanted
        ]
    if name is not None:
        shown[0] = _documentation(wanted[0]) | shown[0]
    elif not everything:
        shown = [hook for hook in shown if hook["implementations"]]
    if as_json:
        print_json({"hooks": shown} if name is None else shown[0])
    elif name is not None:
        _print_one(shown[0])
    elif shown:
        none = [{"plugin": "-"}]
        rows = [(hook["name"], *_cells(each)) for hook in shown for each in hook["implementations"] or none]
        print_table([Column(title="hook", style="bold cyan"), *_COLUMNS], rows)
    else:
        note("No installed plugin implements a hook. 'hermes hooks --all' lists all hooks.")


def _known(name: str) -> str:
    short = name.removeprefix(_PREFIX)
    if f"{_PREFIX}{short}" not in HOOKS:
        # without the common prefix, which makes all names similar
        near = nearest(short, (hook.removeprefix(_PREFIX) for hook in HOOKS))
        hint = did_you_mean([f"{_PREFIX}{each}" for each in near]) or " 'hermes hooks --all' lists them."
        ctx = click.get_current_context()
        (ctx.parent or ctx).fail(f"There is no hook {name!r}.{hint}")
    return f"{_PREFIX}{short}"


def implementations(hook: str, plugins: Plugins, report: LoadReport) -> list[dict[str, Any]]:
    """Return all implementations in call order, then those of plugins that are not imported yet."""
    loaded = {record.name: record for record in report if record.status in ("loaded", "partial")}
    rows = [_facts(each.plugin, loaded.get(each.plugin), each) for each in plugins.implementations(hook)]
    imported = frozenset(plugins.names())
    rows += [_facts(name, record) for name, record in loaded.items() if hook in record.hooks and name not in imported]
    if hook in REGISTRATION_HOOKS:
        order = list(loaded)
        rows.sort(key=lambda row: order.index(row["plugin"]) if row["plugin"] in loaded else len(order))
    return rows


def _facts(plugin: str, record: PluginRecord | None, implementation: Implementation | None = None) -> dict[str, Any]:
    return {
        "plugin": plugin,
        "distribution": record.distribution if record else None,
        "version": record.version if record else None,
        "imported": implementation is not None,
        "marked": implementation and _mark(implementation.function),
        "function": implementation and _path(implementation.function),
        "arguments": implementation and list(implementation.argnames),
    }


def _mark(function: object) -> str | None:
    options = getattr(function, f"{hookspecs.PROJECT}_impl", None)
    marks = options if isinstance(options, dict) else {}
    return next((mark for mark in ("tryfirst", "trylast") if marks.get(mark)), None)


def _path(function: object) -> str:
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return f"{getattr(function, '__module__', None) or '?'}:{name}"


def _documentation(hook: str) -> dict[str, Any]:
    spec = getattr(hookspecs, hook)
    what, *parts = _PART.split(inspect.getdoc(spec) or "")
    said = {label.lower(): clean(text) for label, text in zip(parts[::2], parts[1::2], strict=True)}
    return {
        "name": hook,
        "what": clean(what),
        **{part: said.get(part) for part in _PARTS},
        "arguments": {
            name: None if parameter.annotation is parameter.empty else str(parameter.annotation)
            for name, parameter in inspect.signature(spec).parameters.items()
        },
    }


def _cells(row: dict[str, Any]) -> tuple[str, str, str, str]:
    remark = row.get("marked") or ("" if row.get("imported", True) else "not imported yet")
    return row["plugin"], row.get("distribution") or "", row.get("version") or "", remark


def _print_one(hook: dict[str, Any]) -> None:
    arguments = (f"{name}: {kind}" if kind else name for name, kind in hook["arguments"].items())
    say(f"{hook['name']}({', '.join(arguments)})", "bold cyan")
    say(hook["what"])
    say()
    print_facts((part.capitalize(), hook[part] or "") for part in _PARTS)
    say()
    if not hook["implementations"]:
        say("No installed plugin implements it.", "dim")
    columns = [Column(title="", style="dim"), *_COLUMNS, Column(title="function"), Column(title="takes", fit="wrap")]
    rows = (
        (number, *_cells(each), each["function"] or "", ", ".join(each["arguments"] or ()))
        for number, each in enumerate(hook["implementations"], 1)
    )
    print_table(columns, rows)
