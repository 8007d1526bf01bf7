"""Times as the audit log writes them, and as people write them."""

from __future__ import annotations

import time

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def stamp(seconds: float) -> str:
    """Format a time in UTC with milliseconds. All stamps have the same length, so they sort as the times do."""
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{thousandths:03d}Z"


def parse_time(text: str, *, now: float, is_past: bool = True) -> float:
    """Read `2h`, `90s`, `1d`, `2026-03-01` or `2026-03-01T12:00`, and return seconds since 1970.

    A duration counts back from `now`, or forward unless `is_past`. A time without a zone is local time.

    Raises:
        ValueError: it is none of these.
    """
    text = text.strip()
    if text[-1:] in _UNITS and (number := text[:-1].strip()).replace(".", "", 1).isdecimal() and number.isascii():
        seconds = float(number) * _UNITS[text[-1]]
        return max(now - seconds, 0.0) if is_past else now + seconds
    from datetime import datetime  # slow to import, and not needed to write the log

    try:
        return max(datetime.fromisoformat(text).timestamp(), 0.0)
    except (OverflowError, OSError) as error:  # a year beyond the calendar
        raise ValueError(str(error)) from None


def local(at: str) -> str:
    """Format a stamp as local time in seconds; return other text unchanged."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return at
