"""What holds for one run of the command as a whole."""

from __future__ import annotations

import click


class Invocation:
    """The global options of one run."""

    def __init__(self) -> None:
        self.debug = False


def current_invocation() -> Invocation:
    """The run that the present command belongs to."""
    ctx = click.get_current_context(silent=True)
    return Invocation() if ctx is None else ctx.find_root().ensure_object(Invocation)


def debug_option() -> click.Option:
    """`--debug`, which the group and every command take."""

    def remember(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
        if value:
            ctx.find_root().ensure_object(Invocation).debug = True

    return click.Option(
        ["--debug"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=remember,
        help="Show tracebacks with errors and warnings.",
    )
