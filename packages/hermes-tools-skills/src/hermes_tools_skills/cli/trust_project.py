"""`hermes skills trust`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from hermes_core.commands import loaded_host, say
from hermes_core.settings import refuse_inside
from hermes_tools_skills.session_library import PROJECT_FOLDER
from hermes_tools_skills.settings import SkillsSettings


@click.command()
@click.argument("folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--revoke", is_flag=True, help="Stop using the skills of the project.")
def command(folder: Path | None, revoke: bool) -> None:
    """Use the skills in .agents/skills of a project, by default the current directory.

    Models follow the instructions in skills, so review them first. Trust also covers later versions.
    """
    refuse_inside("Trust in projects cannot be changed")
    project = os.path.realpath(folder or Path.cwd())
    with loaded_host() as host:
        config = host.config
        trusted = config.model("skills", SkillsSettings).trusted_projects
        others = [each for each in trusted if os.path.realpath(os.path.expanduser(each)) != project]
        if revoke and len(others) == len(trusted):
            raise click.ClickException(f"{project} is not trusted.")
        if not revoke and not os.path.isdir(os.path.join(project, PROJECT_FOLDER)):
            raise click.ClickException(f"{project} has no directory {PROJECT_FOLDER}.")
        config.set("skills.trusted_projects", others if revoke else [*others, project])
    say(f"The skills of {project} are {'no longer used' if revoke else 'used when you start Hermes there'}.")
