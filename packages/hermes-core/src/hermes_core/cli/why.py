"""`hermes why`: whether a tool can run here, and if not, why and what to do."""

from __future__ import annotations

import click

from hermes_core.cli.completions import tool_names
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.loading import loaded_host
from hermes_core.cli.output import clean, note, print_json, say
from hermes_core.errors import UnknownToolError


@click.command()
@click.argument("name", shell_complete=tool_names)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(name: str, as_json: bool) -> ExitCode:
    """Say whether a tool can run here, and if not, why.

    The exit status is 0 when it can, 5 when it cannot, 3 when there is no such tool.
    """
    with loaded_host() as host:
        report = host.report
        try:
            verdict = host.why(name)
        except UnknownToolError:
            _note_failed([record.name for record in report if record.status == "failed"])
            raise
        spec = host.registry.get(name)
    denying = [record for record in report if record.denies]
    known_as = spec.name if spec else name
    if as_json:
        facts = {
            "name": known_as,
            "available": verdict.available,
            "reason": verdict.reason or None,
            "remedy": verdict.remedy or None,
        }
        print_json(facts | ({"denied_by": [record.name for record in denying]} if denying else {}))
    elif verdict.available:
        say(f"{known_as} is available.", "green")
    else:
        say(f"{known_as} is not available: {clean(verdict.reason).rstrip('.')}.", "red")
        if verdict.remedy:
            say(f"What to do: {clean(verdict.remedy)}")
    for record in denying if not as_json else ():
        say(
            clean(
                f"Every call is denied, because the plugin {record.name} cannot be used: {' '.join(record.problems)}"
            ),
            "red",
        )
        say(f"What to do: {clean(record.remedy)}")
    return ExitCode.OK if verdict.available else ExitCode.UNAVAILABLE


def _note_failed(plugins: list[str]) -> None:
    """Name the plugins that are not loaded: one of them may bring the tool that nobody knows."""
    if plugins:
        note(clean(f"hermes: Not loaded, and may bring it: {', '.join(plugins)}. 'hermes plugins' says why."))
