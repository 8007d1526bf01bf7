"""`--since`, for commands that look at the log."""

from __future__ import annotations

import time

import click


def _moment(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> float | None:
    """How long ago, or since when."""
    from hermes_approval.audit.times import moment

    if value is None:
        return None
    try:
        return moment(value, now=time.time())
    except ValueError:
        raise click.BadParameter(f"{value!r} is no time. Examples: 30m, 2h, 7d, 2026-03-01.") from None


since_option = click.option(
    "--since", callback=_moment, metavar="2h|TIME", help="Only from then on: 30m, 2h, 2026-03-01."
)
