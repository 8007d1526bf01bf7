"""`hermes why`: explain why a tool is or is not available."""

from __future__ import annotations

import click

from hermes_core.cli.completion import tool_names
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.output import json_option, note, print_json, say
from hermes_core.cli.run import loaded_host
from hermes_core.cli.tools import availability
from hermes_core.errors import UnknownToolError
from hermes_text.terminal import clean


@click.command()
@click.argument("name", shell_complete=tool_names)
@json_option
def command(name: str, as_json: bool) -> ExitCode:
    """Explain why a tool is or is not available.

    Exit code: 0 if it is available, 5 if it is not, 3 if there is no such tool.
    """
    with loaded_host() as host:
        report = host.report
        try:
            verdict = host.why(name)
        except UnknownToolError:
            if failed := [record.name for record in report if record.status == "failed"]:
                note(clean(f"hermes: These plugins failed to load: {', '.join(failed)}. See 'hermes plugins'."))
            raise
        spec = host.registry.get(name)
    known_as = spec.name if spec else name
    denying = [record for record in report if record.denies]
    if as_json:
        denied_by = {"denied_by": [record.name for record in denying]} if denying else {}
        print_json({"name": known_as, **availability(verdict), **denied_by})
    else:
        if verdict.available:
            say(f"{known_as} is available.", "green")
        else:
            _say_no(f"{known_as} is not available: {verdict.reason.rstrip('.')}.", verdict.remedy)
        for record in denying:
            problems = " ".join(record.problems)
            _say_no(f"Every call is denied, because the plugin {record.name} cannot be used: {problems}", record.remedy)
    return ExitCode.OK if verdict.available else ExitCode.UNAVAILABLE


def _say_no(reason: str, remedy: str) -> None:
    say(clean(reason), "red")
    if remedy:
        say(f"What to do: {clean(remedy)}")
