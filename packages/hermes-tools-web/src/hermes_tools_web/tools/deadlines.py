"""Ends work early enough that what was done can still be told."""

from __future__ import annotations

_PART = 0.1
_LEAST, _MOST = 0.2, 10.0


def before(timeout: float | None) -> float | None:
    """The seconds that work may take when its caller gives a call so many; None when it chose none.

    Args:
        timeout: What the caller chose, from `ctx.timeout`.
    """
    if timeout is None:
        return None
    return max(0.0, timeout - min(_MOST, max(_LEAST, timeout * _PART)))
