"""Hook implementations of the skills family; everything heavy is imported when a hook is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_core import hookimpl

if TYPE_CHECKING:
    import click

    from hermes_core import Tool

hermes_api = ">=1.0,<2"


@hookimpl
def hermes_tools() -> list[Tool]:
    """Return the tools of the family."""
    from hermes_tools_skills.tools.skill_manage import skill_manage
    from hermes_tools_skills.tools.skill_view import skill_view
    from hermes_tools_skills.tools.skills_categories import skills_categories
    from hermes_tools_skills.tools.skills_list import skills_list

    return [skills_categories, skills_list, skill_view, skill_manage]


@hookimpl
def hermes_settings() -> dict[str, type]:
    """Return the section `skills`."""
    from hermes_tools_skills.settings import SkillsSettings

    return {"skills": SkillsSettings}


@hookimpl
def hermes_commands() -> list[click.Command]:
    """Return `hermes skills`."""
    from hermes_tools_skills.cli.commands import skills

    return [skills]
