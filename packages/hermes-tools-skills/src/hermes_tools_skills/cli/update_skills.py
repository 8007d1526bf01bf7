"""`hermes skills update`."""

from __future__ import annotations

from typing import Any

import click

from hermes_core.commands import ExitCode, clean
from hermes_tools_skills.cli.hub_reports import plan_facts, plan_lines
from hermes_tools_skills.cli.hub_session import (
    Outcome,
    Session,
    force_option,
    hub_command,
    yes_option,
)
from hermes_tools_skills.cli.install_skill import blocked
from hermes_tools_skills.hub.changes import Policy
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.installation import prepare_update
from hermes_tools_skills.hub.lock_file import read_lock, require_installed
from hermes_tools_skills.providers.protocol import SourceError


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--local",
    type=click.Choice(["merge", "keep", "replace"]),
    default="merge",
    show_default=True,
    help="What to do with local changes: merge them, keep files that both sides changed, or replace them.",
)
@click.option("--diff", is_flag=True, help="Show the changed lines.")
@force_option
@yes_option
@hub_command
def command(
    hub: SkillHub, session: Session, names: tuple[str, ...], local: Policy, diff: bool, force: bool, yes: bool
) -> Outcome:
    """Update installed skills.

    By default all skills that were installed with the hub. You see the changed files and capabilities, and confirm.
    Local changes are merged line by line; if they conflict, nothing is changed until you choose --local keep or --local
    replace, which saves copies. Exit code: 0 on success, 1 if a skill cannot be updated, 4 if the scan blocks one or
    you do not confirm.
    """
    for name in names:
        require_installed(hub.state, name)
    lines: list[str] = []
    facts: list[dict[str, Any]] = []
    codes = [ExitCode.OK]
    for name in names or sorted(read_lock(hub.state)):
        try:
            outcome = _update(hub, session, name, local, diff=diff, force=force, yes=yes)
        except (HubError, SourceError) as error:
            code = ExitCode.DENIED if error.kind in ("declined", "blocked") else ExitCode.FOUND
            fact = {"name": name, "done": False, "error": error.reason}
            outcome = Outcome(lines=[f"{name}: {clean(error.reason)}"], facts=fact, code=code)
        lines += outcome.lines
        facts.append(outcome.facts)
        codes.append(outcome.code)
    return Outcome(lines=lines or ["No skills were installed with the hub."], facts={"skills": facts}, code=max(codes))


def _update(
    hub: SkillHub, session: Session, name: str, local: Policy, *, diff: bool, force: bool, yes: bool
) -> Outcome:
    with prepare_update(hub, name, local=local, force=force) as plan:
        if plan is None:
            return Outcome(lines=[f"{name} is up to date."], facts={"name": name, "done": False})
        lines = list(plan_lines(plan, with_diff=diff))
        if plan.action == "block":
            outcome = blocked(plan, lines)
            return Outcome(lines=outcome.lines, facts={"name": name, **outcome.facts}, code=outcome.code)
        if not (plan.merge and plan.merge.conflicts):
            session.require_confirmation(f"Update {name}?", lines, yes=yes)
        plan.apply()
        return Outcome(
            lines=[*(lines if yes else ()), f"Updated {name}."], facts={"name": name, **plan_facts(plan), "done": True}
        )
