"""Options of several commands, and the format of times."""

from __future__ import annotations

import time

import click

PLACE = "hermes approvals"
"""Where an answer or a grant was given."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def when(seconds: float) -> str:
    """Format seconds since 1970 as local time."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    except (OverflowError, ValueError, OSError):  # a year beyond the calendar
        return f"{seconds:.0f} s after 1970"


def _parse_since(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> float | None:
    from hermes_approval.audit.timestamps import parse_time

    if value is None:
        return None
    try:
        return parse_time(value, now=time.time())
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a time. Examples: 30m, 2h, 7d, 2026-03-01.") from None


since_option = click.option(
    "--since", callback=_parse_since, metavar="2h|TIME", help="Only calls since then: 30m, 2h, 2026-03-01."
)
