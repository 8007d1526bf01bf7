"""The command `hermes-guard`, which is also `hermes guard` where hermes-core is installed."""

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from hermes_guard import __version__
from hermes_text.streams import Stream, standard_streams

if TYPE_CHECKING:
    from hermes_guard.guard import Guard

_EXIT_CODES = """\
\b
Exit codes (a subset of those of 'hermes'):
    0  allow; or every line and example is judged as expected
    1  ask; or a line or an example is not judged as expected
    2  wrong usage, or a file that cannot be read
    4  refuse
   74  the output could not be written"""

_USAGE, _INTERRUPTED = 2, 130

_cwd = click.option("--cwd", metavar="FOLDER", help="The working directory of the command.")
_home = click.option("--home", metavar="FOLDER", help="The user's home directory.")


def _with_guard(run: Callable[..., int]) -> Callable[..., None]:
    """Add the options of every command, pass a guard with the rules of `--rules`, and exit with what is returned."""

    @click.option("--rules", multiple=True, metavar="FILE", help="A TOML file with additional rules; repeatable.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    @wraps(run)
    def command(rules: tuple[str, ...], **options: Any) -> None:
        from hermes_guard.guard import Guard
        from hermes_guard.rules.rule_files import RuleFileError

        try:
            code = run(Guard(rules), **options)
        except (RuleFileError, UnicodeError) as error:
            raise click.ClickException(str(error)) from error
        click.get_current_context().exit(code)

    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EXIT_CODES)
@click.version_option(__version__, prog_name="hermes-guard", message="%(prog)s %(version)s")
def guard() -> None:
    """Judge shell commands: allow, ask or refuse. Nothing is run."""


@guard.command()
@click.argument("text", metavar="COMMAND")
@_cwd
@_home
@_with_guard
def explain(guard: "Guard", text: str, **options: Any) -> int:
    """Show what a command would run, the rules that match, and the verdict.

    COMMAND is one argument; '-' reads it from stdin.
    """
    from hermes_guard.cli.explain import explain_command

    return explain_command(guard, sys.stdin.read() if text == "-" else text, **options)


@guard.command()
@click.argument("file")
@_cwd
@_home
@_with_guard
def check(guard: "Guard", file: str, **options: Any) -> int:
    """Judge the commands in a file, one per line.

    A line is a command, or a JSON object with the fields 'command' and 'expect'. FILE '-' is stdin. If lines have
    'expect', the exit code says whether all verdicts are as expected; otherwise, it is that of the strictest verdict.
    """
    from hermes_guard.cli.check import check_file

    return check_file(guard, file, **options)


@guard.command()
@click.argument("op", metavar="read|write", type=click.Choice(["read", "write"]))
@click.argument("path")
@click.option("--workspace", metavar="FOLDER", help="The project directory, where writes are expected.")
@_home
@_with_guard
def path(guard: "Guard", **options: Any) -> int:
    """Judge whether a file may be read or written."""
    from hermes_guard.cli.explain import judge_path

    return judge_path(guard, **options)


@guard.command()
@click.option("--check", "checks", is_flag=True, help="Judge the examples of every rule.")
@_with_guard
def rules(guard: "Guard", checks: bool, as_json: bool) -> int:
    """List every rule with its reason and examples."""
    from hermes_guard.cli.rules import check_rules, list_rules

    return (check_rules if checks else list_rules)(guard, as_json=as_json)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    with standard_streams() as stdout:
        return stdout.close(_run(arguments, stdout), "hermes-guard: error")


def _reason(error: click.ClickException | OSError) -> str:
    if isinstance(error, OSError):
        return f"{error.strerror}: {error.filename}"
    context = error.ctx if isinstance(error, click.UsageError) else None
    return error.format_message() + (f" See '{context.command_path} --help'." if context else "")


def _run(arguments: Sequence[str] | None, stdout: Stream) -> int:
    from hermes_guard.cli.output import visible

    try:
        return guard.main(arguments, prog_name="hermes-guard", standalone_mode=False) or 0
    except click.Abort:
        return _INTERRUPTED
    except SystemExit:  # how click ends when the reader of its output went away
        return 0
    except (click.ClickException, OSError) as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # newer versions of click have it
            click.echo(guard.get_help(click.Context(guard, info_name="hermes-guard")))
            return 0
        if stdout.error is None:
            click.echo(f"hermes-guard: error: {visible(_reason(error))}", err=True)
        return _USAGE
