"""The `hermes terminal` commands: check environments and run one command as an agent would."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from hermes_core import Hermes
from hermes_core.settings import refuse_inside
from hermes_tools_terminal.environments.base import BUILT_IN, EXTENSION_POINT, unavailable_reason
from hermes_tools_terminal.settings import TerminalSettings

NOT_RUN = 125
"""The exit code of `run` when the command did not run at all."""


@click.group(short_help="Check terminal environments and run commands in them.")
def terminal() -> None:
    """Check terminal environments and run commands in them."""


@terminal.command(
    epilog="Exit codes: 0 when the chosen environment works, 1 when it does not.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(as_json: bool) -> None:
    """List the environments, show whether each one works, and explain what to install if not."""
    with Hermes.load() as hermes:
        settings = settings_of(hermes)
        others = providers_of(hermes)
        found = [
            (kind, unavailable_reason(kind, settings, others)) for kind in dict.fromkeys([*BUILT_IN, *sorted(others)])
        ]
        chosen = unavailable_reason(settings.env, settings, others)
    if as_json:
        rows = [{"environment": kind, "works": why is None, "reason": why} for kind, why in found]
        click.echo(json.dumps({"chosen": settings.env, "works": chosen is None, "environments": rows}, indent=2))
    else:
        width = max(len(kind) for kind, _ in found)
        for kind, why in found:
            mark = "*" if kind == settings.env else " "
            click.echo(f"{mark} {kind:{width}}  {'works' if why is None else 'no: ' + why}")
        if settings.env not in dict(found):
            click.echo(f"terminal.env is {settings.env!r}: {chosen}")
        click.echo("\n* marks terminal.env, the environment that agents use.")
    sys.exit(0 if chosen is None else 1)


@terminal.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog="Exit codes: that of the command; 124 on timeout, 130 when interrupted, 125 when the command did not run.",
)
@click.argument("command", nargs=-1, required=True)
@click.option("--env", "kind", metavar="NAME", help="Use this environment instead of terminal.env.")
@click.option("--timeout", type=click.IntRange(min=1), metavar="SECONDS", help="Time limit in seconds.")
@click.option("--workdir", metavar="FOLDER", help="Run in this directory.")
@click.option("--yes", is_flag=True, help="Approve the command if it needs approval; refused commands stay refused.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as the model receives it, as JSON.")
def run(
    command: tuple[str, ...], kind: str | None, timeout: int | None, workdir: str | None, yes: bool, as_json: bool
) -> None:
    """Run one command as an agent would, with the same checks and limits.

    A single argument is a shell command line; several arguments are a program and its arguments.
    """
    import shlex

    line = command[0] if len(command) == 1 else shlex.join(command)
    args: dict[str, Any] = {"command": line}
    if timeout is not None:
        args["timeout"] = timeout
    if workdir is not None:
        args["workdir"] = workdir
    if kind:
        refuse_inside("Another environment cannot be chosen")
    environ = {"HERMES_TERMINAL__ENV": kind} if kind else {}
    sys.exit(_printed(_called(args, yes, environ), as_json))


def _called(args: dict[str, Any], yes: bool, environ: dict[str, str]) -> dict[str, Any]:
    import os

    approver: Any = (lambda _request: "once") if yes else "terminal"
    os.environ.update(environ)
    with Hermes.load(approver=approver) as hermes:
        try:
            result = json.loads(hermes.call("terminal", args))
        except KeyboardInterrupt as error:
            if type(error) is not KeyboardInterrupt:  # another signal: the command line says which by its exit code
                raise
            return {"output": "", "exit_code": 130, "error": "interrupted"}
    return result if isinstance(result, dict) else {"error": str(result)}


def _printed(result: dict[str, Any], as_json: bool) -> int:
    status = result.get("exit_code", NOT_RUN)
    status = NOT_RUN if status == -1 else int(status)
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
        return status
    output = str(result.get("output") or "")
    if output:
        click.echo(output, nl=not output.endswith("\n"))
    for name in ("error", "hint", "note"):
        if result.get(name):
            click.echo(f"{'' if name == 'error' else name + ': '}{result[name]}", err=True)
    return status


def settings_of(hermes: Hermes) -> TerminalSettings:
    """Return the `terminal` settings."""
    return hermes.config.model("terminal", TerminalSettings)


def providers_of(hermes: Hermes) -> dict[str, Any]:
    """Return the environments that plugins provide."""
    return dict(hermes.providers(EXTENSION_POINT))
