"""`hermes skills inspect`."""

from __future__ import annotations

import click

from hermes_core.commands import ExitCode, clean
from hermes_tools_skills.cli.hub_reports import plan_facts, plan_lines
from hermes_tools_skills.cli.hub_session import Outcome, Session, hub_command
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.installation import prepare_install


@click.command()
@click.argument("identifier", metavar="SKILL")
@click.option("--files", is_flag=True, help="List its files.")
@hub_command
def command(hub: SkillHub, _session: Session, identifier: str, files: bool) -> Outcome:
    """Download and scan a skill without installing it.

    Shows where it comes from, what it can do, and what speaks against it. SKILL is what 'hermes skills install' takes.
    Exit code: 0 if it could be installed, 4 if the scan blocks it, 1 if it cannot be downloaded.
    """
    with prepare_install(hub, identifier, check_name=False) as plan:
        lines = [*plan_lines(plan)]
        if files:
            lines += ["Contents:", *(f"  {clean(path)}" for path in plan.entry.files)]
        is_blocked = plan.action == "block"
        lines.append("The scan blocks it." if is_blocked else "It can be installed.")
        return Outcome(lines=lines, facts=plan_facts(plan), code=ExitCode.DENIED if is_blocked else ExitCode.OK)
