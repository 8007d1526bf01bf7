"""`hermes skills check`."""

from __future__ import annotations

import sys

import click

from hermes_core.commands import Column, clean, counted, loaded_host, note, print_json, print_table, say
from hermes_text.terminal import harmless
from hermes_tools_skills import bundled
from hermes_tools_skills.cli.hub_check import check_installed, is_settled, status_facts, status_lines
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.providers.protocol import SourceError
from hermes_tools_skills.readiness import check_readiness, user_environ
from hermes_tools_skills.session_library import library_for_host


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--diff", "shown", metavar="NAME", help="Show what the shipped version of a bundled skill would change.")
@click.option("--restore", metavar="NAME", help="Replace a bundled skill by the shipped version.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(names: tuple[str, ...], shown: str | None, restore: str | None, as_json: bool) -> None:
    """Check skills: paths that cannot be used, missing requirements, updates, and local changes.

    The sources of skills that were installed with the hub are asked for updates; with NAME, only those of these skills.

    Bundled skills that you changed or deleted are never replaced: '--diff' shows the difference to the shipped version,
    and '--restore' takes that version.

    Exit code: 0 if nothing needs attention, 1 otherwise.
    """
    with loaded_host() as host:
        library = library_for_host(host)
    states = {each.name: each for each in bundled.compare(library.directory)}
    for name in filter(None, (shown, restore)):
        if name not in states:
            raise click.ClickException(f"{name} is not a bundled skill. They are: {', '.join(states)}.")
    if restore:
        bundled.restore(library.directory, restore)
        say(f"{restore} is the shipped version again.")
        return
    if shown:
        for line in bundled.diff(library.directory, shown).splitlines():
            say(harmless(line))
        return
    environ = user_environ(library.home)
    skills, _ = library.all_skills()
    missing = [(skill.id, each) for skill in skills if (each := check_readiness(skill, library.home, environ)).steps]
    listing = library.listing()
    try:
        installed = check_installed(library.home, names)
    except (HubError, SourceError) as error:
        raise click.ClickException(error.reason) from error
    changed = [each for each in states.values() if each.status != "current"]
    if as_json:
        print_json(
            {
                "problems": [{"path": str(each.path), "reason": each.reason} for each in listing.problems],
                "setup": {name: list(each.steps) for name, each in missing},
                "installed": [status_facts(each) for each in installed],
                "bundled": [{"name": each.name, "status": each.status, "outdated": each.outdated} for each in changed],
            }
        )
    else:
        for problem in listing.problems:
            note(f"problem: {problem}")
        if missing:
            print_table([Column("SKILL"), Column("SETUP")], [(name, " ".join(each.steps)) for name, each in missing])
        if changed:
            rows = [(each.name, each.status, "a new version exists" if each.outdated else "") for each in changed]
            print_table([Column("BUNDLED SKILL"), Column("STATUS"), Column("UPDATE")], rows)
        for line in status_lines(installed) if installed else ():
            say(line)
        for status in installed:
            if status.problem:
                note(f"problem: {status.skill.name}: {clean(status.problem)}")
        say(f"{counted(len(skills), 'skill')} checked.")
    is_current = all(map(is_settled, installed)) and not any(each.outdated for each in changed)
    sys.exit(1 if listing.problems or missing or not is_current else 0)
