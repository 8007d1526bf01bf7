"""The `hermes` command: its list of commands, and how a run ends."""

from __future__ import annotations

from collections.abc import Sequence

import click

from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.invocation import Invocation, debug_option
from hermes_core.cli.lazy import Entry
from hermes_core.cli.plugin_commands import RootGroup
from hermes_core.cli.signals import EndedBySignal, ending_signals
from hermes_core.cli.streams import Stream, standard_streams

COMMANDS = {
    "demo": Entry("hermes_core.cli.demo", "Show what Hermes tools does, offline, in a few seconds."),
    "tools": Entry("hermes_core.cli.tools", "List the tools that can be used here."),
    "describe": Entry("hermes_core.cli.describe", "Show everything about one tool."),
    "call": Entry("hermes_core.cli.call", "Call a tool and print its JSON result."),
    "why": Entry("hermes_core.cli.why", "Say whether a tool can run here, and if not, why."),
    "toolsets": Entry("hermes_core.cli.toolsets", "List the toolsets, or show what one stands for."),
    "plugins": Entry("hermes_core.cli.plugins", "List installed plugins and their load status."),
    "hooks": Entry("hermes_core.cli.hooks", "Show who implements which hook, in the order of the calls."),
    "lock": Entry("hermes_core.cli.lock", "Pin what models are shown, and see what changed since."),
    "doctor": Entry("hermes_core.cli.doctor", "Check the installation and suggest fixes."),
    "config": Entry("hermes_core.cli.config", "Look at the settings, check them, and change them."),
    "completion": Entry("hermes_core.cli.completion", "Print what makes Tab complete commands, options and names."),
}


def _print_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from hermes_core import __version__

    click.echo(f"hermes {__version__}")
    ctx.exit()


@click.group(
    cls=RootGroup,
    table=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="'hermes COMMAND --help' explains a command. New here? Run 'hermes demo'.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
@click.pass_context
def hermes(ctx: click.Context) -> None:
    """Tools for AI agents: find them, look at them, call them."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


hermes.params.append(debug_option())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; every error becomes one clear line on stderr."""
    with standard_streams() as stdout:
        return int(stdout.close(_run(argv, stdout)))


def _run(argv: Sequence[str] | None, stdout: Stream) -> int:
    invocation = Invocation()
    try:
        with ending_signals():
            return _run_command(argv, invocation)
    except (click.Abort, KeyboardInterrupt) as error:
        cause = error.__cause__ if isinstance(error, click.Abort) else error
        return cause.status if isinstance(cause, EndedBySignal) else int(ExitCode.INTERRUPTED)
    except SystemExit as end:
        # Commands of plugins end like this, and so does click when it meets a broken pipe.
        broken = end.__context__
        if isinstance(broken, BrokenPipeError) and stdout.error is None:
            return _report(broken, invocation)
        return _exit_code(end)
    except Exception as error:  # the outermost layer: nothing is left to handle it but the user
        if stdout.error is not None and isinstance(error, type(stdout.error)):
            return int(ExitCode.OUTPUT)  # which is reported when the output is closed
        return _report(error, invocation)


def _run_command(argv: Sequence[str] | None, invocation: Invocation) -> int:
    try:
        code = hermes.main(args=argv, prog_name="hermes", standalone_mode=False, obj=invocation)
    except click.UsageError as error:
        if type(error).__name__ != "NoArgsIsHelpError" or error.ctx is None:
            raise
        click.echo(error.ctx.get_help())  # of a group without a command
        return int(ExitCode.OK)
    return int(code) if isinstance(code, int) else int(ExitCode.OK)


def _exit_code(end: SystemExit) -> int:
    """Return what Python would make of `sys.exit`: a text is printed, and means 1."""
    if end.code is None or isinstance(end.code, int):
        return end.code or int(ExitCode.OK)
    click.echo(str(end.code), err=True)
    return 1


def _report(error: Exception, invocation: Invocation) -> int:
    from hermes_core.cli.failures import report

    return int(report(error, debug=invocation.debug))
