"""Moments as the audit log writes them, and as people say them."""

from __future__ import annotations

import time

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def stamp(seconds: float) -> str:
    """A moment in UTC with milliseconds. All stamps are equally long, so they compare as the moments do."""
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{thousandths:03d}Z"


def moment(text: str, *, now: float) -> float:
    """What somebody means by `2h`, `90s`, `1d`, `2026-03-01` or `2026-03-01T12:00`, as seconds since 1970.

    A moment without a time zone is one of the local clock.

    Raises:
        ValueError: it is none of these.
    """
    text = text.strip()
    if text[-1:] in _UNITS and (number := text[:-1].strip()).replace(".", "", 1).isdecimal() and number.isascii():
        return max(now - float(number) * _UNITS[text[-1]], 0.0)
    from datetime import datetime  # a run that only writes has no use for it

    try:
        return max(datetime.fromisoformat(text).timestamp(), 0.0)
    except (OverflowError, OSError) as error:  # a year that no clock shows
        raise ValueError(str(error)) from None


def local(at: str) -> str:
    """A stamp on the local clock, to the second; what is no stamp stays as it is."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return at
