"""The command `hermes guard`, where hermes-core is installed. Nothing else of this package needs that."""

from typing import TYPE_CHECKING

from hermes_core import hookimpl

if TYPE_CHECKING:
    from click import Command

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
