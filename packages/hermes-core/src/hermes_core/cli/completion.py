"""`hermes completion`: the script by which Tab completes the command in a shell.

Click answers the scripts, by its own protocol. The scripts are ours for three things that click's do not do: they ask
the very `hermes` that is on the line, whatever its directory; they complete `--option=value`; and they print no errors
into the line.
"""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import PurePath

import click

from hermes_core.cli.output import print_json

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS), required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the shell and its script.")
@click.pass_context
def command(ctx: click.Context, shell: str | None, as_json: bool) -> None:
    """Generate a shell completion script.

    The shell is taken from the variable SHELL when it is not given; the exit status is 2 when that names another one.
    One line in a file that the shell reads turns completion on:

    \b
    bash, in ~/.bashrc:
      eval "$(hermes completion bash)"
    zsh, in ~/.zshrc, after compinit where that is called:
      eval "$(hermes completion zsh)"
    fish, in ~/.config/fish/completions/hermes.fish:
      hermes completion fish | source
    """
    variable = os.environ.get("SHELL", "")
    shell = shell or PurePath(variable).name
    if shell not in SHELLS:
        reason = f"SHELL is {variable!r}" if variable else "SHELL is not set"
        ctx.fail(f"Which shell? {reason}, so name one of {', '.join(SHELLS)}.")
    if as_json:
        print_json({"shell": shell, "script": script(shell)})
    else:
        click.echo(script(shell), nl=False)


def script(shell: str) -> str:
    """Return the script for a shell."""
    return files("hermes_core.cli").joinpath("shells", f"hermes.{shell}").read_text(encoding="utf-8")
