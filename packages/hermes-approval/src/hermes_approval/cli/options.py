"""Options of several commands, and moments as they are shown."""

from __future__ import annotations

import time

import click

PLACE = "hermes approvals"
"""Where an answer or a grant was given."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def when(seconds: float) -> str:
    """A moment for people, in their own time."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    except (OverflowError, ValueError, OSError):  # a year that calendars do not have
        return f"{seconds:.0f} s after 1970"


def _moment(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> float | None:
    """How long ago, or since when."""
    from hermes_approval.audit.timestamps import moment

    if value is None:
        return None
    try:
        return moment(value, now=time.time())
    except ValueError:
        raise click.BadParameter(f"{value!r} is no time. Examples: 30m, 2h, 7d, 2026-03-01.") from None


since_option = click.option(
    "--since", callback=_moment, metavar="2h|TIME", help="Only from then on: 30m, 2h, 2026-03-01."
)
