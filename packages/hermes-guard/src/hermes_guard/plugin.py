"""The plugin of hermes-core: the command `hermes guard` and a health check. Nothing else here needs hermes-core."""

from typing import TYPE_CHECKING

from hermes_core import hookimpl

if TYPE_CHECKING:
    from click import Command

    from hermes_core.health import HealthCheck

hermes_api = ">=1.0,<2"


@hookimpl
def hermes_commands() -> "list[Command]":
    """The same command line as `hermes-guard`, beside the other commands of `hermes`."""
    import click

    @click.command(
        "guard",
        short_help="Say what a shell command would do: allow, ask or refuse.",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    )
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    @click.pass_context
    def guard(ctx: click.Context, arguments: tuple[str, ...]) -> None:
        """Say what a shell command would do: allow, ask or refuse."""
        from hermes_guard.cli.main import run_command

        ctx.exit(run_command(arguments, prog=ctx.command_path))

    return [guard]


@hookimpl
def hermes_health_checks() -> "list[HealthCheck]":
    """Return what `hermes doctor` exercises."""
    from hermes_core.health import HealthCheck
    from hermes_guard.health import misjudged

    return [HealthCheck(name="judge sample commands", run=lambda _ctx: misjudged())]
