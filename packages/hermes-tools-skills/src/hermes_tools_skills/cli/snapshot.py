"""`hermes skills snapshot`."""

from __future__ import annotations

from pathlib import Path

import click

from hermes_core.commands import ExitCode, clean, counted, debug_option
from hermes_tools_skills.cli.hub_reports import plan_lines
from hermes_tools_skills.cli.hub_session import Outcome, Session, hub_command, yes_option
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.installation import Plan
from hermes_tools_skills.hub.snapshots import export_snapshot, import_snapshot


@click.group()
def command() -> None:
    """Export and import the list of installed skills."""


@command.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@hub_command
def export(hub: SkillHub, _session: Session, file: Path) -> Outcome:
    """Write the installed skills and taps to a file: sources, exact versions and hashes, not the skills themselves."""
    count = export_snapshot(hub.state, file)
    return Outcome(lines=[f"Wrote {counted(count, 'skill')} to {file}."], facts={"file": str(file), "skills": count})


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--latest", is_flag=True, help="Install another version if the source no longer has the same one.")
@yes_option
@hub_command
def import_(hub: SkillHub, session: Session, file: Path, latest: bool, yes: bool) -> Outcome:
    """Install the skills of a file that 'hermes skills snapshot export' wrote.

    Each skill is downloaded, compared with the hash in the file, scanned and confirmed. Exit code: 0 if all of them are
    installed, 1 otherwise.
    """

    def confirm(plan: Plan) -> bool:
        try:
            session.require_confirmation(f"Install {plan.entry.name}?", list(plan_lines(plan)), yes=yes)
        except HubError:
            return False
        return True

    results = list(import_snapshot(hub, file, confirm, latest=latest))
    lines = [f"{each.name}: {each.outcome}{f' ({clean(each.reason)})' if each.reason else ''}" for each in results]
    facts = [{"name": each.name, "outcome": each.outcome, "reason": each.reason or None} for each in results]
    is_complete = all(each.outcome != "skipped" for each in results)
    return Outcome(lines=lines, facts={"skills": facts}, code=ExitCode.OK if is_complete else ExitCode.FOUND)


for _each in command.commands.values():
    _each.params.append(debug_option())
