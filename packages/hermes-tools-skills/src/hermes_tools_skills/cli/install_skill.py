"""`hermes skills install`."""

from __future__ import annotations

import click

from hermes_core.commands import ExitCode
from hermes_tools_skills.cli.hub_reports import plan_facts, plan_lines
from hermes_tools_skills.cli.hub_session import (
    Outcome,
    Session,
    force_option,
    hub_command,
    yes_option,
)
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.installation import Plan, prepare_install


@click.command()
@click.argument("identifier", metavar="SKILL")
@click.option("--name", default="", help="Install it under another name.")
@click.option("--category", default="", help="Install it in this category.")
@force_option
@yes_option
@hub_command
def command(
    hub: SkillHub, session: Session, identifier: str, name: str, category: str, force: bool, yes: bool
) -> Outcome:
    """Install a skill.

    SKILL is owner/repository/path on GitHub, SOURCE:IDENTIFIER as 'hermes skills search' prints it, a URL, a git
    repository, a directory, or the exact name of a skill that a source lists. It is downloaded into quarantine and
    scanned; then you see its capabilities and confirm.

    If the scan blocks it, 'hermes skills audit --accept ID' accepts a finding after you have reviewed it. Exit code: 0
    on success, 1 if it cannot be downloaded or its name is taken, 4 if the scan blocks it or you do not confirm.
    """
    with prepare_install(hub, identifier, name=name, category=category, force=force) as plan:
        lines = list(plan_lines(plan))
        if plan.action == "block":
            return blocked(plan, lines)
        session.require_confirmation(f"Install {plan.entry.name}?", lines, yes=yes)
        entry = plan.apply()
        done = f"Installed {entry.name} in {hub.state.skills / entry.install_path}."
        return Outcome(lines=[*(lines if yes else ()), done], facts={**plan_facts(plan), "done": True})


def blocked(plan: Plan, lines: list[str]) -> Outcome:
    """Return the outcome for a skill that the scan blocks."""
    reason = f"The scan blocks {plan.entry.name}. Nothing was changed."
    if not plan.report.problems:
        reason += " If you have reviewed a finding, accept it with 'hermes skills audit --accept ID'."
    facts = {**plan_facts(plan), "done": False, "error": reason}
    return Outcome(lines=[*lines, reason], facts=facts, code=ExitCode.DENIED)
