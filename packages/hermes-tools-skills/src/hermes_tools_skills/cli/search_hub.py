"""`hermes skills search`."""

from __future__ import annotations

import click

from hermes_core.commands import ExitCode
from hermes_tools_skills.cli.hub_reports import search_facts, search_lines
from hermes_tools_skills.cli.hub_session import Outcome, Session, hub_command, source_option
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.search import search_skills


@click.command()
@click.argument("query", nargs=-1, required=True)
@source_option
@hub_command
def command(hub: SkillHub, _session: Session, query: tuple[str, ...], source: str, limit: int) -> Outcome:
    """Search registries and repositories for skills.

    Results of all sources are mixed, the best of each first. If a source cannot be reached, what it returned before is
    used. Exit code: 0 if something was found, 1 if nothing was found.
    """
    result = search_skills(hub, " ".join(query), limit=limit, source=source)
    return Outcome(
        lines=search_lines(result),
        facts=search_facts(result),
        notes=(*result.problems, *result.notes),
        code=ExitCode.OK if result.entries else ExitCode.FOUND,
    )
