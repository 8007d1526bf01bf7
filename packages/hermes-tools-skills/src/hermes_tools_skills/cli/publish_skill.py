"""`hermes skills publish`."""

from __future__ import annotations

from pathlib import Path

import click

from hermes_core.commands import clean
from hermes_tools_skills.cli.hub_reports import finding_lines
from hermes_tools_skills.cli.hub_session import Outcome, Session, facts_of, hub_command, yes_option
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub.publication import open_pull_request, prepare_publication, write_zip


@click.command()
@click.argument("name", metavar="SKILL")
@click.option("--to", "repository", default="", metavar="OWNER/REPOSITORY", help="Open a pull request on GitHub.")
@click.option("--folder", default="skills", show_default=True, help="The directory in the repository.")
@click.option("--zip", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write an archive.")
@yes_option
@hub_command
def command(
    hub: SkillHub, session: Session, name: str, repository: str, folder: str, file: Path | None, yes: bool
) -> Outcome:
    """Publish a skill.

    SKILL is a skill in $HERMES_HOME/skills, or a directory. It must conform to the specification and pass the scan. A
    pull request needs a token (GITHUB_TOKEN); without write access, it is opened from a fork.

    Exit code: 0 on success, 1 if GitHub refuses, 4 if the skill may not be published or you do not confirm.
    """
    if bool(repository) == (file is not None):
        raise click.UsageError("Choose either --to or --zip.")
    found = prepare_publication(hub, name)
    target = repository or str(file)
    lines = facts_of({"Skill": found.name, "Directory": str(found.directory), "Files": str(len(found.files))})
    lines += [*map(clean, found.problems), *finding_lines(found.report)]
    found.require_publishable()
    session.require_confirmation(f"Publish {found.name} to {target}?", lines, yes=yes)
    if file is not None:
        write_zip(found, file)
        return Outcome(lines=[f"Wrote {file}."], facts={"name": found.name, "file": str(file)})
    url = open_pull_request(hub, found, repository, folder=folder)
    return Outcome(lines=[f"Opened {clean(url)}"], facts={"name": found.name, "url": url})
