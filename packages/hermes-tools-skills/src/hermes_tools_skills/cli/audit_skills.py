"""`hermes skills audit`."""

from __future__ import annotations

import click

from hermes_core.commands import ExitCode, clean
from hermes_tools_skills.cli.hub_reports import finding_lines
from hermes_tools_skills.cli.hub_session import Outcome, Session, hub_command, yes_option
from hermes_tools_skills.hub.acceptances import accept_findings
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.inventory import audit_skills


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--accept", "ids", multiple=True, metavar="ID", help="Accept a finding that you have reviewed.")
@click.option("--accept-changes", is_flag=True, help="Accept local changes of the named skills, if the scan does.")
@yes_option
@hub_command
def command(
    hub: SkillHub, session: Session, names: tuple[str, ...], ids: tuple[str, ...], accept_changes: bool, yes: bool
) -> Outcome:
    """Scan installed skills again, and accept findings.

    Reports findings, and files that differ from the installed ones. --accept ID accepts one finding of an earlier scan,
    also of a skill that could not be installed because of it. It counts for exactly that content: any change of the
    skill needs a new decision. Acceptances are logged in skills/.hub/audit.jsonl.

    Exit code: 0 if nothing speaks against the skills, 1 otherwise, 4 if you do not confirm.
    """
    if ids:
        session.require_confirmation(f"Accept {', '.join(ids)}?", yes=yes)
        accepted = accept_findings(hub.state, ids)
        lines = [f"Accepted {each['id']}: {clean(each['message'])} ({clean(each['skill'])})" for each in accepted]
        return Outcome(lines=lines, facts={"accepted": accepted})
    if accept_changes and not names:
        raise click.UsageError("--accept-changes needs the names of skills.")
    if accept_changes:
        session.require_confirmation(f"Accept the local changes of {', '.join(names)}?", yes=yes)
    audits = audit_skills(hub, names, accept_changes=accept_changes)
    lines, facts = [], []
    for each in audits:
        lines.append(f"{each.skill.name}: files {each.local}, verdict {each.report.verdict}")
        lines += [f"  {line}" for line in finding_lines(each.report)]
        report = each.report.as_dict()
        facts.append({"name": each.skill.name, "local": each.local, "clean": each.is_clean, "report": report})
    is_clean = all(each.is_clean for each in audits)
    return Outcome(
        lines=lines or ["No skills were installed with the hub."],
        facts={"skills": facts},
        code=ExitCode.OK if is_clean else ExitCode.FOUND,
    )
