"""The hooks of the audit log. Nothing heavy is imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_approval.audit.host_audit import Audit
from hermes_core import hookimpl

if TYPE_CHECKING:
    from click import Command

    from hermes_core.health import HealthCheck, HealthContext, HealthProblem
    from hermes_core.plugin_context import PluginContext

hermes_api = ">=1.0,<2"
hermes_hooks = Audit.hermes_hooks


@hookimpl
def hermes_settings() -> dict[str, Any]:
    """Return the section `audit`."""
    return Audit().hermes_settings()


@hookimpl
def hermes_commands() -> list[Command]:
    """Return `hermes audit`."""
    from hermes_approval.cli.audit import command

    return [command]


@hookimpl
def hermes_health_checks() -> list[HealthCheck]:
    """Return the check that the log can be read and written."""

    from hermes_core.health import HealthCheck

    def check(context: HealthContext) -> HealthProblem | None:
        from hermes_approval.audit.reader import find_health_problem

        return find_health_problem(context.home)

    return [HealthCheck(name="audit log", run=check)]


def hermes_factory(context: PluginContext) -> object:
    """Make the audit of one host, from the user's settings."""
    return Audit().hermes_factory(context)
