"""What the commands about approvals have in common."""

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
