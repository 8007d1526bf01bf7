"""The `hermes` command: its subcommands and exit codes."""

from __future__ import annotations

from collections.abc import Sequence

import click

from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.lazy import Entry
from hermes_core.cli.plugin_commands import RootGroup
from hermes_core.cli.run import EndedBySignal, Options, debug_option, ending_signals
from hermes_text.streams import Stream, standard_streams

COMMANDS = {
    "demo": Entry("hermes_core.cli.demo", "Show what Hermes tools does, offline, in a few seconds."),
    "tools": Entry("hermes_core.cli.tools", "List the available tools."),
    "describe": Entry("hermes_core.cli.describe", "Show everything about one tool."),
    "call": Entry("hermes_core.cli.call", "Call a tool and print its JSON result."),
    "why": Entry("hermes_core.cli.why", "Explain why a tool is or is not available."),
    "toolsets": Entry("hermes_core.cli.toolsets", "List the installed toolsets, or show the tools of one."),
    "plugins": Entry("hermes_core.cli.plugins", "List installed plugins and their load status."),
    "hooks": Entry("hermes_core.cli.hooks", "List the plugins that implement each hook, in call order."),
    "lock": Entry("hermes_core.cli.lock", "Pin tool definitions and show what changed since."),
    "doctor": Entry("hermes_core.cli.doctor", "Check the installation and suggest fixes."),
    "config": Entry("hermes_core.cli.config", "Show, check and change settings."),
    "completion": Entry("hermes_core.cli.completion", "Generate a shell completion script."),
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
    """Manage and call tools for AI agents."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


hermes.params.append(debug_option())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code. Each error is one line on stderr."""
    with standard_streams() as stdout:
        return stdout.close(_run(argv, stdout), "hermes: error")


def _run(argv: Sequence[str] | None, stdout: Stream) -> int:
    options = Options()
    try:
        with ending_signals():
            return _invoke(argv, options)
    except (click.Abort, KeyboardInterrupt) as error:
        cause = error.__cause__ if isinstance(error, click.Abort) else error
        return cause.status if isinstance(cause, EndedBySignal) else ExitCode.INTERRUPTED
    except SystemExit as end:
        # Commands of plugins may exit like this, and click does on a broken pipe.
        broken = end.__context__
        if isinstance(broken, BrokenPipeError) and stdout.error is None:
            return _report(broken, options)
        if end.code is None or isinstance(end.code, int):
            return end.code or ExitCode.OK
        click.echo(str(end.code), err=True)  # as Python does
        return 1
    except Exception as error:  # the outermost layer: only the user can handle it
        if stdout.error is not None and isinstance(error, type(stdout.error)):
            return ExitCode.OUTPUT  # which is reported when the output is closed
        return _report(error, options)


def _invoke(argv: Sequence[str] | None, options: Options) -> int:
    try:
        code = hermes.main(args=argv, prog_name="hermes", standalone_mode=False, obj=options)
    except click.UsageError as error:
        if type(error).__name__ != "NoArgsIsHelpError" or error.ctx is None:  # in newer versions of click
            raise
        click.echo(error.ctx.get_help())
        return ExitCode.OK
    return int(code) if isinstance(code, int) else ExitCode.OK


def _report(error: Exception, options: Options) -> int:
    from hermes_core.cli.errors import report_error

    return report_error(error, debug=options.debug)
