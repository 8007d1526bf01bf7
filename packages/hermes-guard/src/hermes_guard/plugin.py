"""The plugin for hermes-core: the command `hermes guard` and a health check. Nothing else here needs hermes-core."""

from typing import TYPE_CHECKING

from hermes_core import hookimpl

if TYPE_CHECKING:
    from click import Command

    from hermes_core.health import HealthCheck

hermes_api = ">=1.0,<2"


@hookimpl
def hermes_commands() -> "list[Command]":
    """Add the command line of `hermes-guard` as `hermes guard`."""
    from hermes_guard.cli.main import guard

    return [guard]


@hookimpl
def hermes_health_checks() -> "list[HealthCheck]":
    """Return the checks that `hermes doctor` runs."""
    from hermes_core.health import HealthCheck
    from hermes_guard.health import misjudged

    return [HealthCheck(name="judge sample commands", run=lambda _ctx: misjudged())]
