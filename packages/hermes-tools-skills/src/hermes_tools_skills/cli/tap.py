"""`hermes skills tap`."""

from __future__ import annotations

import click

from hermes_tools_skills.cli.hub_session import Outcome, Session, hub_command
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.taps import add_tap, list_taps, remove_tap


@click.group()
def command() -> None:
    """Manage the repositories and sites that are searched.

    A tap is a repository on GitHub (owner/repository), a Claude Code marketplace (claude:owner/repository), or a site
    with an index of skills (wellknown:example.org).
    """


@command.command("list")
@hub_command
def list_(hub: SkillHub, _session: Session) -> Outcome:
    """List the taps."""
    taps = [f"{source}:{name}" for source, names in sorted(list_taps(hub.state).items()) for name in names]
    return Outcome(lines=taps or ["There are no taps."], facts={"taps": taps})


@command.command()
@click.argument("tap")
@hub_command
def add(hub: SkillHub, _session: Session, tap: str) -> Outcome:
    """Search a repository or site, too."""
    full = add_tap(hub.state, tap)
    return Outcome(lines=[f"Added {full}."], facts={"tap": full})


@command.command()
@click.argument("tap")
@hub_command
def remove(hub: SkillHub, _session: Session, tap: str) -> Outcome:
    """Stop searching a repository or site. Skills that were installed from it stay."""
    full = remove_tap(hub.state, tap)
    return Outcome(lines=[f"Removed {full}."], facts={"tap": full})
