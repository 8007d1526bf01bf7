"""`hermes hooks`: who implements what, in the order in which they are called."""

from __future__ import annotations

import inspect
import re
from typing import Any

import click

from hermes_core import hookspecs
from hermes_core.cli.completions import hook_names
from hermes_core.cli.lazy import ShowGroup
from hermes_core.cli.loading import loaded_host
from hermes_core.cli.output import clean, note, print_json, say
from hermes_core.cli.table import Column, print_facts, print_table
from hermes_core.errors import did_you_mean
from hermes_core.inspection import hook_table
from hermes_core.plugins.manager import HOOKS, Implementation, Plugins
from hermes_core.plugins.manifest import REGISTRATION_HOOKS
from hermes_core.plugins.report import LoadReport, PluginRecord
from hermes_schemas import nearest

_PREFIX = f"{hookspecs.PROJECT}_"
_NOBODY = "-"
_PARTS = ("when", "args", "returns", "errors", "since")
_PART = re.compile(rf"^({'|'.join(_PARTS)}): ", re.IGNORECASE | re.MULTILINE)


@click.group(cls=ShowGroup, subcommand_metavar="[NAME] [--all] [--json]")
def command() -> None:
    """Show who implements which hook, in the order of the calls.

    With NAME, show that hook alone: what it is for, its arguments, and the functions that implement it. The prefix
    'hermes_' may be left out; '--all' also lists hooks that nobody implements. The exit status is 0 also when nobody
    implements it, and 2 when there is no such hook.
    """


@command.command()
@click.argument("name", required=False, shell_complete=hook_names)
@click.option("--all", "everything", is_flag=True, help="Also hooks that nobody implements.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(name: str | None, everything: bool, as_json: bool) -> None:
    """Show who implements which hook; 'hermes hooks' alone does the same.

    With NAME, show that hook alone: what it is for, its arguments, and the functions that implement it. The prefix
    'hermes_' may be left out. The exit status is 0 also when nobody implements it, and 2 when there is no such hook.
    """
    wanted = HOOKS if name is None else (_known(name),)
    with loaded_host(only_looking=False) as host:
        shown = [
            {"name": hook, "implementations": implementations(hook, hook_table(host), host.report)} for hook in wanted
        ]
    if name is not None:
        shown[0] = _documentation(wanted[0]) | shown[0]
    elif not everything:
        shown = [hook for hook in shown if hook["implementations"]]
    if as_json:
        print_json({"hooks": shown} if name is None else shown[0])
    elif name is None:
        _print_all(shown)
    else:
        _print_one(shown[0])


def _known(name: str) -> str:
    short = name.removeprefix(_PREFIX)
    if f"{_PREFIX}{short}" not in HOOKS:
        # What all have in common would make all come close.
        near = nearest(short, (hook.removeprefix(_PREFIX) for hook in HOOKS))
        hint = did_you_mean([f"{_PREFIX}{each}" for each in near]) or " 'hermes hooks --all' lists them."
        ctx = click.get_current_context()
        (ctx.parent or ctx).fail(f"There is no hook {name!r}.{hint}")
    return f"{_PREFIX}{short}"


# -- who implements a hook -------------------------------------------------------------------------------------------


def implementations(hook: str, plugins: Plugins, report: LoadReport) -> list[dict[str, Any]]:
    """Every implementation in the order of the calls; those of plugins that are not imported yet come last.

    Each plugin is asked for what it registers when it is loaded, so there the order is that of the loading.
    """
    standing = {record.name: record for record in report if record.status in ("loaded", "partial")}
    rows = [_fields(each, standing.get(each.plugin)) for each in plugins.implementations(hook)]
    accepted = frozenset(plugins.names())
    rows += [
        _declared_fields(record) for record in standing.values() if hook in record.hooks and record.name not in accepted
    ]
    if hook in REGISTRATION_HOOKS:
        order = list(standing)
        rows.sort(key=lambda row: order.index(row["plugin"]) if row["plugin"] in standing else len(order))
    return rows


def _fields(implementation: Implementation, record: PluginRecord | None) -> dict[str, Any]:
    return {
        "plugin": implementation.plugin,
        "distribution": record.distribution if record else None,
        "version": record.version if record else None,
        "imported": True,
        "marked": _mark(implementation.function),
        "function": _place(implementation.function),
        "arguments": list(implementation.argnames),
    }


def _declared_fields(record: PluginRecord) -> dict[str, Any]:
    """What a manifest tells of an implementation that nobody has looked at yet."""
    return {
        "plugin": record.name,
        "distribution": record.distribution,
        "version": record.version,
        "imported": False,
        "marked": None,
        "function": None,
        "arguments": None,
    }


def _mark(function: object) -> str | None:
    """`tryfirst` or `trylast`, as pluggy notes it on the function."""
    options = getattr(function, f"{hookspecs.PROJECT}_impl", None)
    marks = options if isinstance(options, dict) else {}
    return next((mark for mark in ("tryfirst", "trylast") if marks.get(mark)), None)


def _place(function: object) -> str:
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return f"{getattr(function, '__module__', None) or '?'}:{name}"


# -- what a hook is for ----------------------------------------------------------------------------------------------


def _documentation(hook: str) -> dict[str, Any]:
    spec = getattr(hookspecs, hook)
    what, *parts = _PART.split(inspect.getdoc(spec) or "")
    said = {label.lower(): clean(text) for label, text in zip(parts[::2], parts[1::2], strict=True)}
    return {
        "name": hook,
        "what": clean(what),
        **{part: said.get(part) for part in _PARTS},
        "arguments": {name: _type(parameter) for name, parameter in inspect.signature(spec).parameters.items()},
    }


def _type(parameter: inspect.Parameter) -> str | None:
    return None if parameter.annotation is parameter.empty else str(parameter.annotation)


# -- for people ------------------------------------------------------------------------------------------------------


def _print_all(hooks: list[dict[str, Any]]) -> None:
    if not hooks:
        note("No installed plugin implements a hook. 'hermes hooks --all' lists the hooks that there are.")
        return
    columns = [
        Column(title="hook", style="bold cyan"),
        Column(title="plugin", styles={_NOBODY: "dim"}),
        Column(title="distribution", fit="cut"),
        Column(title="version"),
        Column(title="remark", style="yellow"),
    ]
    rows = []
    for hook in hooks:
        rows += [(hook["name"], *_cells(each)) for each in hook["implementations"]]
        if not hook["implementations"]:
            rows.append((hook["name"], _NOBODY, "", "", ""))
    print_table(columns, rows)


def _cells(row: dict[str, Any]) -> tuple[str, str, str, str]:
    remark = row["marked"] or ("" if row["imported"] else "not imported yet")
    return row["plugin"], row["distribution"] or "", row["version"] or "", remark


def _print_one(hook: dict[str, Any]) -> None:
    say(_call(hook["name"], hook["arguments"]), "bold cyan")
    say(hook["what"])
    say()
    print_facts((part.capitalize(), hook[part] or "") for part in _PARTS)
    say()
    if not hook["implementations"]:
        say("No installed plugin implements it.", "dim")
        return
    columns = [
        Column(title="", style="dim"),
        Column(title="plugin", style="bold cyan"),
        Column(title="distribution", fit="cut"),
        Column(title="version"),
        Column(title="remark", style="yellow"),
        Column(title="function"),
        Column(title="takes", fit="wrap"),
    ]
    rows = (
        (number, *_cells(each), each["function"] or "", ", ".join(each["arguments"] or ()))
        for number, each in enumerate(hook["implementations"], 1)
    )
    print_table(columns, rows)


def _call(name: str, arguments: dict[str, str | None]) -> str:
    inside = ", ".join(f"{argument}: {kind}" if kind else argument for argument, kind in arguments.items())
    return f"{name}({inside})"
