"""`hermes why`: whether a tool can run here, and if not, why and what to do."""

from __future__ import annotations

import click

from hermes_core.cli.completions import tool_names
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.loading import loaded_host
from hermes_core.cli.output import clean, print_json, say


@click.command()
@click.argument("name", shell_complete=tool_names)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(name: str, as_json: bool) -> ExitCode:
    """Say whether a tool can run here, and if not, why.

    The exit status is 0 when it can, 5 when it cannot, 3 when there is no such tool.
    """
    with loaded_host() as host:
        verdict = host.why(name)
        spec = host.spec(name)
    known_as = spec.name if spec else name
    if as_json:
        print_json(
            {
                "name": known_as,
                "available": verdict.available,
                "reason": verdict.reason or None,
                "remedy": verdict.remedy or None,
            }
        )
    elif verdict.available:
        say(f"{known_as} is available.", "green")
    else:
        say(f"{known_as} is not available: {clean(verdict.reason).rstrip('.')}.", "red")
        if verdict.remedy:
            say(f"What to do: {clean(verdict.remedy)}")
    return ExitCode.OK if verdict.available else ExitCode.UNAVAILABLE
