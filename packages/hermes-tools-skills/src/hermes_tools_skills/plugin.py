"""Hook implementations of the skills family; everything heavy is imported when a hook is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_core import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    import click

    from hermes_core import Tool
    from hermes_core.demo import DemoStep
    from hermes_core.health import HealthCheck

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
def hermes_settings() -> dict[str, type | dict[str, Any]]:
    """Return the section `skills` and the shared section `security`."""
    from hermes_net import SECURITY_SCHEMA
    from hermes_tools_skills.settings import SkillsSettings

    return {"skills": SkillsSettings, "security": SECURITY_SCHEMA}


@hookimpl
def hermes_commands() -> list[click.Command]:
    """Return `hermes skills`."""
    from hermes_tools_skills.cli.commands import skills

    return [skills]


@hookimpl
def hermes_providers() -> dict[str, dict[str, Callable[[], object]]]:
    """Return the factories of the sources from which users install skills."""
    from hermes_tools_skills.providers.catalog import provider_factories

    return provider_factories()


@hookimpl
def hermes_health_checks() -> list[HealthCheck]:
    """Return the checks that `hermes doctor` runs."""
    from hermes_tools_skills.health import health_checks

    return health_checks()


@hookimpl
def hermes_demo_steps() -> list[DemoStep]:
    """Return the step that `hermes demo` runs."""
    from hermes_tools_skills.demo import demo_steps

    return demo_steps()
