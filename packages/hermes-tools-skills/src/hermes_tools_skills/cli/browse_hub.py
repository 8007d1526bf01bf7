"""`hermes skills browse`."""

from __future__ import annotations

import click

from hermes_core.commands import ExitCode
from hermes_tools_skills.cli.hub_reports import search_facts, search_lines
from hermes_tools_skills.cli.hub_session import Outcome, Session, hub_command, source_option
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.search import browse_skills


@click.command()
@source_option
@click.option("--refresh", is_flag=True, help="Do not use cached catalogs.")
@hub_command
def command(hub: SkillHub, _session: Session, source: str, limit: int, refresh: bool) -> Outcome:
    """List the skills of registries and repositories.

    'hermes skills tap' manages the repositories and sites. Exit code: 0 if something was found, 1 if nothing was found.
    """
    if refresh:
        hub.cache.clear()
    result = browse_skills(hub, limit=limit, source=source)
    return Outcome(
        lines=search_lines(result),
        facts=search_facts(result),
        notes=(*result.problems, *result.notes),
        code=ExitCode.OK if result.entries else ExitCode.FOUND,
    )
